import { expect } from 'chai';
import { LookUps } from '../../../src/api/access/lookUps.ts';

describe('lookUps: what strangers make the stores do stays within their address’s requests', () => {
  /** An address with a limit, whose look-ups all find nothing and are counted when they end. */
  function flood(cap: number) {
    const counts = new Map<string, number>();
    const lookUps = new LookUps({ isAtLimit: (subject, most) => (counts.get(subject) ?? 0) >= most });
    const seen = { asked: 0, underWay: 0, most: 0 };
    const ask = (subject: string, nowMs = 0): Promise<boolean> =>
      lookUps.run({ subject, cap, nowMs }, async (mayAsk) => {
        if (mayAsk) {
          seen.asked += 1;
          seen.underWay += 1;
          seen.most = Math.max(seen.most, seen.underWay);
          for (let n = 0; n < 5; n++) await Promise.resolve();
          seen.underWay -= 1;
        }
        counts.set(subject, (counts.get(subject) ?? 0) + 1);
        return mayAsk;
      });
    return { ask, seen };
  }

  it('of a burst no more are asked than the address has left, those under way, and the spare ones of a second', async () => {
    const { ask, seen } = flood(100);
    const asked = await Promise.all(Array.from({ length: 2000 }, () => ask('a')));
    expect(asked).to.have.length(2000);
    expect(seen.most).to.equal(8);
    expect(seen.asked).to.be.within(100, 100 + 8 + 20);
  });

  it('an address does not wait for another, and one at its limit has the spare ones of the next second', async () => {
    const { ask, seen } = flood(4);
    await Promise.all(Array.from({ length: 100 }, () => ask('a')));
    const { asked } = seen;
    expect(await ask('a')).to.equal(false);
    expect(await ask('b')).to.equal(true);
    expect(await ask('a', 1000)).to.equal(true);
    expect(seen.asked).to.equal(asked + 2);
  });

  it('a look-up that fails gives its place on', async () => {
    const lookUps = new LookUps({ isAtLimit: () => false });
    const failing = Array.from({ length: 20 }, () =>
      lookUps
        .run({ subject: 'a', cap: 1, nowMs: 0 }, () => Promise.reject(new Error('away')))
        .catch((error: Error) => error.message),
    );
    expect(await Promise.all(failing)).to.deep.equal(Array(20).fill('away'));
    expect(await lookUps.run({ subject: 'a', cap: 1, nowMs: 0 }, async () => 1)).to.equal(1);
  });
});
