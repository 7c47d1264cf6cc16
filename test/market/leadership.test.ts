import { expect } from 'chai';
import { StandBack } from '../../src/market/leadership.ts';

const LIFE_MS = 1000;
/** How often a process asks for the lease. */
const LOOK_MS = LIFE_MS / 3;

describe('standBack: two processes that ask for one lease', () => {
  it('take it at once as long as none has lost it', () => {
    expect(new StandBack(LIFE_MS).mayTake(0)).to.equal(true);
  });

  it('leave it for two lives after a loss, for longer after each further one, and forget what is long past', () => {
    const one = new StandBack(LIFE_MS);
    const backAfter = (lostAtMs: number): number => {
      one.ended();
      one.seesAnother(lostAtMs);
      let nowMs = lostAtMs;
      while (!one.mayTake(nowMs)) nowMs += LIFE_MS;
      return (nowMs - lostAtMs) / LIFE_MS;
    };
    expect([0, 10_000, 20_000, 40_000, 80_000].map(backAfter)).to.deep.equal([2, 4, 8, 16, 16]);
    expect(backAfter(200_000)).to.equal(2);
  });

  it('take it again at once where it was lost to nobody, as with a Redis that came back empty', () => {
    const one = new StandBack(LIFE_MS);
    one.ended();
    expect(one.mayTake(0)).to.equal(true);
    one.seesAnother(10);
    expect(one.mayTake(20)).to.equal(false);
    const other = new StandBack(LIFE_MS);
    other.seesAnother(0);
    expect(other.mayTake(0), 'it stood by').to.equal(true);
  });

  it('take it after four lives in which it was free, however often they had lost it: its leader has died', () => {
    const one = new StandBack(LIFE_MS);
    for (const lostAtMs of [0, 10_000, 20_000, 40_000]) {
      one.ended();
      one.seesAnother(lostAtMs);
    }
    one.seesFree(41_000);
    one.seesFree(44_000);
    expect(one.mayTake(44_999)).to.equal(false);
    expect(one.mayTake(45_000)).to.equal(true);
    one.seesAnother(45_100);
    expect(one.mayTake(45_200), 'another has it after all').to.equal(false);
  });

  it('do not take it from each other without end where each renews late', () => {
    // Each look of the leader comes so late that the lease has run out; whoever looks first then has it.
    const processes = [0, 1].map(() => ({ standBack: new StandBack(LIFE_MS), nextMs: 0 }));
    let [leader, leaseEndsMs, changes] = [0, LIFE_MS, 0];
    for (let nowMs = 0; nowMs < 60_000; nowMs += LOOK_MS / 2) {
      for (const [index, one] of processes.entries()) {
        if (nowMs < one.nextMs) continue;
        const isLeader = index === leader;
        one.nextMs = nowMs + (isLeader ? 1.5 * LIFE_MS : LOOK_MS);
        const isFree = nowMs >= leaseEndsMs;
        if (isLeader) leaseEndsMs = nowMs + LIFE_MS;
        if (!isLeader && !isFree) one.standBack.seesAnother(nowMs);
        if (isLeader || !isFree) continue;
        if (!one.standBack.mayTake(nowMs)) {
          one.standBack.seesFree(nowMs);
          continue;
        }
        const { standBack } = processes[leader] as (typeof processes)[number];
        standBack.ended();
        standBack.seesAnother(nowMs);
        [leader, leaseEndsMs] = [index, nowMs + LIFE_MS];
        changes += 1;
      }
    }
    expect(changes).to.be.at.most(10);
  });
});
