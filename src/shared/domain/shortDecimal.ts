// Sums, products, quotients, comparisons and texts of short decimals, several times faster than decimal.js makes them: it copies
// both operands and rounds each result. Money, prices and sizes are numbers of at most 56 digits near 1, where no result is ever
// rounded. A result has the sign, exponent and digits that decimal.js gives; `test/shared/domain/shortDecimal.test.ts`
// compares them. Whatever is longer, larger or no number is left to decimal.js.
import type { Decimal as Base } from 'decimal.js';
import {
  carry,
  clear,
  compared,
  digitsOf,
  divide,
  divideFully,
  divisorOf,
  exponentOf,
  isShort,
  isTiny,
  LIMB,
  LIMB_DIGITS,
  LIMBS_MAX,
  limbAt,
  limbs,
  MINUS,
  placeOf,
  put,
  readLimbs,
  roundAt,
  tenMillionths,
  textOf,
} from './limbs.ts';

/**
 * Quotients with at most so many decimals, below 1e14, of a dividend with at most so many limbs more behind the decimal point: one
 * that is no tie lies so far from it (1e-38 at least) that roundings to 60 digits and to 40 decimals before change nothing.
 */
const QUOTIENT_DECIMALS_MAX = 10;
const QUOTIENT_PLACE_MAX = 1;
const QUOTIENT_PARTS_MAX = 3;

const ROUND_DOWN = 1;
const ROUND_HALF_UP = 4;

type Value = Base.Value;
/** Undefined = not short. */
type QuotientTo = (value: Base, divisor: Base, decimals: number, isHalfUp: boolean) => Base | undefined;

/**
 * The constructor with short decimals done here. Its instances have a prototype of their own, so other users of decimal.js
 * do not meet it.
 * @param Full with a precision of 60 digits
 */
