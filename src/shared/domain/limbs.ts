// The limbs of a number in the making: where `shortDecimal.ts` computes a result before it makes a number of it. A number is
// a list of limbs of seven digits, the largest first, aligned at the decimal point, as decimal.js has them. Each limb has a
// place: 0 is the one before the decimal point, -1 the one behind it.

export const LIMB_DIGITS = 7;
export const LIMB = 10_000_000;
export const POWERS_OF_TEN = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, LIMB] as const;
/** 56 digits. */
export const LIMBS_MAX = 8;
export const PLACE_MAX = 8;

/** One for all: no computation is interrupted by another. */
export const limbs = new Float64Array(LIMBS_MAX);

export const limbAt = (index: number): number => limbs[index] as number;

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
