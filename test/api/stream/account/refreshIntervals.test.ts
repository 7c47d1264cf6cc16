import { expect } from 'chai';
import { RefreshIntervals } from '../../../../src/api/stream/account/refreshIntervals.ts';

describe('refreshIntervals: how soon a state is shown again', () => {
  let nowMs: number;
  let intervals: RefreshIntervals;

  beforeEach(() => {
    nowMs = 1_000_000;
    intervals = new RefreshIntervals(() => nowMs);
  });

  class Watcher {
    readonly userId: string;
    readonly views: object[];

    constructor(userId: string, count: number) {
      this.userId = userId;
      this.views = Array.from({ length: count }, () => ({}));
    }

    /** Shows all, and a second later again. @returns the interval after that */
    show(isMoving = true): number {
      return Math.max(...this.views.map((view) => intervals.nextMs(view, { userId: this.userId, isMoving })));
    }
  }
  const watchers = (accounts: number, viewsEach: number): Watcher[] =>
    Array.from({ length: accounts }, (_, i) => new Watcher(`0x${i}`, viewsEach));
  /** The intervals once all are known. */
  const shown = (all: readonly Watcher[], isMoving = true): number[] => {
    for (const watcher of all) watcher.show(isMoving);
    nowMs += 1000;
    return all.map((watcher) => watcher.show(isMoving));
  };
  const one = ([first]: readonly number[]): number => first ?? Number.NaN;

  it('of one account: each second, and no more than 20 a second', () => {
    expect(one(shown([new Watcher('0xa', 1)]))).to.equal(1000);
    expect(one(shown([new Watcher('0xb', 20)]))).to.equal(1000);
    expect(one(shown([new Watcher('0xc', 40)]))).to.equal(2000);
    expect(one(shown([new Watcher('0xd', 1000)]))).to.equal(50_000);
  });

  for (const [accounts, everyMs] of [
    [1000, 1000],
    [2000, 2000],
    [10_000, 10_000],
  ] as const) {
    it(`of ${accounts} accounts: no more than 1,000 a second`, () =>
      expect(shown(watchers(accounts, 1)).every((ms) => ms === everyMs)).to.equal(true));
  }

  it('an account with few states has them each second, whatever others show', () => {
    const few = new Watcher('0xfew', 4);
    const [fewMs, ...others] = shown([few, ...watchers(60, 1000)]);
    expect(fewMs).to.equal(1000);
    const perSecond = others.reduce((sum, ms) => sum + 1_000_000 / ms, 4);
    expect(perSecond).to.be.within(950, 1001);
  });

  it('what prices do not move comes each five seconds, and counts so', () => {
    expect(one(shown([new Watcher('0xa', 1)], false))).to.equal(5000);
    expect(one(shown([new Watcher('0xb', 100)], false))).to.equal(5000);
    expect(one(shown([new Watcher('0xc', 200)], false))).to.equal(10_000);
  });

  it('states are shown at moments 50 ms apart, and keep their pace', () => {
    const view = {};
    let shownMs = nowMs + 1003;
    for (let i = 1; i <= 10; i++) {
      nowMs = shownMs + 4;
      shownMs = nowMs + intervals.nextMs(view, { userId: '0xa', isMoving: true });
      expect(shownMs).to.equal(1_001_000 + 1000 * i);
    }
  });

  it('counts a view once, and no more when it is forgotten', () => {
    const all = new Watcher('0xa', 40);
    all.show();
    all.show();
    expect(all.show()).to.equal(2000);
    for (const view of all.views.slice(0, 10)) intervals.forget(view, '0xa');
    for (const view of all.views.slice(10, 20)) intervals.nextMs(view, { userId: '0xa', isMoving: false });
    expect(intervals.nextMs(all.views[30] as object, { userId: '0xa', isMoving: true })).to.equal(1100);
  });

  it('entries are shown at once, and when there are many, 20 a second', () => {
    const waits = Array.from({ length: 60 }, () => intervals.afterEntryMs('0xa'));
    expect(waits.slice(0, 40).every((ms) => ms === 20)).to.equal(true);
    expect(waits.at(-1)).to.equal(1000);
    expect(intervals.afterEntryMs('0xb')).to.equal(20);
    nowMs += 3000;
    expect(intervals.afterEntryMs('0xa')).to.equal(20);
  });
});
