// Exact ties of a rounding, of both signs, that only many partial closes bring about: the cost that each leaves is a quotient
// kept to 40 decimals, and what the quotients have lost may not decide which way half a micro-USD goes.
import { expect } from 'chai';
import fc from 'fast-check';
import { balanceOf } from '../../../../src/actors/core/margin/margin.ts';
import { heldAt, positionView } from '../../../../src/actors/core/views/accountState.ts';
import { Decimal, halfUp, roundOffDust } from '../../../../src/shared/domain/decimal.ts';
import { FillBook } from '../../../support/fillBook.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';
import { Fraction } from '../../../support/fraction.ts';
import { LedgerOracle } from '../../../support/ledgerOracle.ts';

const SIDES = { long: ['buy', 'sell'], short: ['sell', 'buy'] } as const;

/** One position in both bookkeepings: of `2 * half` coins that cost an odd number of micro-USD. */
class Twice {
  readonly book = new FillBook(new FixtureMarket(), '100000');
  readonly oracle = new LedgerOracle();
  readonly #side: 'long' | 'short';

  constructor(side: 'long' | 'short', half: number, price: string) {
    this.#side = side;
    this.oracle.deposit('100000');
    const dearer = Fraction.of(price).plus(Fraction.of('0.000001')).text(6);
    this.#fill(SIDES[side][0], price, 2 * half - 1);
    this.#fill(SIDES[side][0], dearer, 1);
  }

  close(price: string, size: number): Decimal {
    return this.#fill(SIDES[this.#side][1], price, size);
  }

  #fill(side: 'buy' | 'sell', price: string, size: number): Decimal {
    const { closedPnl, exactPnl, fee } = this.book.fill('CHEAP', { side, price, size: String(size) });
    const terms = { asset: 1, liquidity: 'taker', marginMode: 'cross', leverage: 5, markPrice: '1', sizeDecimals: 0 } as const;
    const wanted = this.oracle.fill({ ...terms, side, price, size: String(size) });
    const exact = new Decimal(exactPnl.toFixed(30)).toString();
    expect([closedPnl.toString(), exact, fee.toString()]).to.deep.equal([wanted.closedPnl, wanted.exactPnl, wanted.fee]);
    return exactPnl;
  }
}

const price = fc.integer({ min: 1, max: 2_000_000 }).map((micros) => new Fraction(BigInt(micros), 1_000_000n).text(6));
const life = fc
  .record({
    side: fc.constantFrom('long', 'short'),
    half: fc.integer({ min: 2, max: 2000 }),
    prices: fc.tuple(price, price, price),
    parts: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 60 }),
  })
  .map(({ half, parts, ...drawn }) => {
    const first: number[] = [];
    let left = half - 1;
    for (const part of parts) {
      if (part >= left) continue;
      first.push(part);
      left -= part;
    }
    return { ...drawn, half, parts: first, left };
  });

describe('ties after many partial closes: exact rationals agree on which way they go', () => {
  it('EX-7.2c: half a micro-USD stays in the exact PnL, of a gain and of a loss', () => {
    for (const [side, at, want] of [
      ['long', '0.7', '2.3999995'],
      ['long', '0.3', '-2.4000005'],
      ['short', '0.3', '2.4000005'],
      ['short', '0.7', '-2.3999995'],
    ] as const) {
      const position = new Twice(side, 12, '0.5');
      for (const part of [2, 3, 3, 2]) position.close('0.6', part);
      expect(roundOffDust(position.close(at, 12)).toString(), `${side} closed at ${at}`).to.equal(want);
    }
  });

  it('of a close for half of the first size, and of the rest', () => {
    const property = fc.property(life, ({ side, half, prices, parts, left }) => {
      const position = new Twice(side, half, prices[0]);
      for (const part of parts) position.close(prices[1], part);
      position.close(prices[2], half);
      if (left > 0) position.close(prices[1], left);
      position.close(prices[2], 1);
      expect(position.book.positions.size).to.equal(0);
    });
    fc.assert(property, { numRuns: 400 });
  });

  it('of what is shown while half of the first size is open', () => {
    const property = fc.property(life, ({ side, half, prices, parts, left }) => {
      const twice = new Twice(side, half, prices[0]);
      for (const part of parts) twice.close(prices[1], part);
      twice.close(prices[2], left + 1);
      const { book, oracle } = twice;
      const [held] = [...oracle.pools.held.values()];
      if (!held) throw new Error('the position is gone');
      const cost = held.cost.times(new Fraction(BigInt(held.size.sign())));
      const view = positionView(heldAt(book.position('CHEAP'), book.market), new Decimal(0));
      const gain = held.size.times(Fraction.of('0.01')).minus(cost);
      expect(Fraction.of(view.unrealizedPnl).text()).to.equal(gain.rounded(6).text());
      expect(Fraction.of(view.entryPrice).text()).to.equal(held.cost.over(held.size.magnitude()).cut(6).text());
      const returned = gain.times(new Fraction(10n)).over(held.cost).rounded(10);
      expect(Fraction.of(view.returnOnEquity).text()).to.equal(returned.text());
      expect(halfUp(balanceOf(book), 6).toString()).to.equal(oracle.pools.cash.plus(cost).rounded(6).text());
    });
    fc.assert(property, { numRuns: 400 });
  });
});
