// An amount as people type it, in the millionths of a USD that transfers are sent in.
import { toUnits } from '../exactSums.ts';

/** The form of an amount: digits, spaces between thousands, and at most six decimals. */
export const AMOUNT_PATTERN = '[0-9][0-9 ]{0,11}([.][0-9]{1,6})?';

/** @returns undefined for what is no amount above 0 */
export function microUsd(text: string): number | undefined {
  const plain = text.replace(/[\s\u202f]/g, '');
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(plain)) return undefined;
  const micro = Number(toUnits(plain, 6));
  return micro > 0 && Number.isSafeInteger(micro) ? micro : undefined;
}
