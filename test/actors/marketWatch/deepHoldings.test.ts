// Of which coins a pod wants the aggregated book (rule 3.5): those in which an account holds, or has an order open for, more than one side displays.
import { expect } from 'chai';
import { beyondDisplayed, type Largest, noteLargest } from '../../../src/actors/marketWatch/deepHoldings.ts';
import { LiveMarket } from '../../../src/market/domain/liveMarket.ts';
import { book, given, place, type Scenario } from '../../support/scenario.ts';

describe('deepHoldings', () => {
  const market = new LiveMarket({ maxAgeMs: 15_000 });
  const universe = ['BTC', 'ETH', 'SOL'].map((name) => ({ name, szDecimals: 2, maxLeverage: 20, marginTableId: 20 }));
  market.apply({ type: 'meta', meta: { universe, marginTables: [] } });
  market.apply({
    type: 'book',
    coin: 'SOL',
    timeMs: 1,
    bids: [
      ['99.9', '4', 1],
      ['99.8', '2', 1],
    ],
    asks: [['100', '9', 1]],
  });
  const wantsOf = (...scenarios: Scenario[]) => {
    const largest = new Map<number, Largest>();
    for (const { account } of scenarios) noteLargest(largest, account);
    return [...beyondDisplayed(largest, market)];
  };
  const wide = book('SOL', [['99.9', '100']], [['100', '100']]);
  const long = (size: string) => given(wide, place({ size, limitPrice: '100', tif: 'ioc' }));

  it('a long of what the bids display is not wanted, of more it is', () => {
    expect(wantsOf(long('6'))).to.deep.equal([]);
    expect(wantsOf(long('6.01'))).to.deep.equal([['SOL', 6.01]]);
  });

  it('the largest of all accounts counts, and each side by itself', () => {
    expect(wantsOf(long('7'), long('8'), long('6.5'))).to.deep.equal([['SOL', 8]]);
    const short = given(wide, place({ side: 'sell', size: '8', limitPrice: '90', tif: 'ioc' }));
    expect(wantsOf(short), 'the asks display 9').to.deep.equal([]);
  });

  it('an order of more is wanted, too', () => {
    expect(wantsOf(given(place({ side: 'buy', size: '10', limitPrice: '90', tif: 'gtc' })))).to.deep.equal([['SOL', 10]]);
  });
});
