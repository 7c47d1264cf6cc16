// A book that comes before the trades it contains (rule 3.2). The book shortens a queue, or an account's taken liquidity, and no
// later trade shortens it once more.
import { expect } from 'chai';
import fc from 'fast-check';
import type { FillModel } from '../../../../src/actors/core/messages/terms.ts';
import {
  book,
  deposit,
  given,
  lateTrade,
  type MarketMove,
  place,
  Scenario,
  type Step,
  trade,
  wait,
} from '../../../support/scenario.ts';

const PRICE = '99.5';
const shows = (size: number) => book('SOL', [['99.9', '5'], ...(size > 0 ? [[PRICE, String(size)] as const] : []), ['99', '50']], [['100', '5']]); // biome-ignore format: one line reads as a book
const bid = place({ size: '10', limitPrice: PRICE });
const sold = (size: number) => trade('SOL', ['sell', PRICE, String(size)]);
const late = (size: number) => lateTrade('SOL', ['sell', PRICE, String(size)]);
const behind = (size: number, model: FillModel = 'queue') =>
  new Scenario().given(
    deposit('10000'),
    { type: 'setTerms', terms: model === 'queue' ? {} : { fillModel: model } },
    shows(size),
    bid,
    wait(10),
  );

describe('books that come before their trades: the queue', () => {
  it('EX-3.2g: 6 of 10 ahead are traded; after the book that shows it the trade fills nothing', () => {
    const scenario = behind(10).given(shows(4)).when(late(6)).thenFills();
    expect(scenario.ahead).to.deep.equal(['4']);
    // The next trade comes before its book.
    scenario.given(wait(10)).when(sold(7)).thenFills('buy 3 @ 99.5 maker');
  });

  it('a trade beyond what the book took off goes on, as in the other order', () => {
    behind(10).given(shows(0)).when(late(12)).thenFills('buy 2 @ 99.5 maker');
    behind(10).given(sold(12)).thenFills('buy 2 @ 99.5 maker');
  });

  it('an older book than the trade has not shown it: cancels before it count', () => {
    behind(10).given(shows(4), wait(10)).when(sold(6)).thenFills('buy 2 @ 99.5 maker');
  });

  it('two books, then their two trades, each of the time of its book', () => {
    const ofFirst: MarketMove = (market) => {
      const change = market.lateTrade('SOL', ['sell', PRICE, '6']);
      return { ...change, trades: change.trades.map((one) => ({ ...one, timeMs: one.timeMs - 11 })) };
    };
    const scenario = behind(20).given(shows(14), wait(10), shows(9));
    scenario.when(ofFirst).thenFills();
    scenario.when(late(5)).thenFills();
    expect(scenario.ahead).to.deep.equal(['9']);
  });

  it('of many books before the trade the oldest are told apart no more: never less than it has', () => {
    const scenario = behind(30);
    for (let size = 29; size >= 20; size -= 1) scenario.given(wait(10), shows(size));
    const [order] = scenario.account.orders.values();
    expect(order?.resting.takenOff?.map(([, size]) => size)).to.deep.equal(['7', '1', '1', '1']);
    scenario.when(late(1)).thenFills();
    expect(scenario.ahead).to.deep.equal(['20']);
  });

  it('a queue that a book shows for the first time has lost the trades before it already', () => {
    const scenario = given(book('SOL', [['99.9', '5']], [['100', '5']]), bid, wait(10), shows(8));
    scenario.when(late(20)).thenFills();
    expect(scenario.ahead).to.deep.equal(['8']);
    scenario.given(wait(10)).when(sold(20)).thenFills('buy 10 @ 99.5 maker');
  });

  it('a trade through the price fills all the same', () => {
    behind(10)
      .given(shows(4))
      .when(lateTrade('SOL', ['sell', '99.4', '6']))
      .thenFills('buy 6 @ 99.5 maker');
  });

  it('probable: the trade takes from the front what its book took for cancels', () => {
    const scenario = behind(40, 'probable').given(shows(60), wait(10), shows(50));
    expect(scenario.ahead, '10 x 1600 / 2000 were ahead').to.deep.equal(['32']);
    scenario.when(late(10)).thenFills();
    expect(scenario.ahead).to.deep.equal(['30']);
  });

  const step = fc.oneof(
    fc.record({
      kind: fc.constantFrom('join' as const, 'cancelAhead' as const, 'cancelBehind' as const),
      size: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({ kind: fc.constant('trade' as const), size: fc.integer({ min: 1, max: 14 }), bookFirst: fc.boolean() }),
  );
  it('queue: places and fills are the same in either order, and never more than in truth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 14 }), (first, steps) => {
        let [ahead, behindIt, truth] = [first, 0, 0];
        const [inOrder, mixed] = [behind(first), behind(first)];
        for (const each of steps) {
          if (each.kind === 'join') behindIt += each.size;
          else if (each.kind === 'cancelAhead') ahead -= Math.min(ahead, each.size);
          else if (each.kind === 'cancelBehind') behindIt -= Math.min(behindIt, each.size);
          else {
            const used = Math.min(ahead, each.size);
            const own = Math.min(10 - truth, each.size - used);
            [ahead, truth, behindIt] = [ahead - used, truth + own, Math.max(0, behindIt - (each.size - used - own))];
          }
          const now = shows(ahead + behindIt);
          const moves = (bookFirst: boolean): Step[] => {
            if (each.kind !== 'trade') return [now];
            return bookFirst ? [now, late(each.size)] : [sold(each.size), now];
          };
          inOrder.given(wait(10), ...moves(false));
          mixed.given(wait(10), ...moves(each.kind === 'trade' && each.bookFirst));
          const filled = (scenario: Scenario) => Number(scenario.account.positions.get(2)?.signedSize ?? 0);
          expect([filled(mixed), mixed.ahead]).to.deep.equal([filled(inOrder), inOrder.ahead]);
          expect(filled(mixed)).to.be.at.most(truth);
        }
      }),
    );
  });
});

