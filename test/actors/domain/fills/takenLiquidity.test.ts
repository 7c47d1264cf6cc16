// What an account has taken from the book stays taken (rules 3.2, 3.4): over books that do not show the level for a while, over books that
// stand still for as long as they like, as taker and as maker. Only what a level grows by, and a level that was gone for 30 s, is new.
import { expect } from 'chai';
import fc from 'fast-check';
import { fromSnapshot, toSnapshot } from '../../../../src/actors/domain/account/snapshot.ts';
import { TAKEN_KEPT_MS } from '../../../../src/actors/domain/fills/bookLiquidity.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { book, given, mark, place, type Scenario, wait } from '../../../support/scenario.ts';

const BIDS = [['99.9', '50']] as const;
const asks = (...levels: (readonly [string, string])[]) => book('SOL', BIDS, levels);
const OTHER = ['101', '20'] as const;
const whole = asks(['100', '5'], OTHER);
const without = asks(OTHER);
const take = place({ size: '5', limitPrice: '100', tif: 'ioc' });
/** With the millisecond that a book takes: the last one in which a gone level is kept. */
const ALMOST_MS = TAKEN_KEPT_MS - 2;
/** The mark has to be fresh for a fill. */
const fresh = mark('SOL', '100');

describe('taken liquidity: a level that is missing for a while comes back as it was left', () => {
  it('EX-3.2d: missing in one book, it has nothing for who took it, and its growth is new', () => {
    given(whole, take, without, whole).when(take).thenEnds('iocCancelRejected');
    given(whole, take, without, asks(['100', '8'], OTHER))
      .when(take)
      .thenFills('buy 3 @ 100 taker');
  });

  it('back 1 ms before 30 s of feed time it is the same level, from 30 s on another', () => {
    const gone = given(whole, take, without);
    gone.given(wait(ALMOST_MS), whole, fresh).when(take).thenEnds('iocCancelRejected');
    const longer = given(whole, take, without);
    longer
      .given(wait(ALMOST_MS + 1), whole, fresh)
      .when(take)
      .thenOutcomes('filled 5 @ 100');
  });

  it('the time counts from the first book without the level, not from the last', () => {
    const scenario = given(whole, take, without, wait(TAKEN_KEPT_MS / 2), without, wait(TAKEN_KEPT_MS / 2), without);
    expect(scenario.account.consumption.size).to.equal(0);
  });

  it('what comes back in time is known by the next gap, whose 30 s begin anew', () => {
    const scenario = given(whole, take, without, wait(ALMOST_MS), whole, without, wait(ALMOST_MS), whole, fresh);
    scenario.when(take).thenEnds('iocCancelRejected');
  });

  it('a level out of sight is kept and dropped in the same way', () => {
    const far = asks(['99.95', '1']);
    const level = (scenario: Scenario) => scenario.account.consumption.get(2)?.ask.get('100')?.consumed;
    const scenario = given(whole, take, far, wait(ALMOST_MS), far);
    expect(level(scenario)).to.equal('5');
    scenario.given(far);
    expect(level(scenario)).to.equal(undefined);
  });

  it('a snapshot keeps since when a level is gone', () => {
    const { account } = given(whole, take, without);
    const stored = toSnapshot(account, NEWEST_FORMAT);
    expect(toSnapshot(fromSnapshot(stored), NEWEST_FORMAT)).to.equal(stored);
    expect(fromSnapshot(stored).consumption.get(2)?.ask.get('100')?.goneFeedTimeMs).to.be.a('number');
  });
});

describe('taken liquidity: a frozen book gives nothing new', () => {
  it('a taker who waits for an hour finds nothing', () => {
    const scenario = given(whole, take);
    for (let minute = 0; minute < 60; minute++) scenario.given(wait(60_000), whole, fresh);
    scenario.when(take).thenEnds('iocCancelRejected');
  });

  it('a crossing Gtc that has taken the level rests, and gets nothing more as maker', () => {
    const scenario = given(whole, place({ size: '20', limitPrice: '100', tif: 'gtc' }));
    for (let turn = 0; turn < 10; turn++) scenario.given(wait(31_000), fresh).when(whole).thenFills();
    scenario.thenOpen('buy 15 @ 100');
  });
});

describe('taken liquidity: never more than a level has shown', () => {
  it('whatever is taken, shown and hidden: the first size and what it grew by, and no more levels than were shown', () => {
    const step = fc.record({
      ms: fc.integer({ min: 1, max: 2000 }),
      shown: fc.integer({ min: 0, max: 9 }),
      wanted: fc.integer({ min: 0, max: 12 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const scenario = given();
        let [offered, last, taken] = [0, 0, 0];
        for (const { ms, shown, wanted } of steps) {
          scenario.given(wait(ms), shown === 0 ? without : asks(['100', String(shown)], OTHER), fresh);
          if (shown > 0) [offered, last] = [offered + Math.max(0, shown - last), shown];
          if (wanted === 0) continue;
          scenario.when(place({ size: String(wanted), limitPrice: '100', tif: 'ioc' }));
          for (const event of scenario.events) if (event.type === 'orderFilled') taken += Number(event.size);
          expect(taken).to.be.at.most(offered);
          expect(scenario.account.consumption.get(2)?.ask.size ?? 0).to.be.at.most(1);
        }
      }),
    );
  });
});