export function withShortDecimals(Full: typeof Base): { readonly Decimal: typeof Base; readonly quotientTo: QuotientTo } {
  const full = Full.prototype;
  const prototype = Object.create(full) as Base;
  Full.prototype = prototype;

  /** The same fields in the same order as decimal.js gives. */
  const Short = function short(this: Record<string, unknown>, s: number, e: number, d: number[]) {
    this['constructor'] = Full;
    this['s'] = s;
    this['e'] = e;
    this['d'] = d;
  } as unknown as new (
    s: number,
    e: number,
    d: number[],
  ) => Base;
  Object.defineProperty(Short, 'prototype', { value: prototype });

  function construct(value: Value): Base {
    if (typeof value === 'string') return parsed(value) ?? new Full(value);
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? ofInteger(value) : new Full(value);
  }

  function ofInteger(value: number): Base {
    limbs[0] = Math.floor(value / LIMB / LIMB);
    limbs[1] = Math.floor(value / LIMB) % LIMB;
    limbs[2] = value % LIMB;
    return numberOf(1, 2, 3);
  }
  const Decimal = Object.assign(function decimal(value: Value) {
    return construct(value);
  }, Full) as unknown as typeof Base;
  Decimal.prototype = prototype;

  const toDecimal = (value: Value): Base => (typeof value === 'object' ? value : construct(value));

  /** The number of so many limbs, the first of them at `place`. */
  function numberOf(s: number, place: number, count: number): Base {
    let first = 0;
    while (first < count && limbAt(first) === 0) first += 1;
    if (first === count) return new Short(s, 0, [0]);
    let last = count - 1;
    while (limbAt(last) === 0) last -= 1;
    return new Short(s, exponentOf(limbAt(first), place - first), digitsOf(first, last));
  }

  /** Of so many 1e-7, less than 1e15. */
  function ofTenMillionths(count: number): Base {
    const size = Math.abs(count);
    const whole = Math.floor(size / LIMB);
    limbs[0] = whole >= LIMB ? 1 : 0;
    limbs[1] = whole >= LIMB ? whole - LIMB : whole;
    limbs[2] = size - whole * LIMB;
    return numberOf(count < 0 ? -1 : 1, 1, 3);
  }

  /** `a` with `b` added, or taken away; undefined = not short. */
  function added(a: Base, b: Base, signOfB: number): Base | undefined {
    const { s, d: x } = a;
    const { d: y } = b;
    if (!x || !y || x.length > LIMBS_MAX || y.length > LIMBS_MAX) return undefined;
    if (y[0] === 0) return x[0] === 0 && s !== signOfB ? new Short(1, 0, x) : a;
    if (x[0] === 0) return b.s === signOfB ? b : new Short(signOfB, b.e, y);
    if (isTiny(a) && isTiny(b)) return ofTenMillionths(s * tenMillionths(a) + signOfB * tenMillionths(b));
    const placeX = placeOf(a);
    const placeY = placeOf(b);
    const place = Math.max(placeX, placeY) + 1;
    const count = place - Math.min(placeX - x.length, placeY - y.length);
    if (!isShort(place, count)) return undefined;
    clear(count);
    put(x, place - placeX, 1);
    put(y, place - placeY, s === signOfB ? 1 : -1);
    let first = 0;
    while (first < count && limbAt(first) === 0) first += 1;
    if (first === count) return new Short(1, 0, [0]);
    const isTurned = limbAt(first) < 0;
    if (isTurned) for (let index = first; index < count; index++) limbs[index] = -limbAt(index);
    for (let index = count - 1; index > 0; index--) {
      const limb = limbAt(index);
      if (limb < 0) carry(index, -1);
      else if (limb >= LIMB) carry(index, 1);
    }
    return numberOf(isTurned ? -s : s, place, count);
  }

  function multiplied(a: Base, b: Base): Base | undefined {
    const { d: x } = a;
    const { d: y } = b;
    if (!x || !y) return undefined;
    const place = placeOf(a) + placeOf(b) + 1;
    const count = x.length + y.length;
    if (!isShort(place, count)) return undefined;
    clear(count);
    for (let i = 0; i < x.length; i++) {
      const factor = x[i] as number;
      for (let j = 0; j < y.length; j++) limbs[i + j + 1] = limbAt(i + j + 1) + factor * (y[j] as number);
    }
    for (let index = count - 1; index > 0; index--) {
      if (limbAt(index) >= LIMB) carry(index, Math.floor(limbAt(index) / LIMB));
    }
    return numberOf(a.s * b.s, place, count);
  }

  function divided(a: Base, b: Base): Base | undefined {
    const { d: x } = a;
    const divisor = x && b.d && x[0] !== 0 ? divisorOf(b) : undefined;
    const place = placeOf(a);
    if (!divisor || !isShort(place, x.length)) return undefined;
    return numberOf(a.s * b.s, place + divisor.places, divideFully(x, divisor));
  }

  /**
   * A quotient with at most so many decimals. Here no digit is made that goes again; what is left to decimal.js is rounded to
   * 60 digits first.
   */
  function quotientTo(a: Base, b: Base, decimals: number, isHalfUp: boolean): Base | undefined {
    const { d: x } = a;
    const divisor = x && b.d ? divisorOf(b) : undefined;
    if (!divisor || decimals > QUOTIENT_DECIMALS_MAX) return undefined;
    const s = a.s * b.s;
    const place = placeOf(a) + divisor.places;
    if (x[0] === 0 || place < -LIMBS_MAX) return new Short(s, 0, [0]);
    if (place > QUOTIENT_PLACE_MAX || x.length - place > QUOTIENT_PARTS_MAX) return undefined;
    if (divisor.high === 0 && divisor.low === 1) return undefined;
    // The limb with the first digit that goes.
    const index = place + 1 + Math.floor(decimals / LIMB_DIGITS);
    if (index < 0) return new Short(s, 0, [0]);
    const count = divide(x, divisor, index + 1);
    if (count > index) roundAt(index, decimals, isHalfUp);
    return numberOf(s, place, count);
  }

  /** With at most so many decimals: half up, or cut toward zero. */
  function rounded(a: Base, decimals: number, isHalfUp: boolean): Base | undefined {
    const { s, d } = a;
    if (!d) return undefined;
    const place = placeOf(a) + 1;
    // The limb with the first digit that goes.
    const index = place + 1 + Math.floor(decimals / LIMB_DIGITS);
    if (index > d.length) return a;
    if (index < 1) return new Short(s, 0, [0]);
    if (!isShort(place, index + 1)) return undefined;
    limbs[0] = 0;
    for (let n = 1; n <= index; n++) limbs[n] = d[n - 1] as number;
    roundAt(index, decimals, isHalfUp);
    return numberOf(s, place, index + 1);
  }

  function parsed(text: string): Base | undefined {
    const read = readLimbs(text);
    return read && numberOf(text.charCodeAt(0) === MINUS ? -1 : 1, read.wholes - 1, read.count);
  }

  const { plus, minus, times, div, cmp, toFixed, toDecimalPlaces } = full;
  Object.assign(prototype, {
    plus(this: Base, value: Value): Base {
      const other = toDecimal(value);
      return added(this, other, other.s) ?? plus.call(this, other);
    },
    minus(this: Base, value: Value): Base {
      const other = toDecimal(value);
      return added(this, other, -other.s) ?? minus.call(this, other);
    },
    times(this: Base, value: Value): Base {
      const other = toDecimal(value);
      return multiplied(this, other) ?? times.call(this, other);
    },
    div(this: Base, value: Value): Base {
      const other = toDecimal(value);
      return divided(this, other) ?? div.call(this, other);
    },
    cmp(this: Base, value: Value): number {
      const other = toDecimal(value);
      return this.d && other.d ? compared(this, other) : cmp.call(this, other);
    },
    abs(this: Base): Base {
      return this.s < 0 ? new Short(1, this.e, this.d) : this;
    },
    neg(this: Base): Base {
      return new Short(-this.s, this.e, this.d);
    },
    toString(this: Base): string {
      return textOf(this) ?? full.toString.call(this);
    },
    toFixed(this: Base, decimals?: number, rounding?: Base.Rounding): string {
      return (
        (decimals === undefined ? textOf(this) : undefined) ?? toFixed.call(this, decimals as number, rounding as Base.Rounding)
      );
    },
    toDecimalPlaces(this: Base, decimals: number, rounding: Base.Rounding): Base {
      const isDone = rounding === ROUND_DOWN || rounding === ROUND_HALF_UP;
      const result = isDone && decimals >= 0 ? rounded(this, decimals, rounding === ROUND_HALF_UP) : undefined;
      return result ?? toDecimalPlaces.call(this, decimals, rounding);
    },
  });
  return { Decimal, quotientTo };
}