describe('books that come before their trades: what was taken', () => {
  const asks = (size: string) => book('SOL', [['99', '50']], [['100', size], ['101', '20']]); // biome-ignore format: one line reads as a book
  const take = (size: string) => place({ size, limitPrice: '100', tif: 'ioc' });
  const bought = (size: string) => lateTrade('SOL', ['buy', '100', size]);
  const taken = ({ account }: Scenario) => account.consumption.get(2)?.ask.get('100')?.consumed;

  it('EX-3.2h: 10 of 10 taken, 4 traded by others; the book with 6 first: nothing is back', () => {
    const scenario = given(asks('10'), take('10'), wait(10), asks('6'), bought('4'));
    expect(taken(scenario)).to.equal('6');
    scenario.when(take('1')).thenEnds('iocCancelRejected');
    expect(taken(given(asks('10'), take('10'), wait(10), trade('SOL', ['buy', '100', '4']), asks('6')))).to.equal('6');
  });

  it('what a later trade takes counts, and another taking begins again', () => {
    const scenario = given(asks('10'), take('10'), wait(10), asks('6'), bought('4'), wait(10), trade('SOL', ['buy', '100', '2']));
    expect(taken(scenario)).to.equal('4');
    scenario.given(asks('7'), take('3'));
    expect(taken(scenario)).to.equal('7');
    expect(scenario.account.consumption.get(2)?.ask.get('100')).to.not.have.property('takenOff');
  });
});

describe('trades inside a range of which something was taken (rule 3.5)', () => {
  const shown = book('SOL', [['99.9', '50']], [['100', '5'], ['100.1', '10']]); // biome-ignore format: one line reads as a book
  const deep: Step = (market) => void market.setDeep('SOL', { bids: [['99', '500']], asks: [['101', '40'], ['102', '30']] }); // biome-ignore format: one line reads as a book
  const bought = (price: string, size: string) => trade('SOL', ['buy', price, size]);
  const leftAfter = (...moves: Step[]) => {
    const { account } = given(shown, deep, place({ size: '30', limitPrice: '105', tif: 'ioc' }), wait(10), ...moves);
    return [...(account.consumption.get(2)?.ask ?? [])].map(([price, { consumed }]) => `${consumed} to ${price}`);
  };

  it('EX-3.5b: 15 taken up to 101; 4 that others take at 100.5 have really gone', () => {
    expect(leftAfter()).to.deep.equal(['5 to 100', '10 to 100.1', '15 to 101']);
    expect(leftAfter(bought('100.5', '4'))).to.deep.equal(['5 to 100', '10 to 100.1', '11 to 101']);
    expect(leftAfter(bought('101', '4'))).to.deep.equal(['5 to 100', '10 to 100.1', '11 to 101']);
    expect(leftAfter(bought('100.5', '20'))).to.deep.equal(['5 to 100', '10 to 100.1']);
  });

  it('a trade beyond it, or of the other side, brings nothing back; one at a level counts there alone', () => {
    expect(leftAfter(bought('101.5', '4'))).to.have.length(3);
    expect(leftAfter(trade('SOL', ['sell', '100.5', '4']))).to.have.length(3);
    expect(leftAfter(bought('100.1', '4'))).to.deep.equal(['5 to 100', '6 to 100.1', '15 to 101']);
  });
});
