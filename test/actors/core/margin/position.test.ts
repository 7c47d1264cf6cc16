import { expect } from 'chai';
import fc from 'fast-check';
import { entryPriceOf } from '../../../../src/actors/core/margin/position.ts';
import { leverageOf } from '../../../../src/actors/core/margin/positionMargin.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import { FillBook } from '../../../support/fillBook.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';
import { LedgerOracle } from '../../../support/ledgerOracle.ts';

const book = () => new FillBook(new FixtureMarket(), '10000');

describe('position: how fills change it', () => {
  it('EX-4.10: the entry price follows opening fills only', () => {
    const long = book()
      .filled('SOL', { side: 'buy', price: '100', size: '2' })
      .filled('SOL', { side: 'buy', price: '110', size: '1' });
    const entry = () => entryPriceOf(long.position('SOL')).toFixed(9);
    expect(entry()).to.equal('103.333333333');
    long.fill('SOL', { side: 'sell', price: '120', size: '1' });
    expect(entry()).to.equal('103.333333333');
    long.fill('SOL', { side: 'sell', price: '90', size: '3' });
    expect(entry()).to.equal('90.000000000');
    expect(long.position('SOL').signedSize.toFixed()).to.equal('-1');
    long.fill('SOL', { side: 'buy', price: '95', size: '1' });
    expect(long.positions.size).to.equal(0);
  });

  it('EX-4.10: funding since open restarts with a flip, since change with every size', () => {
    const long = book().filled('SOL', { side: 'buy', price: '100', size: '2' });
    const paid = new Decimal(3);
    const pay = () =>
      long.positions.set(2, { ...long.position('SOL'), funding: { allTime: paid, sinceOpen: paid, sinceChange: paid } });
    const shown = () => {
      const { allTime, sinceOpen, sinceChange } = long.position('SOL').funding;
      return [allTime, sinceOpen, sinceChange].map(Number);
    };
    pay();
    long.fill('SOL', { side: 'sell', price: '100', size: '1' });
    expect(shown()).to.deep.equal([3, 3, 0]);
    pay();
    long.fill('SOL', { side: 'sell', price: '100', size: '2' });
    expect(shown()).to.deep.equal([3, 0, 0]);
  });

  it('a hundred thirds of a position leave no dust', () => {
    const long = book()
      .filled('SOL', { side: 'buy', price: '100', size: '1' })
      .filled('SOL', { side: 'buy', price: '101', size: '0.07' });
    for (let lot = 0; lot < 107; lot++) long.fill('SOL', { side: 'sell', price: '100', size: '0.01' });
    expect(long.positions.size).to.equal(0);
  });
});

describe('position: the same as a second bookkeeping in exact rationals', () => {
  const COINS = [
    { coin: 'SOL', asset: 2, lot: 100 },
    { coin: 'ISO', asset: 3, lot: 100 },
    { coin: 'CHEAP', asset: 6, lot: 1 },
  ];
  const step = fc.record({
    which: fc.nat({ max: COINS.length - 1 }),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    lots: fc.integer({ min: 1, max: 700 }),
    price: fc.integer({ min: 1, max: 30_000 }),
    mark: fc.integer({ min: 1, max: 30_000 }),
    liquidity: fc.constantFrom('maker' as const, 'taker' as const),
  });

  it('invariants 1 and 3: every number of every fill, and all margin pools, agree', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), fc.integer({ min: 1, max: 10 }), (steps, leverage) => {
        const ledger = book()
          .setLeverage('ISO', leverage, 'isolated')
          .setLeverage('SOL', leverage, leverage > 5 ? 'isolated' : 'cross');
        const oracle = new LedgerOracle();
        oracle.deposit('10000');
        for (const { which, side, lots, liquidity, ...at } of steps) {
          const { coin, asset, lot } = COINS[which] ?? { coin: 'SOL', asset: 2, lot: 100 };
          const [size, price, markPrice] = [String(lots / lot), String(at.price / 100), String(at.mark / 100)];
          ledger.market.setPrices(coin, { mark: markPrice });
          const numbers = ledger.fill(coin, { side, price, size, liquidity });
          const setting = leverageOf(ledger, ledger.market.require(coin));
          expect({
            fee: numbers.fee.toFixed(),
            closedPnl: numbers.closedPnl.toFixed(),
            exactPnl: new Decimal(numbers.exactPnl.toFixed(30)).toFixed(),
            startPosition: numbers.startPosition.toFixed(),
            marginMovedUsd: (numbers.marginMovedUsd ?? new Decimal(0)).toFixed(),
          }).to.deep.equal(
            oracle.fill({
              asset,
              side,
              price,
              size,
              liquidity,
              markPrice,
              ...setting,
              sizeDecimals: ledger.market.require(coin).sizeDecimals,
            }),
          );
          expect(oracle.isConserved).to.equal(true);
        }
        expect(ledger.cash.toFixed()).to.equal(oracle.cash);
        expect([...ledger.positions.keys()].sort()).to.deep.equal(oracle.assets);
        for (const position of ledger.positions.values()) {
          expect({
            signedSize: position.signedSize.toFixed(),
            cost: new Decimal(position.entryNotional.toFixed(30)).toFixed(),
            entryPrice: new Decimal(entryPriceOf(position).toFixed(30)).toFixed(),
            rawUsd: position.rawUsd.toFixed(),
          }).to.deep.equal(oracle.position(position.asset));
        }
      }),
    );
  });
});
