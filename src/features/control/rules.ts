// Where exchange time stops on its way when a test sets it ahead: before each full hour, so that the oracle price of the hour is one of that
// hour; after it, so that what is due at the hour is done before the next; and where the next thing of an account is due, such as a slice of
// a TWAP, so that none is passed over. Between stops nothing happens.

import { HOUR_MS } from '../../shared/domain/units.ts';

/** Before the hour, ms: the contexts of then are the last before it. */
const BEFORE_HOUR_MS = 2000;
/** After it, ms: the venue tells the hour's rate. */
const AFTER_HOUR_MS = 700;
/** Least way from a stop to one where an account has something due, ms: what is due in between is done together. */
const APART_MS = 500;

/** The next stop after a time, not beyond the target. All are exchange time in ms; `nextDueMs` of any account. */
export function nextStop(options: {
  readonly nowMs: number;
  readonly targetMs: number;
  readonly nextDueMs: number | undefined;
}): number {
  const { nowMs, targetMs, nextDueMs = Number.POSITIVE_INFINITY } = options;
  const hourMs = (hoursPassed(nowMs) + 1) * HOUR_MS;
  const hourStopMs = nowMs < hourMs - BEFORE_HOUR_MS ? hourMs - BEFORE_HOUR_MS : hourMs + AFTER_HOUR_MS;
  return Math.min(targetMs, hourStopMs, Math.max(nextDueMs, nowMs + APART_MS));
}

/** Full hours whose work can be done by then, since the epoch. */
export const hoursPassed = (timeMs: number): number => Math.floor((timeMs - AFTER_HOUR_MS) / HOUR_MS);
