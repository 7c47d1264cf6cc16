import { expect } from 'chai';
import type { OwnBookView } from '../../../../src/actors/core/messages/ownMarket.ts';
import { ownBook } from '../../../../src/actors/core/views/ownBook.ts';
import { book, given, place, type Scenario, trade, wait } from '../../../support/scenario.ts';

const SOL = 2;
const BIDS = [
  ['99.9', '5'],
  ['99.5', '40'],
] as const;
const ASKS = [
  ['100', '5'],
  ['100.5', '8'],
] as const;
const market = book('SOL', BIDS, ASKS);

function seen({ account, market: view }: Scenario): OwnBookView {
  return ownBook(account, SOL, { market: view, nowMs: view.nowMs }).own;
}

describe('ownBook: the displayed book as the account finds it', () => {
  it('nothing where the account has neither an order nor taken anything', () => {
    const scenario = given(market);
    const shown = scenario.market.book(SOL);
    expect(seen(scenario)).to.deep.include({ bids: [], asks: [], bookTimeMs: shown?.timeMs, bookVersion: shown?.version });
  });

  it('what it has taken of a level, and nothing of the next one', () => {
    const { asks, bids } = seen(given(market, place({ size: '3', limitPrice: '100', tif: 'ioc' })));
    expect(asks).to.deep.equal([{ price: '100.0', displayed: '5.0', consumed: '3.0' }]);
    expect(bids).to.deep.equal([]);
  });

  it('own orders of one price together, behind the queue of the first', () => {
    const orders = [
      { size: '10', limitPrice: '99.5' },
      { size: '2', limitPrice: '99.5' },
      { size: '1', limitPrice: '99.9' },
    ];
    // The order at 99.9 takes 1 of the trade of 30, and 29 of the queue are passed.
    const { bids } = seen(given(market, place(...orders), trade('SOL', ['sell', '99.5', '30'])));
    expect(bids).to.deep.equal([{ price: '99.5', displayed: '40.0', own: { size: '12.0', orders: 2, ahead: '11' } }]);
  });

  it('an order between the levels has nothing before it; one beyond them waits out of sight', () => {
    const { asks } = seen(
      given(market, place({ side: 'sell', size: '1', limitPrice: '100.2' }, { side: 'sell', size: '1', limitPrice: '110' })),
    );
    expect(asks).to.deep.equal([
      { price: '100.2', displayed: '0.0', own: { size: '1.0', orders: 1, ahead: '0' } },
      { price: '110.0', own: { size: '1.0', orders: 1, ahead: 'unknown' } },
    ]);
  });

  it('the best 50 prices of a side, however many the account has', () => {
    const prices = Array.from({ length: 60 }, (_, i) => ({ size: '1', limitPrice: String(98 - i / 10) }));
    const { bids } = seen(given(market, place(...prices)));
    expect(bids.length).to.equal(50);
    expect(bids.at(-1)?.price).to.equal('93.1');
  });

  it('how old it is, in the words of a refusal, once it is too old to trade on', () => {
    expect(seen(given(market)).staleAge).to.equal(undefined);
    expect(seen(given(market, wait(15_300))).staleAge).to.equal('15.3 s');
  });
});
