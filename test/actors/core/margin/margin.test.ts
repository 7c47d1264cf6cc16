import { expect } from 'chai';
import fc from 'fast-check';
import {
  accountValue,
  crossAccountValue,
  freeMargin,
  totalHolds,
  withdrawable,
} from '../../../../src/actors/core/margin/margin.ts';
import { FillBook } from '../../../support/fillBook.ts';
import { type FixtureCoin, FixtureMarket } from '../../../support/fixtureMarket.ts';

const flat = (cashUsd: string) => new FillBook(new FixtureMarket(), cashUsd);
const free = (book: FillBook) => freeMargin(book, book.market).toFixed(6);
const leaving = (book: FillBook) => withdrawable(book, book.market).toFixed();

describe('margin: what is free for new orders', () => {
  it('EX-4.1b: cross account value moves with the mark', () => {
    const book = flat('1000').setLeverage('ETH', 10).filled('ETH', { side: 'buy', price: '2000', size: '0.5' });
    expect(crossAccountValue(book, book.market).toFixed()).to.equal('999.55');
    expect(free(book)).to.equal('899.550000');
    book.market.setPrices('ETH', { mark: '2100' });
    expect(crossAccountValue(book, book.market).toFixed()).to.equal('1049.55');
    expect(free(book)).to.equal('944.550000');
  });

  it('edge 54: free margin is negative after a loss', () => {
    const book = flat('60').setLeverage('ETH', 20).filled('ETH', { side: 'buy', price: '2000', size: '0.5' });
    book.market.setPrices('ETH', { mark: '1960' });
    expect(free(book)).to.equal('-9.450000');
  });

  it('edge 56: orders of cross and isolated coins hold from the same cash', () => {
    const book = flat('1000').setLeverage('ISO', 5, 'isolated').setLeverage('SOL', 10);
    book.resting('ISO', 'buy', '10', '50').resting('SOL', 'buy', '1', '100');
    expect([free(book), leaving(book)]).to.deep.equal(['890.000000', '890']);
  });

  it('an isolated position leaves cross cash alone when its mark falls', () => {
    const book = flat('1000').setLeverage('ISO', 5, 'isolated').filled('ISO', { side: 'buy', price: '50', size: '10' });
    expect(free(book)).to.equal('900.000000');
    book.market.setPrices('ISO', { mark: '45' });
    expect(free(book)).to.equal('900.000000');
    expect(crossAccountValue(book, book.market).toFixed()).to.equal('900');
    expect(accountValue(book, book.market).toFixed()).to.equal('949.775');
  });

  it('three holds of thirds add up to the whole: nothing is lost in quotients', () => {
    const book = flat('100');
    for (const coin of ['BTC', 'ETH', 'SOL']) book.setLeverage(coin, 3).resting(coin, 'buy', '1', '100');
    expect(freeMargin(book, book.market).isNeg()).to.equal(false);
    book.cash = book.cash.minus('0.000001');
    expect(freeMargin(book, book.market).isNeg()).to.equal(true);
  });

  it('a position without a mark counts at its entry price', () => {
    const book = flat('1000').setLeverage('ETH', 10).filled('ETH', { side: 'buy', price: '2000', size: '0.5' });
    book.market.removePrices('ETH');
    expect(free(book)).to.equal('899.550000');
  });
});

