import { expect } from 'chai';
import { FillBook } from '../../../support/fillBook.ts';
import { type FixtureCoin, FixtureMarket } from '../../../support/fixtureMarket.ts';

const HYPE: FixtureCoin = { coin: 'HYPE', sizeDecimals: 2, maxLeverage: 10, mark: '37.826' };

/** EX-4.1: bought 2 at 37.829 with 10x isolated; cross cash is then 75.781884 as recorded. */
function recorded(): FillBook {
  return new FillBook(new FixtureMarket([HYPE]), '83.347684').setLeverage('HYPE', 10, 'isolated').filled('HYPE', {
    side: 'buy',
    price: '37.829',
    size: '2',
  });
}

const pools = (book: FillBook) => ({ cash: book.cash.toFixed(), bucket: book.positions.get(0)?.rawUsd.toFixed() });

describe('isolatedMargin: what a fill moves between cash and bucket', () => {
  it('EX-4.1: opening moves the initial margin, the bucket pays notional and fee', () => {
    expect(pools(recorded())).to.deep.equal({ cash: '75.781884', bucket: '-68.126246' });
  });

  it('EX-4.5b: a partial close releases its share at mark, PnL and fee stay', () => {
    const book = recorded();
    const { marginMovedUsd, fee } = book.fill('HYPE', { side: 'sell', price: '37.826', size: '0.6' });
    expect(marginMovedUsd?.toFixed()).to.equal('-2.257726');
    expect(fee.toFixed()).to.equal('0.010213');
    expect(pools(book)).to.deep.equal({ cash: '78.03961', bucket: '-47.698585' });
  });

  it('a full close brings back everything that is left', () => {
    const book = recorded();
    book.fill('HYPE', { side: 'sell', price: '38', size: '2' });
    // 83.347684 + 2 * (38 - 37.829) - 0.034046 - 0.0342
    expect(pools(book)).to.deep.equal({ cash: '83.621438', bucket: undefined });
  });

  it('a voluntary close beyond the bucket is charged to cash', () => {
    const book = recorded();
    book.market.setPrices('HYPE', { mark: '30' });
    book.fill('HYPE', { side: 'sell', price: '30', size: '2' });
    // The bucket held 7.5658 and lost 15.658.
    expect(pools(book)).to.deep.equal({ cash: '67.628638', bucket: undefined });
  });

  it('a partial close far below the mark leaves no loss to the rest of the bucket beyond what it holds', () => {
    const book = recorded();
    book.fill('HYPE', { side: 'sell', price: '20', size: '1.99' });
    const equity = book.position('HYPE').rawUsd.plus('0.37826');
    expect(equity.toFixed()).to.equal('0');
  });

  it('a partial close of a bankrupt bucket pays its share of the deficit from cash', () => {
    const book = recorded();
    book.market.setPrices('HYPE', { mark: '30' });
    // Equity -8.126246; half of it is charged, and the fee of 0.0135 that the bucket cannot bear.
    const { marginMovedUsd } = book.fill('HYPE', { side: 'sell', price: '30', size: '1' });
    expect(marginMovedUsd?.toFixed()).to.equal('4.076623');
    expect(book.position('HYPE').rawUsd.plus(30).toFixed()).to.equal('-4.063123');
  });

  it('a flip closes the bucket and opens another in one fill', () => {
    const book = recorded();
    const { fee, direction } = book.fill('HYPE', { side: 'sell', price: '38', size: '3' });
    expect(direction).to.equal('Long > Short');
    expect(fee.toFixed()).to.equal('0.0513');
    // The new short holds 38 of proceeds and 3.8 of margin less its part of the fee.
    expect(pools(book)).to.deep.equal({ cash: '79.821438', bucket: '41.7829' });
  });

  const freqtrade = [
    { coin: 'ETH', sizeDecimals: 4, size: '0.015', price: '2458.5', leverage: 1, margin: '36.8775' },
    { coin: 'BTC', sizeDecimals: 5, size: '0.00039', price: '63287', leverage: 1, margin: '24.68193' },
    { coin: 'SOL', sizeDecimals: 2, size: '0.33', price: '145.83', leverage: 2, margin: '24.06195' },
    { coin: 'DOGE', sizeDecimals: 0, size: '437', price: '0.11586', leverage: 2, margin: '25.31541' },
  ];
  for (const { coin, sizeDecimals, size, price, leverage, margin } of freqtrade) {
    it(`EX-4.5: ${coin} moves ${margin} in and pays the fee out of it`, () => {
      const market = new FixtureMarket([{ coin, sizeDecimals, maxLeverage: 20, mark: price }]);
      const book = new FillBook(market, '100').setLeverage(coin, leverage, 'isolated');
      const { marginMovedUsd, fee } = book.fill(coin, { side: 'buy', price, size });
      expect(marginMovedUsd?.toFixed()).to.equal(margin);
      const { rawUsd, entryNotional } = book.position(coin);
      expect(rawUsd.plus(entryNotional).toFixed()).to.equal(marginMovedUsd?.minus(fee).toFixed());
    });
  }

  it('the margin of a third of leverage is cut, equally in both pools', () => {
    const book = new FillBook(new FixtureMarket([HYPE]), '100').setLeverage('HYPE', 3, 'isolated');
    expect(book.fill('HYPE', { side: 'buy', price: '10', size: '1' }).marginMovedUsd?.toFixed()).to.equal('3.333333');
    expect(pools(book)).to.deep.equal({ cash: '96.666667', bucket: '-6.671167' });
  });

  it('edge 57: a falling mark shrinks the bucket and leaves cash alone', () => {
    const book = recorded();
    book.market.setPrices('HYPE', { mark: '37' });
    expect(pools(book)).to.deep.equal({ cash: '75.781884', bucket: '-68.126246' });
  });

  it('without a mark the share is taken at the entry price', () => {
    const book = recorded();
    book.market.removePrices('HYPE');
    // Equity at entry: -68.126246 + 75.658 = 7.531754, half of it.
    expect(book.fill('HYPE', { side: 'sell', price: '37.829', size: '1' }).marginMovedUsd?.toFixed()).to.equal('-3.765877');
  });
});
