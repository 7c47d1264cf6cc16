import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { outsideTypes } from '../../src/api/info/fixedAnswers.ts';
import { EXPLORER_TYPES, newerRequests, requests } from './clientSchemas.ts';
import { FORGIVEN } from './forgiven.ts';
import { GIVEN_UP, NOT_REPRODUCIBLE } from './notReproducible.ts';

const doc = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8');

/** The rows of the table below a heading: first column without its back ticks, and the rest of the row. */
function tableOf(heading: string): Record<string, string> {
  const section = doc.split(/^## /m).find((part) => part.startsWith(heading));
  const rows = section?.match(/^\| `.*\|$/gm) ?? [];
  return Object.fromEntries(rows.map((row) => /^\| `([^`]+)` \| (.*) \|$/.exec(row)?.slice(1) ?? [row, '']));
}

describe('docs/compatibility.md', () => {
  it('lists the recordings that cannot occur, with the reasons of the tests', () => {
    expect(tableOf('2.')).to.deep.equal(NOT_REPRODUCIBLE);
  });

  it('lists the fields that the venue has given up', () => {
    const fields = Object.entries(GIVEN_UP).map(([name, given]) => [name, given.map((field) => `\`${field}\``).join(', ')]);
    expect(tableOf('3.')).to.deep.equal(Object.fromEntries(fields));
  });

  it('lists the fields that a client’s schemas have to forgive', () => {
    expect(tableOf('4.')).to.deep.equal(FORGIVEN);
  });
});

describe('docs/compatibility.md, clients', () => {
  const root = new URL('../../', import.meta.url);
  const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
  const files = readdirSync(new URL('test/compat/', root));
  const dependencies: Record<string, string> = JSON.parse(read('package.json')).devDependencies;
  const pinned = (name: string): string =>
    new RegExp(`^${name}==(.+)$`, 'm').exec(read('test/compat/requirements.txt'))?.[1] ?? '';
  const askedOfNktkas = [...Object.keys({ ...requests, ...newerRequests }), ...outsideTypes].filter(
    (type) => !EXPLORER_TYPES.includes(type),
  );

  const clients = [
    { name: 'ccxt', file: 'ccxt', versions: [dependencies['ccxt'], pinned('ccxt')], also: [] },
    {
      name: '@nktkas/hyperliquid',
      file: 'nktkas',
      versions: [dependencies['@nktkas/hyperliquid'], dependencies['nktkas-hyperliquid-0-30']?.split('@').at(-1)],
      also: askedOfNktkas,
    },
    { name: 'hyperliquid-python-sdk', file: 'pythonSdk', versions: [pinned('hyperliquid-python-sdk')], also: [] },
  ];
  for (const { name, file, versions, also } of clients) {
    const rows = [...doc.matchAll(/^\| (\S+) \| (.+?) \| (.+?) \| (?:yes|no)\b.* \|$/gm)].filter(([, client]) => client === name);
    const named = rows.flatMap(([, , , calls = '']) => [...calls.matchAll(/`([\w.]+)`/g)].map(([, call = '']) => call));
    const source = files
      .filter((one) => one.startsWith(file))
      .map((one) => read(`test/compat/${one}`))
      .join('');

    it(`${name}: the versions are those that are installed`, () => {
      expect(rows).not.to.deep.equal([]);
      for (const [, , version] of rows) expect(version?.match(/\d+\.\d+\.\d+/g)).to.deep.equal(versions);
    });

    it(`${name}: a test makes every call that is named`, () => {
      const made = (call: string): boolean => also.includes(call) || source.includes(`'${call.replace(/^info\./, '')}'`);
      expect(named.filter((call) => !(made(call) || source.includes(`'${call}'`)))).to.deep.equal([]);
    });

    it(`${name}: every call that a test makes is named`, () => {
      const made = [...source.matchAll(/\b(?:call|watch|subscribe)\(\s*'([\w.]+)'/g)].map(([, call = '']) => call);
      expect([...made, ...also].filter((call) => !named.includes(call))).to.deep.equal([]);
    });
  }
});