describe('margin: what may leave the account', () => {
  it('EX-4.6: a resting order holds at its limit price', () => {
    const book = flat('51.64387').setLeverage('BTC', 2).resting('BTC', 'buy', '0.0005', '65000');
    expect(leaving(book)).to.equal('35.39387');
  });

  it('EX-4.7: ten percent of the notional stays at high leverage', () => {
    const coin: FixtureCoin = { coin: 'X', sizeDecimals: 0, maxLeverage: 20, mark: '10070203.00134' };
    const book = new FillBook(new FixtureMarket([coin]), '1008998.241837').held('X', { signedSize: '1', entryPrice: '1' });
    book.cash = book.cash.minus('10070203.00134');
    expect(leaving(book)).to.equal('1977.941703');
  });

  it('EX-4.7b: one recorded position', () => {
    const coin: FixtureCoin = { coin: 'X', sizeDecimals: 0, maxLeverage: 20, mark: '5873.49' };
    const book = new FillBook(new FixtureMarket([coin]), '929.919372').held('X', { signedSize: '-1', entryPrice: '1' });
    book.cash = book.cash.plus('5873.49');
    expect(leaving(book)).to.equal('342.570372');
  });

  it('EX-4.7c: per position, not in total', () => {
    const coins = ['A', 'B'].map((coin): FixtureCoin => ({ coin, sizeDecimals: 0, maxLeverage: 20, mark: '1' }));
    const book = new FillBook(new FixtureMarket(coins), '500').setLeverage('A', 20).setLeverage('B', 5);
    book.held('A', { signedSize: '1000', entryPrice: '1' }).held('B', { signedSize: '-600', entryPrice: '1' });
    book.cash = book.cash.minus('400');
    expect(leaving(book)).to.equal('280');
  });

  it('edge 62: at 50x initial margin is 2 %, but 10 % stay', () => {
    const coin: FixtureCoin = { coin: 'X', sizeDecimals: 0, maxLeverage: 50, mark: '1000' };
    const book = new FillBook(new FixtureMarket([coin]), '200').setLeverage('X', 50);
    book.filled('X', { side: 'buy', price: '1000', size: '1' });
    expect([free(book), leaving(book)]).to.deep.equal(['179.550000', '99.55']);
  });

  it('is never negative, and cut after 6 decimals', () => {
    expect(leaving(flat('10').setLeverage('SOL', 1).resting('SOL', 'buy', '1', '100'))).to.equal('0');
    expect(leaving(flat('100').setLeverage('SOL', 3).resting('SOL', 'buy', '1', '100'))).to.equal('66.666666');
  });
});

describe('margin: invariants over random fills', () => {
  const fill = fc.record({
    coin: fc.constantFrom('BTC', 'ETH', 'SOL', 'ISO'),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    size: fc.integer({ min: 1, max: 500 }).map((lots) => String(lots / 100)),
    price: fc.integer({ min: 100, max: 20_000 }).map((ticks) => String(ticks / 100)),
  });

  it('invariant 6: flat accounts are worth their cash', () => {
    const book = flat('123.456789');
    expect(accountValue(book, book.market).toFixed()).to.equal('123.456789');
    expect(leaving(book)).to.equal('123.456789');
  });

  it('invariant 6: closing all positions leaves cash alone and no bucket', () => {
    fc.assert(
      fc.property(fc.array(fill, { maxLength: 12 }), (fills) => {
        const book = flat('10000');
        for (const { coin, ...fields } of fills) book.fill(coin, fields);
        for (const { coin, signedSize } of [...book.positions.values()]) {
          book.fill(coin, { side: signedSize.isPos() ? 'sell' : 'buy', price: '50', size: signedSize.abs().toFixed() });
        }
        expect(book.positions.size).to.equal(0);
        expect(accountValue(book, book.market).eq(book.cash)).to.equal(true);
        expect(freeMargin(book, book.market).eq(book.cash)).to.equal(true);
      }),
    );
  });

  it('invariant 22: fills of an isolated coin change only its bucket and the margin moved', () => {
    fc.assert(
      fc.property(fc.array(fill, { maxLength: 12 }), (fills) => {
        const book = flat('10000');
        for (const { coin, ...fields } of fills) {
          const cash = book.cash;
          const { marginMovedUsd } = book.fill(coin, fields);
          if (coin === 'ISO') expect(book.cash.eq(cash.minus(marginMovedUsd ?? 0))).to.equal(true);
        }
        for (const { marginMode, rawUsd } of book.positions.values()) {
          if (marginMode === 'cross') expect(rawUsd.isZero()).to.equal(true);
        }
      }),
    );
  });

  it('invariant 32: scaled by 8, every figure is 8 times as large', () => {
    fc.assert(
      fc.property(fc.array(fill, { maxLength: 8 }), (fills) => {
        const [book, large] = [flat('10000'), flat('80000')];
        for (const { coin, size, ...fields } of fills) {
          const numbers = book.fill(coin, { ...fields, size });
          const scaled = large.fill(coin, { ...fields, size: String(Number(size) * 8) });
          // Rounded before it was scaled: half of a micro-USD times 8, and another half.
          expect(scaled.closedPnl.minus(numbers.closedPnl.times(8)).abs().lte('0.0000045')).to.equal(true);
          expect(scaled.fee.minus(numbers.fee.times(8)).abs().lte('0.000008')).to.equal(true);
        }
        const roundings = (fills.length * 3 + 4) * 8;
        const difference = freeMargin(large, large.market).minus(freeMargin(book, book.market).times(8));
        expect(difference.abs().lte(roundings * 1e-6)).to.equal(true);
      }),
    );
  });
});

