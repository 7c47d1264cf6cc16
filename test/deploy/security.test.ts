import { readFileSync } from 'node:fs';
import { expect } from 'chai';

/** Requirements of level 2 by section, as ASVS 4.0.3 numbers them; level 1 is part of level 2. */
const LEVEL_2: Readonly<Record<string, readonly number[]>> = {
  '1.1': [1, 2, 3, 4, 5, 6, 7],
  '1.2': [1, 2, 3, 4],
  '1.4': [1, 4, 5],
  '1.5': [1, 2, 3, 4],
  '1.6': [1, 2, 3, 4],
  '1.7': [1, 2],
  '1.8': [1, 2],
  '1.9': [1, 2],
  '1.10': [1],
  '1.11': [1, 2],
  '1.12': [2],
  '1.14': [1, 2, 3, 4, 5, 6],
  '2.1': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  '2.2': [1, 2, 3],
  '2.3': [1, 2, 3],
  '2.4': [1, 2, 3, 4, 5],
  '2.5': [1, 2, 3, 4, 5, 6, 7],
  '2.6': [1, 2, 3],
  '2.7': [1, 2, 3, 4, 5, 6],
  '2.8': [1, 2, 3, 4, 5, 6, 7],
  '2.9': [1, 2, 3],
  '2.10': [1, 2, 3, 4],
  '3.1': [1],
  '3.2': [1, 2, 3, 4],
  '3.3': [1, 2, 3, 4],
  '3.4': [1, 2, 3, 4, 5],
  '3.5': [1, 2, 3],
  '3.7': [1],
  '4.1': [1, 2, 3, 5],
  '4.2': [1, 2],
  '4.3': [1, 2, 3],
  '5.1': [1, 2, 3, 4, 5],
  '5.2': [1, 2, 3, 4, 5, 6, 7, 8],
  '5.3': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  '5.4': [1, 2, 3],
  '5.5': [1, 2, 3, 4],
  '6.1': [1, 2, 3],
  '6.2': [1, 2, 3, 4, 5, 6],
  '6.3': [1, 2],
  '6.4': [1, 2],
  '7.1': [1, 2, 3, 4],
  '7.2': [1, 2],
  '7.3': [1, 3, 4],
  '7.4': [1, 2, 3],
  '8.1': [1, 2, 3, 4],
  '8.2': [1, 2, 3],
  '8.3': [1, 2, 3, 4, 5, 6, 7, 8],
  '9.1': [1, 2, 3],
  '9.2': [1, 2, 3, 4],
  '10.2': [1, 2],
  '10.3': [1, 2, 3],
  '11.1': [1, 2, 3, 4, 5, 6, 7, 8],
  '12.1': [1, 2, 3],
  '12.2': [1],
  '12.3': [1, 2, 3, 4, 5, 6],
  '12.4': [1, 2],
  '12.5': [1, 2],
  '12.6': [1],
  '13.1': [1, 3, 4, 5],
  '13.2': [1, 2, 3, 5, 6],
  '13.3': [1, 2],
  '13.4': [1, 2],
  '14.1': [1, 2, 3, 4],
  '14.2': [1, 2, 3, 4, 5, 6],
  '14.3': [2, 3],
  '14.4': [1, 2, 3, 4, 5, 6, 7],
  '14.5': [1, 2, 3, 4],
};

describe('docs/security.md', () => {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| (\S+) \| (.+) \|$/gm)].map(([, id, state, why]) => ({ id, state, why }));

  it('has a row for every requirement of level 2, and for no other', () => {
    const wanted = Object.entries(LEVEL_2).flatMap(([section, numbers]) => numbers.map((number) => `${section}.${number}`));
    expect(wanted).to.have.length(259);
    expect(rows.map(({ id }) => id)).to.deep.equal(wanted);
  });

  it('says of each where it is met, or why not', () => {
    for (const { id, state, why } of rows) {
      expect(state, id).to.be.oneOf(['met', 'partly', 'no', 'operator', '–']);
      expect(why, id).to.match(/\.$/);
    }
  });
});
