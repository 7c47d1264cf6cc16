import { expect } from 'chai';
import { Decimal as Base } from 'decimal.js';
import fc from 'fast-check';
import { Decimal } from '../../../src/shared/domain/decimal.ts';

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
