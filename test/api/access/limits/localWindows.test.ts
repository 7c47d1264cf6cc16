import { expect } from 'chai';
import fc from 'fast-check';
import { LocalWindows } from '../../../../src/api/access/limits/localWindows.ts';

const WINDOW_MS = 60_000;

describe('localWindows: what a node has granted, for the time that Redis cannot count', () => {
  let nowMs: number;
  const windows = (subjectsMax = 100): LocalWindows => new LocalWindows({ windowMs: WINDOW_MS, subjectsMax, nowMs: () => nowMs });

  beforeEach(() => {
    nowMs = 12_345;
  });

  it('a subject that was never seen has used nothing', () => {
    expect(windows().used('key:1')).to.equal(0);
    expect(windows().leavesInMs('key:1', 1)).to.equal(WINDOW_MS);
  });

  it('adds up, and says when the oldest leaves: never later than a window after it was counted', () => {
    const local = windows();
    local.add('key:1', 3);
    nowMs += 20_000;
    local.add('key:1', 4);
    expect(local.used('key:1')).to.equal(7);
    const leavesInMs = local.leavesInMs('key:1', 3);
    expect(local.leavesInMs('key:1', 4)).to.equal(leavesInMs + 20_000);
    expect(leavesInMs).to.be.within(WINDOW_MS - 20_000 - WINDOW_MS / 12, WINDOW_MS - 20_000);
    nowMs += leavesInMs;
    expect(local.used('key:1')).to.equal(4);
  });

  it('holds, at every moment, all that was counted in the last eleven twelfths of a window, and nothing older than a window', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 1, max: 50 })), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (added) => {
        const local = windows();
        const counted: { atMs: number; cost: number }[] = [];
        for (const [laterMs, cost] of added) {
          nowMs += laterMs;
          local.add('key:1', cost);
          counted.push({ atMs: nowMs, cost });
          const since = (ms: number): number =>
            counted.filter(({ atMs }) => atMs > nowMs - ms).reduce((sum, one) => sum + one.cost, 0);
          expect(local.used('key:1')).to.be.within(since((WINDOW_MS * 11) / 12), since(WINDOW_MS));
        }
      }),
    );
  });

  it('drops the subject that has asked for nothing for longest, and no other', () => {
    const local = windows(2);
    local.add('key:1', 1);
    local.add('key:2', 1);
    nowMs += 10_000;
    local.add('key:1', 1);
    local.add('key:3', 1);
    expect(local.size).to.equal(2);
    expect(['key:1', 'key:2', 'key:3'].map((subject) => local.used(subject))).to.deep.equal([2, 0, 1]);
  });
});
