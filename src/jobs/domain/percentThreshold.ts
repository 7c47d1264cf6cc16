// When a share has crossed a threshold, and when it is far enough below it that crossing it again is worth a word: a share that swings
// around a threshold is told once.
import type { Decimal } from '../../shared/domain/decimal.ts';

/** It is told again after the share was below nine tenths of the threshold. */
const BACK_SHARE = '0.9';

/** A part of a whole, both USD. A whole of 0 or less has lost more than everything. */
export interface Share {
  readonly part: Decimal;
  readonly whole: Decimal;
}

/** Exact: no quotient is made. @param percent decimal text @returns `back` only when it has been told */
export function crossing(isTold: boolean, { part, whole }: Share, percent: string): 'crossed' | 'back' | 'none' {
  const scaled = part.times(100);
  const at = whole.times(percent);
  if (!isTold) return part.gt(0) && scaled.gte(at) ? 'crossed' : 'none';
  const isBack = part.lte(0) || (whole.gt(0) && scaled.lt(at.times(BACK_SHARE)));
  return isBack ? 'back' : 'none';
}
