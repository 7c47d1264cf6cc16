import { expect } from 'chai';
import { wholeOption } from '../support/faults/seeds.ts';

describe('options of chaos and of the drill that are numbers', () => {
  it('are whole numbers, and nothing else is taken for one: no round at all would be green', () => {
    expect(wholeOption('seed', '0')).to.equal(0);
    expect(wholeOption('rounds', '100', 1)).to.equal(100);
    for (const text of ['', 'x', '1x', '-1', '1.5', '1e3', 'NaN', '0x10', '9'.repeat(16), '0']) {
      expect(() => wholeOption('rounds', text, 1), text).to.throw(`--rounds takes a whole number from 1, and not "${text}".`);
    }
  });
});
