// The limbs of a number in the making: where `shortDecimal.ts` computes a result before it makes a number of it. A number is
// a list of limbs of seven digits, the largest first, aligned at the decimal point, as decimal.js has them. Each limb has a
// place: 0 is the one before the decimal point, -1 the one behind it.
import type { Decimal as Base } from 'decimal.js';

export const MINUS = 45;
const DIGIT_ZERO = 48;
export const LIMB_DIGITS = 7;
export const LIMB = 10_000_000;
export const POWERS_OF_TEN = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, LIMB] as const;
/** 56 digits. */
export const LIMBS_MAX = 8;
export const PLACE_MAX = 8;

/** Digits of a quotient that goes on. */
const QUOTIENT_DIGITS = 60;
/** Enough for the digits of a quotient and the one after, behind two limbs that are zero. */
const QUOTIENT_LIMBS = 13;

/** One for all: no computation is interrupted by another. */
export const limbs = new Float64Array(QUOTIENT_LIMBS);

export const limbAt = (index: number): number => limbs[index] as number;

/** Reads plain decimal text. @returns how many limbs, and how many of them before the decimal point; undefined = not short */
export function readLimbs(text: string): { readonly wholes: number; readonly count: number } | undefined {
  const begin = text.charCodeAt(0) === MINUS ? 1 : 0;
  const dot = text.indexOf('.');
  const end = dot < 0 ? text.length : dot;
  const wholes = Math.ceil((end - begin) / LIMB_DIGITS);
  if (wholes === 0 || dot === text.length - 1 || text.length > LIMBS_MAX * LIMB_DIGITS) return undefined;
  const count = dot < 0 ? wholes : wholes + Math.ceil((text.length - dot - 1) / LIMB_DIGITS);
  if (count > LIMBS_MAX) return undefined;
  let at = begin;
  for (let index = 0; index < count; index++) {
    const isWhole = index < wholes;
    if (index === wholes) at = dot + 1;
    const until = isWhole ? end - (wholes - 1 - index) * LIMB_DIGITS : at + LIMB_DIGITS;
    let limb = 0;
    for (; at < until; at++) {
      const digit = at < text.length ? text.charCodeAt(at) - DIGIT_ZERO : 0;
      if (digit < 0 || digit > 9) return undefined;
      limb = limb * 10 + digit;
    }
    limbs[index] = limb;
  }
  return { wholes, count };
}

/** Within what is computed here, with room for the sum of all its digits. */
export const isShort = (place: number, count: number): boolean =>
  count <= LIMBS_MAX && place <= PLACE_MAX && place - count >= -PLACE_MAX;

export function clear(count: number): void {
  for (let index = 0; index < count; index++) limbs[index] = 0;
}

export function put(d: readonly number[], offset: number, factor: number): void {
  for (let index = 0; index < d.length; index++) limbs[offset + index] = limbAt(offset + index) + factor * (d[index] as number);
}

export function carry(index: number, times: number): void {
  limbs[index] = limbAt(index) - times * LIMB;
  limbs[index - 1] = limbAt(index - 1) + times;
}

/** Rounds the limb that has the first digit behind so many decimals, and all before it: half up, or cut toward zero. */
export function roundAt(index: number, decimals: number, isHalfUp: boolean): void {
  const unit = POWERS_OF_TEN[LIMB_DIGITS - (decimals % LIMB_DIGITS)] as number;
  const gone = limbAt(index) % unit;
  limbs[index] = limbAt(index) - gone + (isHalfUp && gone * 2 >= unit ? unit : 0);
  for (let n = index; n > 0 && limbAt(n) >= LIMB; n--) carry(n, 1);
}

export function exponentOf(limb: number, place: number): number {
  let digits = 1;
  while (limb >= (POWERS_OF_TEN[digits] as number)) digits += 1;
  return place * LIMB_DIGITS + digits - 1;
}

/** A list that is exactly as long as it must be, of small integers. */
export function digitsOf(first: number, last: number): number[] {
  const a = limbAt(first) | 0;
  if (last === first) return [a];
  const b = limbAt(first + 1) | 0;
  if (last === first + 1) return [a, b];
  const c = limbAt(first + 2) | 0;
  if (last === first + 2) return [a, b, c];
  const digits = [a, b, c, limbAt(first + 3) | 0];
  for (let index = first + 4; index <= last; index++) digits.push(limbAt(index) | 0);
  return digits;
}

/** Place of the first limb. */
export const placeOf = ({ e }: Base): number => Math.floor(e / LIMB_DIGITS);

/** One limb before the decimal point and one behind it at most. */
export const isTiny = ({ e, d }: Base): boolean =>
  e >= 0 ? e < LIMB_DIGITS && d.length <= 2 : e >= -LIMB_DIGITS && d.length === 1;

