import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { outsideTypes } from '../../src/api/info/fixedAnswers.ts';
import { EXPLORER_TYPES, newerRequests, requests } from './clientSchemas.ts';

const doc = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8');

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
    const section = doc.split(/^### /m).find((part) => part.startsWith(`${name} `)) ?? '';
    const [heading = ''] = section.split('\n');
    const items = section.split(/^- /m).filter((item) => /^\*\*(?:yes|no)\b/.test(item));
    const named = items.flatMap((item) =>
      [...item.replace(/^\*\*.*?\*\*/s, '').matchAll(/`([\w.]+)`/g)].map(([, call = '']) => call),
    );
    const source = files
      .filter((one) => one.startsWith(file))
      .map((one) => read(`test/compat/${one}`))
      .join('');

    it(`${name}: the versions are those that are installed`, () => {
      expect(heading.match(/\d+\.\d+\.\d+/g)).to.deep.equal(versions);
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
