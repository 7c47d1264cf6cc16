// Liquidity that an account has taken comes back by three rules (3.2, 3.4): by the growth of its level, by public trades at its
// price, and by half for each half-life of 30 s at newer books. Without a newer book or trade nothing comes back, as taker and as
// maker. A reset forgets it, and a book that a test sets is new.
import { expect } from 'chai';
import fc from 'fast-check';
import { fromSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { TAKEN_HALF_LIFE_MS } from '../../../../src/actors/core/fills/takenLiquidity.ts';
import { nextDueMs } from '../../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import type { FixtureMarket } from '../../../support/fixtureMarket.ts';
import { book, given, type MarketMove, mark, place, type Scenario, trade, wait } from '../../../support/scenario.ts';

const BIDS = [['99.9', '50']] as const;
const asks = (...levels: (readonly [string, string])[]) => book('SOL', BIDS, levels);
const OTHER = ['101', '20'] as const;
const whole = asks(['100', '5'], OTHER);
const without = asks(OTHER);
const take = place({ size: '5', limitPrice: '100', tif: 'ioc' });
/** The mark has to be fresh for a fill. */
const fresh = mark('SOL', '100');
/** With the millisecond that a book takes: a newer book exactly at the end of a half-life. */
const HALF_LIFE = wait(TAKEN_HALF_LIFE_MS - 1);
const taken = (scenario: Scenario, price = '100') => scenario.account.consumption.get(2)?.ask.get(price);

describe('taken liquidity: what a level grows by is new', () => {
  it('EX-3.2d: missing in one book, it has nothing for who took it, and its growth is new', () => {
    given(whole, take, without, whole).when(take).thenEnds('iocCancelRejected');
    given(whole, take, without, asks(['100', '8'], OTHER))
      .when(take)
      .thenFills('buy 3 @ 100 taker');
  });

  it('a level that shrank below what was taken and grows again has its growth', () => {
    given(whole, take, asks(['100', '2'], OTHER), asks(['100', '6'], OTHER))
      .when(take)
      .thenFills('buy 4 @ 100 taker');
  });
});

describe('taken liquidity: it halves for each half-life since the last taking, at newer books', () => {
  it('EX-3.2e: 5 taken; 1 ms before 30 s nothing is back, at 30 s 2.5, at 60 s 3.75, at 90 s 4.38: cut to the lot', () => {
    const atMs = (ms: number) => given(whole, take, wait(ms - 1), whole, fresh).when(take);
    atMs(29_999).thenEnds('iocCancelRejected');
    atMs(30_000).thenFills('buy 2.5 @ 100 taker');
    atMs(59_999).thenFills('buy 2.5 @ 100 taker');
    atMs(60_000).thenFills('buy 3.75 @ 100 taker');
    atMs(90_000).thenFills('buy 4.38 @ 100 taker');
  });

  it('books in between change nothing of it: each half-life counts once', () => {
    const often = Array.from({ length: 20 }, () => [wait(4_999), whole]).flat();
    const scenario = given(whole, take, ...often);
    expect(taken(scenario)).to.include({ consumed: '0.62', halvings: 3 });
    expect(taken(given(whole, take, wait(99_999), whole))).to.deep.equal(taken(scenario));
  });

  it('the half-life begins again with a taking, and with it the count', () => {
    const scenario = given(whole, take, HALF_LIFE, whole, fresh, place({ size: '1', limitPrice: '100', tif: 'ioc' }));
    expect(taken(scenario)).to.deep.equal({ consumed: '3.5', lastFillFeedTimeMs: scenario.market.feedTimeMs(2) });
    scenario.given(wait(TAKEN_HALF_LIFE_MS - 2), whole);
    expect(taken(scenario)?.consumed).to.equal('3.5');
    scenario.given(whole);
    expect(taken(scenario)).to.include({ consumed: '1.75', halvings: 1 });
  });

  it('down to a whole lot: the last lot is back after the next half-life, and nothing is remembered', () => {
    const scenario = given(whole, place({ size: '0.11', limitPrice: '100', tif: 'ioc' }));
    const seen: unknown[] = [];
    for (let turn = 0; turn < 4; turn++) seen.push(taken(scenario.given(HALF_LIFE, whole))?.consumed);
    expect(seen).to.deep.equal(['0.05', '0.02', '0.01', undefined]);
    expect(scenario.account.consumption.size).to.equal(0);
  });

  it('a level that is gone or out of sight halves as well', () => {
    for (const [first, bids] of [
      ['101', BIDS],
      ['99.95', BIDS],
    ] as const) {
      const scenario = given(whole, take, book('SOL', bids, [[first, '1']]), HALF_LIFE, book('SOL', bids, [[first, '1']]));
      expect(taken(scenario)).to.include({ consumed: '2.5', halvings: 1 });
    }
  });

  it('halved first, then no more than is displayed', () => {
    const scenario = given(whole, take, HALF_LIFE, asks(['100', '3'], OTHER));
    expect(taken(scenario)?.consumed).to.equal('2.5');
    expect(taken(given(whole, take, HALF_LIFE, asks(['100', '2'], OTHER)))?.consumed).to.equal('2');
  });

  it('a snapshot keeps how often', () => {
    const { account } = given(whole, take, HALF_LIFE, whole);
    const stored = toSnapshot(account, NEWEST_FORMAT);
    expect(toSnapshot(fromSnapshot(stored), NEWEST_FORMAT)).to.equal(stored);
    expect(fromSnapshot(stored).consumption.get(2)?.ask.get('100')?.halvings).to.equal(1);
  });
});

describe('taken liquidity: what public trades take there has really gone', () => {
  it('EX-3.2f: 5 of 5 taken, a trade of 2 leaves 3 and a newer book with 5 has 2; one of 9 leaves nothing', () => {
    const scenario = given(whole, take, trade('SOL', ['buy', '100', '2']));
    expect(taken(scenario)?.consumed).to.equal('3');
    scenario.given(whole).when(take).thenFills('buy 2 @ 100 taker');
    expect(taken(given(whole, take, trade('SOL', ['buy', '100', '4'], ['buy', '100', '5'])))).to.equal(undefined);
  });

  it('not one at another price, of the other side, or from before the taking', () => {
    for (const [side, price] of [
      ['buy', '101'],
      ['sell', '100'],
      ['sell', '99.9'],
    ] as const)
      expect(taken(given(whole, take, trade('SOL', [side, price, '2'])))?.consumed).to.equal('5');
    const late: MarketMove = (market) => {
      const change = market.trade('SOL', ['buy', '100', '2']);
      return { ...change, trades: change.trades.map((one) => ({ ...one, timeMs: one.timeMs - 60_000 })) };
    };
    expect(taken(given(whole, take, late))?.consumed).to.equal('5');
  });

  it('one that comes twice in a message counts once', () => {
    const twice: MarketMove = (market) => {
      const change = market.trade('SOL', ['buy', '100', '2']);
      return { ...change, trades: [...change.trades, ...change.trades] };
    };
    expect(taken(given(whole, take, twice))?.consumed).to.equal('3');
  });

  it('an order that rests behind what it has taken is judged at the next book, not at the trade', () => {
    const scenario = given(whole, place({ size: '8', limitPrice: '100', tif: 'gtc' }));
    scenario
      .when(trade('SOL', ['buy', '100', '5']))
      .thenFills()
      .thenOpen('buy 3 @ 100');
    scenario.when(asks(['100', '2'], OTHER)).thenFills('buy 2 @ 100 maker');
  });
});

describe('taken liquidity: without a newer book or trade nothing comes back', () => {
  it('a taker who waits finds nothing, however long; no timer runs', () => {
    const scenario = given(whole, take, wait(3_600_000));
    expect(nextDueMs(scenario.account)).to.equal(undefined);
    expect(taken(scenario)?.consumed).to.equal('5');
  });

  it('a crossing Gtc that has taken the level gets what comes back as maker, by the same rules', () => {
    const scenario = given(whole, place({ size: '20', limitPrice: '100', tif: 'gtc' }));
    scenario.given(wait(29_998), fresh).when(whole).thenFills();
    scenario.when(whole).thenFills('buy 2.5 @ 100 maker');
    scenario.when(whole).thenFills().thenOpen('buy 12.5 @ 100');
  });
});

describe('taken liquidity: a reset forgets it, and a book that a test sets is new', () => {
  it('after a reset the level is whole again', () => {
    const scenario = given(whole, take, { type: 'resetAccount', plan: 'basic', balanceUsd: '10000' });
    expect(scenario.account.consumption.size).to.equal(0);
    scenario.when(take).thenFills('buy 5 @ 100 taker');
  });

  it('the same levels set again by a test are new, for taker and maker, before and after the account has seen the book', () => {
    const setByTest = (market: FixtureMarket) => market.setBook('SOL', { bids: BIDS, asks: [['100', '5'], OTHER], isSet: true });
    given(whole, take, setByTest).when(take).thenFills('buy 5 @ 100 taker');
    // The order comes before the account hears of the book.
    const unseen = given(whole, take, (market) => void setByTest(market));
    unseen.when(take).thenFills('buy 5 @ 100 taker');
    const resting = given(whole, place({ size: '8', limitPrice: '100', tif: 'gtc' }));
    resting.when(setByTest).thenFills('buy 3 @ 100 maker');
    // Liquidity that was taken since stays taken over later books of the same setting.
    given(whole, take, setByTest, take, whole).when(take).thenEnds('iocCancelRejected');
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