const book = (leverage = 5) => new FillBook(new FixtureMarket(), '10000').setLeverage('SOL', leverage);
const holds = (account: FillBook) => totalHolds(account, account.market).toFixed();

describe('orderHolds: the larger side of each coin, without what only closes', () => {
  it('EX-4.6c: long 1, resting sells 3 at 100 and buys 1 at 90', () => {
    const long = book().held('SOL', { signedSize: '1', entryPrice: '100' });
    expect(holds(long.resting('SOL', 'sell', '3', '100').resting('SOL', 'buy', '1', '90'))).to.equal('40');
  });

  it('EX-4.6: 1000 coins at 4.9752 with 5x', () => {
    expect(holds(book().resting('SOL', 'buy', '1000', '4.9752'))).to.equal('995.04');
  });

  it('edge 55: long 1 with a resting sell of 1 holds nothing, of 2 for one', () => {
    const long = () => book().held('SOL', { signedSize: '1', entryPrice: '100' });
    expect(holds(long().resting('SOL', 'sell', '1', '110'))).to.equal('0');
    expect(holds(long().resting('SOL', 'sell', '2', '110'))).to.equal('22');
  });

  it('the best price closes first, whatever was placed first', () => {
    const long = book().held('SOL', { signedSize: '1.5', entryPrice: '100' });
    // 1 at 105 and half of 1 at 110 close; the other half and 1 at 120 open.
    expect(
      holds(long.resting('SOL', 'sell', '1', '120').resting('SOL', 'sell', '1', '110').resting('SOL', 'sell', '1', '105')),
    ).to.equal('35');
  });

  it('the highest buy closes a short first', () => {
    const short = book().held('SOL', { signedSize: '-1', entryPrice: '100' });
    expect(holds(short.resting('SOL', 'buy', '1', '90').resting('SOL', 'buy', '1', '95'))).to.equal('18');
  });

  it('reduce-only orders hold nothing and close nothing for others', () => {
    const long = book().held('SOL', { signedSize: '1', entryPrice: '100' });
    long.resting('SOL', 'sell', '1', '100', { reduceOnly: true }).resting('SOL', 'sell', '1', '110');
    expect(holds(long)).to.equal('0');
    expect(holds(book().resting('SOL', 'sell', '1', '100', { reduceOnly: true }))).to.equal('0');
  });

  it('coins add up, each with its own leverage', () => {
    const two = book().setLeverage('ETH', 10).resting('SOL', 'buy', '1', '100').resting('SOL', 'sell', '1', '101');
    expect(holds(two.resting('ETH', 'sell', '1', '2000'))).to.equal('220.2');
  });

  it('without a setting the default leverage counts', () => {
    const account = new FillBook(new FixtureMarket(), '10000')
      .resting('ISO', 'buy', '1', '50')
      .resting('ETH', 'buy', '1', '2000');
    expect(holds(account)).to.equal('105');
  });

  it('a coin that the market does not know yet holds by its setting, without one the whole notional', () => {
    const account = new FillBook(new FixtureMarket(), '10000');
    account.orders.set(1, { asset: 999, side: 'buy', size: '1', limitPrice: '50', reduceOnly: false });
    expect(holds(account)).to.equal('50');
    account.leverage.set(999, { marginMode: 'cross', leverage: 5 });
    expect(holds(account)).to.equal('10');
  });
});
