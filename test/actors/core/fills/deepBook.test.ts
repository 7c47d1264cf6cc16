// The aggregated book beyond the displayed levels (rule 3.5): the sizes and prices that an order finds there. Sizes that the order
// took there stay taken when the fine levels of that range come into sight.
import { expect } from 'chai';
import fc from 'fast-check';
import { fromSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import type { Levels } from '../../../support/fixtureMarket.ts';
import { book, given, type MarketMove, mark, place, type Scenario, wait } from '../../../support/scenario.ts';

const BIDS = [['99.9', '50']] as const;
const asks = (...levels: (readonly [string, string])[]) => book('SOL', BIDS, levels);
/** The aggregated asks; the bids are of no interest. */
const deep =
  (...levels: (readonly [string, string])[]): MarketMove =>
  (market) =>
    void market.setDeep('SOL', { bids: [['99', '500']], asks: levels as Levels });
const shown = asks(['100', '5'], ['100.1', '10']);
const buckets = deep(['101', '40'], ['102', '30']);
const buy = (size: string, limitPrice = '105') => place({ size, limitPrice, tif: 'ioc' });
const fresh = mark('SOL', '100');
const fillsOf = ({ events }: Scenario) => events.flatMap((event) => (event.type === 'orderFilled' ? [event] : []));

describe('the aggregated book: an order finds it beyond the last displayed level', () => {
  it('EX-3.5, edge 93: a bucket at its worst price, without what is displayed of it; evidence says so', () => {
    const scenario = given(shown, buckets).when(buy('45'));
    scenario.thenFills('buy 5 @ 100 taker', 'buy 10 @ 100.1 taker', 'buy 25 @ 101 taker', 'buy 5 @ 102 taker');
    expect(fillsOf(scenario).map(({ evidence }) => [evidence.displayed, evidence.deepFrom])).to.deep.equal([
      ...[
        ['5', undefined],
        ['10', undefined],
        ['25', '100.1'],
        ['30', '101'],
      ],
    ]);
    expect(fillsOf(scenario)[2]?.evidence.deepTimeMs).to.be.a('number');
  });

  it('edge 95: only up to the limit, and never a part of a bucket that reaches beyond it', () => {
    given(shown, buckets).when(buy('60', '101')).thenFills('buy 5 @ 100 taker', 'buy 10 @ 100.1 taker', 'buy 25 @ 101 taker');
    given(shown, buckets).when(buy('60', '100.9')).thenFills('buy 5 @ 100 taker', 'buy 10 @ 100.1 taker');
  });

  it('edge 94: a bucket of which everything is displayed has nothing more', () => {
    given(shown, deep(['101', '15'], ['103', '4']))
      .when(buy('60'))
      .thenFills(...['buy 5 @ 100 taker', 'buy 10 @ 100.1 taker', 'buy 4 @ 103 taker']);
  });

  it('a level that is gone from a later book is gone, not out of sight', () => {
    given(shown, deep(['101', '15']), asks(['100', '5']), fresh)
      .when(buy('60'))
      .thenFills('buy 5 @ 100 taker');
  });

  it('buckets that the displayed levels have overtaken do not count', () => {
    given(asks(['100', '5'], ['101.5', '1']), buckets)
      .when(buy('60'))
      .thenFills(...['buy 5 @ 100 taker', 'buy 1 @ 101.5 taker', 'buy 29 @ 102 taker']);
  });

  it('edge 95: one that is as old as no displayed book may be is not there; a millisecond before it is', () => {
    const until = (ms: number) => given(buckets, wait(ms), shown, fresh).when(buy('20'));
    until(14_998).thenFills('buy 5 @ 100 taker', 'buy 10 @ 100.1 taker', 'buy 5 @ 101 taker');
    until(15_001).thenFills('buy 5 @ 100 taker', 'buy 10 @ 100.1 taker');
  });

  it('a stop and a sell find it on their side', () => {
    const bids = book('SOL', [['99.9', '50']], [['100', '5']]);
    const below: MarketMove = (market) =>
      void market.setDeep('SOL', {
        bids: [
          ['99', '80'],
          ['98', '10'],
        ],
        asks: [],
      });
    given(bids, below)
      .when(place({ side: 'sell', size: '90', limitPrice: '90', tif: 'ioc' }))
      .thenFills('sell 50 @ 99.9 taker', 'sell 30 @ 99 taker', 'sell 10 @ 98 taker');
  });
});

describe('the aggregated book: what was taken stays taken', () => {
  it('the same bucket again has what is left of it', () => {
    given(shown, buckets, buy('30')).when(buy('30')).thenFills('buy 10 @ 101 taker', 'buy 20 @ 102 taker');
  });

  it('EX-3.5, edge 96: it counts against the fine levels of its range when they come into sight, the best first; beyond the range nothing is counted', () => {
    const scenario = given(shown, buckets, buy('30'));
    scenario.given(asks(['100', '5'], ['100.1', '10'], ['100.5', '8'], ['100.9', '9'], ['101.2', '3']), deep(), fresh);
    // 15 of the range above 100.1 were taken: 8 at 100.5 and 7 of 9 at 100.9.
    scenario.when(buy('60')).thenFills('buy 2 @ 100.9 taker', 'buy 3 @ 101.2 taker');
    scenario.when(buy('60')).thenEnds('iocCancelRejected');
  });

  it('a part of the range in sight: what is left of it counts against the bucket', () => {
    const scenario = given(shown, buckets, buy('30'));
    // 8 of the 15 are seen; the bucket has 40 - 15 - 8 = 17, of which the other 7 were taken.
    scenario.given(asks(['100', '5'], ['100.1', '10'], ['100.5', '8']), buckets, fresh);
    scenario.when(buy('60', '101')).thenFills('buy 10 @ 101 taker');
  });

  it('finer buckets of a range of which was taken have as much less together', () => {
    const scenario = given(shown, deep(['110', '100']), buy('55', '110'));
    scenario.given(deep(['101', '35'], ['102', '30'], ['103', '40']), fresh);
    // 40 of (100.1, 110] were taken: 20 of (100.1, 101], 20 of (101, 102].
    scenario.when(buy('100', '103')).thenFills('buy 10 @ 102 taker', 'buy 40 @ 103 taker');
  });

  it('a snapshot keeps the range', () => {
    const { account } = given(shown, buckets, buy('30'));
    const stored = toSnapshot(account, NEWEST_FORMAT);
    expect(toSnapshot(fromSnapshot(stored), NEWEST_FORMAT)).to.equal(stored);
    expect(fromSnapshot(stored).consumption.get(2)?.ask.get('101')).to.include({ consumed: '15', from: '100.1' });
  });

  it('whatever is shown and taken: never more than bucket and levels have had at any time', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 3 });
    const step = fc.record({ isInSight: fc.boolean(), wanted: fc.integer({ min: 1, max: 40 }) });
    fc.assert(
      fc.property(sizes, fc.array(step, { minLength: 1, maxLength: 8 }), (fine, steps) => {
        const levels = fine.flatMap((size, at) => (size === 0 ? [] : [[`100.${at + 3}`, String(size)] as const]));
        const total = 15 + fine.reduce((sum, size) => sum + size, 0);
        const scenario = given();
        let bought = 0;
        for (const { isInSight, wanted } of steps) {
          scenario.given(isInSight ? asks(['100', '5'], ['100.1', '10'], ...levels) : shown, deep(['101', String(total)]), fresh);
          scenario.when(buy(String(wanted)));
          for (const { size } of fillsOf(scenario)) bought += Number(size);
          expect(bought).to.be.at.most(total);
        }
      }),
    );
  });
});
