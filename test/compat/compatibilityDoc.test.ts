import { readFileSync } from 'node:fs';
import { expect } from 'chai';
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