/** A tiny number in ten-millionths, without its sign. */
export const tenMillionths = ({ e, d }: Base): number =>
  e < 0 ? (d[0] as number) : (d[0] as number) * LIMB + (d.length === 2 ? (d[1] as number) : 0);

/** Below zero when the first is less. */
export function compared({ s, e, d: x }: Base, { s: otherS, e: otherE, d: y }: Base): number {
  if (x[0] === 0 || y[0] === 0) return x[0] !== 0 ? s : y[0] !== 0 ? -otherS : 0;
  if (s !== otherS) return s;
  if (e !== otherE) return e > otherE ? s : -s;
  const count = Math.min(x.length, y.length);
  for (let index = 0; index < count; index++) {
    if (x[index] !== y[index]) return (x[index] as number) > (y[index] as number) ? s : -s;
  }
  return x.length === y.length ? 0 : x.length > y.length ? s : -s;
}

/** Plain text; undefined = not short. */
export function textOf(number: Base): string | undefined {
  const { s, d } = number;
  if (!d || d.length > LIMBS_MAX) return undefined;
  if (d[0] === 0) return '0';
  const place = placeOf(number);
  if (place > PLACE_MAX - 1 || place < 1 - PLACE_MAX) return undefined;
  let text = s < 0 ? '-' : '';
  text += place < 0 ? '0' : (d[0] as number);
  for (let index = 1; index <= place; index++) text += index < d.length ? padded(d[index] as number, LIMB_DIGITS) : '0000000';
  if (d.length - 1 <= place) return text;
  text += '.';
  for (let zeros = -1; zeros > place; zeros--) text += '0000000';
  const last = d.length - 1;
  for (let index = Math.max(0, place + 1); index < last; index++) text += padded(d[index] as number, LIMB_DIGITS);
  let limb = d[last] as number;
  let width = LIMB_DIGITS;
  for (; limb % 10 === 0; limb /= 10) width -= 1;
  return text + padded(limb, width);
}

const padded = (limb: number, width: number): string => String(limb + (POWERS_OF_TEN[width] as number)).slice(1);

/** A divisor of at most two limbs: the two, and the place of the last one below that of the quotient's dividend. */
export interface Divisor {
  readonly high: number;
  readonly low: number;
  readonly places: number;
}

/** Undefined = not one of few digits. */
export function divisorOf(number: Base): Divisor | undefined {
  const { d } = number;
  const place = placeOf(number);
  if (d.length > 2 || d[0] === 0 || place > 1 || place < -2) return undefined;
  const [first = 0, second = 0] = d;
  return d.length === 1 ? { high: 0, low: first, places: -place } : { high: first, low: second, places: 1 - place };
}

/**
 * Divides, cut after so many limbs of the quotient, or sooner where it ends. The first one is as many places above that of the
 * dividend as the divisor says.
 * @returns how many limbs the quotient has
 */
export function divide(d: readonly number[], { high, low }: Divisor, limbsMax: number): number {
  const divisor = high * LIMB + low;
  let rest = 0;
  let count = 0;
  for (; count < limbsMax && (count < d.length || rest > 0); count++) {
    const next = count < d.length ? (d[count] as number) : 0;
    // The quotient of rounded numbers is wrong by one at most. What it leaves is below 3e14 before it is put right.
    let limb = Math.floor((rest * LIMB + next) / divisor);
    rest = (rest - limb * high) * LIMB + (next - limb * low);
    if (rest < 0) {
      limb -= 1;
      rest += divisor;
    } else if (rest >= divisor) {
      limb += 1;
      rest -= divisor;
    }
    limbs[count] = limb;
  }
  return count;
}

/** Divides, half up to 60 digits. @returns how many limbs the quotient has */
export function divideFully(d: readonly number[], divisor: Divisor): number {
  const count = divide(d, divisor, QUOTIENT_LIMBS);
  let first = 0;
  while (limbAt(first) === 0) first += 1;
  const left = QUOTIENT_DIGITS - 1 - exponentOf(limbAt(first), 0);
  const last = first + Math.ceil(left / LIMB_DIGITS);
  if (last >= count) return count;
  const unit = POWERS_OF_TEN[(LIMB_DIGITS - (left % LIMB_DIGITS)) % LIMB_DIGITS] as number;
  const gone = limbAt(last) % unit;
  const isUp = unit === 1 ? last + 1 < count && limbAt(last + 1) * 2 >= LIMB : gone * 2 >= unit;
  limbs[last] = limbAt(last) - gone + (isUp ? unit : 0);
  for (let index = last; index > 0 && limbAt(index) >= LIMB; index--) carry(index, 1);
  return last + 1;
}
