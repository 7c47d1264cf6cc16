import { expect } from 'chai';
import { Decimal as Base } from 'decimal.js';
import fc from 'fast-check';
import {
  cutQuotient,
  cutTo,
  Decimal,
  halfUp,
  halfUpQuotient,
  quotient,
  roundOffResidue,
} from '../../../src/shared/domain/decimal.ts';

/** decimal.js as it is, configured as `Decimal`. */
const Plain = Base.clone({ precision: 60, rounding: Base.ROUND_HALF_UP, toExpNeg: -60, toExpPos: 60 });

const ODD_TEXTS = ['0', '-0', '0.00', '007.50', '9999999', '10000000', '-9999999.9999999', '0.0000001', '1e5', '.5', '5.', '+3'];
const NO_NUMBERS = ['NaN', 'Infinity', '-Infinity'];
/** Nines and zeros more often than others: they carry, borrow and vanish. */
const digit = fc.constantFrom(...'0001234567899999');
const digits = (max: number) => fc.array(digit, { minLength: 1, maxLength: max }).map((all) => all.join(''));
const long = fc.tuple(fc.constantFrom('', '-'), digits(45), digits(50)).map(([sign, whole, part]) => `${sign}${whole}.${part}`);
const short = fc
  .tuple(fc.constantFrom('', '-'), digits(15), fc.option(digits(15), { nil: '' }))
  .map(([sign, whole, part]) => `${sign}${whole}${part && `.${part}`}`);
const text = fc.oneof(
  { arbitrary: short, weight: 8 },
  { arbitrary: long, weight: 2 },
  fc.constantFrom(...ODD_TEXTS, ...NO_NUMBERS),
);

/** All that a decimal is, and how it is written. */
const shown = (number: Base) => ({ s: number.s, e: number.e, d: number.d, text: number.toString(), fixed: number.toFixed() });

function results(of: typeof Base, a: string, b: string, decimals: number) {
  const [x, y] = [new of(a), new of(b)];
  const numbers = {
    read: x,
    plus: x.plus(y),
    minus: x.minus(y),
    minusItself: x.minus(a),
    times: x.times(y),
    timesText: x.times(b),
    div: x.div(y),
    divInteger: x.div(decimals + 1),
    neg: x.neg(),
    abs: x.abs(),
    cut: x.toDecimalPlaces(decimals, Base.ROUND_DOWN),
    halfUp: x.toDecimalPlaces(decimals, Base.ROUND_HALF_UP),
    roundUp: x.toDecimalPlaces(decimals, Base.ROUND_UP),
    sumOfResults: x.times(y).minus(x).plus(y).div(3).minus(y.neg()),
    max: of.max(x, y),
  };
  const facts = [x.cmp(y), x.eq(b), x.gte(y), x.lt(y), x.isZero(), x.isNeg(), x.isInteger(), x.decimalPlaces(), x.precision()];
  return { numbers: Object.entries(numbers).map(([name, number]) => ({ name, ...shown(number) })), facts };
}

describe('shortDecimal: short decimals are computed as decimal.js computes them', () => {
  it('to the last digit, sign and exponent', () => {
    const decimals = fc.integer({ min: 0, max: 45 });
    const property = fc.property(text, text, decimals, (a, b, places) => {
      expect(results(Decimal, a, b, places)).to.deep.equal(results(Plain, a, b, places));
    });
    fc.assert(property, { numRuns: 3000 });
  });

  it('also where signs of zero and carries meet', () => {
    for (const a of ODD_TEXTS) {
      for (const b of ODD_TEXTS) expect(results(Decimal, a, b, 6), `${a} and ${b}`).to.deep.equal(results(Plain, a, b, 6));
    }
  });

  it('a quotient that is rounded at once is the one that was rounded to 60 digits and to 40 decimals before', () => {
    const number = (wholes: number, parts: number) =>
      fc.tuple(fc.constantFrom('', '-'), digits(wholes), digits(parts)).map(([sign, whole, part]) => `${sign}${whole}.${part}`);
    const divisor = number(9, 10).filter((drawn) => !new Plain(drawn).isZero());
    const property = fc.property(number(14, 15), divisor, fc.integer({ min: 0, max: 12 }), (a, b, decimals) => {
      const full = new Plain(a).div(b);
      const [x, y] = [new Decimal(a), new Decimal(b)];
      expect(shown(halfUpQuotient(x, y, decimals))).to.deep.equal(shown(halfUp(roundOffResidue(full), decimals)));
      expect(shown(cutQuotient(x, y, decimals))).to.deep.equal(shown(cutTo(quotient(new Plain(a), new Plain(b)), decimals)));
    });
    fc.assert(property, { numRuns: 3000 });
  });

  it('a quotient that is hardly less than a whole number is not taken for it', () => {
    const divisor = fc.integer({ min: 1, max: 99_999_999_999_999 });
    const property = fc.property(divisor, fc.integer({ min: 1, max: 9_999_999 }), (units, whole) => {
      const b = new Plain(units).div(10_000_000);
      const a = b.times(whole).minus('0.0000001');
      const [x, y] = [new Decimal(a.toFixed()), new Decimal(b.toFixed())];
      expect(shown(cutQuotient(x, y, 0))).to.deep.equal(shown(new Plain(whole - 1)));
      expect(shown(x.div(y))).to.deep.equal(shown(a.div(b)));
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it('a quotient that is a tie is rounded up, away from zero', () => {
    for (const [a, b, want] of [
      ['1', '8', '0.13'],
      ['-1', '8', '-0.13'],
      ['0.0375', '-7.5', '-0.01'],
      ['1234567.125', '1', '1234567.13'],
      ['0.00000049', '123456.7', '0'],
    ] as const) {
      expect(halfUpQuotient(new Decimal(a), new Decimal(b), 2).toFixed(), `${a} / ${b}`).to.equal(want);
    }
  });

  it('refuses what decimal.js refuses', () => {
    for (const wrong of ['', '-', '.', 'x', '1.2.3', '1-2', '12a', '0x', ' 1']) {
      expect(() => new Decimal(wrong), wrong).to.throw('DecimalError');
      expect(() => new Plain(wrong), wrong).to.throw('DecimalError');
    }
  });

  it('leaves decimal.js itself as it was', () => {
    expect(Object.getPrototypeOf(Decimal.prototype)).to.equal(Base.prototype);
    expect(new Plain('1.5')).not.to.be.instanceOf(Decimal);
  });
});
