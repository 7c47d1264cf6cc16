import { expect } from 'chai';
import { LastUses } from '../../../src/api/access/lastUses.ts';
import { createLogger } from '../../../src/shared/logger.ts';

describe('lastUses: times of uses stay until they are written', () => {
  it('what a store did not take is written later, with what came meanwhile; the latest time counts', async () => {
    const log = createLogger({ level: 'silent', role: 'test' });
    const written: [string, number][][] = [];
    let isAway = true;
    const uses = new LastUses({
      ...{ everyMs: 1000, what: 'keys', log },
      write: async (notes) => {
        if (isAway) throw new Error('away');
        written.push([...notes]);
      },
    });
    uses.note('a', 1);
    uses.note('b', 2);
    const flushing = uses.flush();
    uses.note('a', 3);
    await flushing;
    expect([uses.lastUse('a'), uses.lastUse('b')]).to.deep.equal([3, 2]);
    isAway = false;
    await uses.flush();
    await uses.flush();
    expect(written).to.deep.equal([
      [
        ['a', 3],
        ['b', 2],
      ],
    ]);
    expect(uses.lastUse('a')).to.equal(undefined);
  });
});
