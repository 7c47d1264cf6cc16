// The result of a try of a delivery, by any channel, and the time of the next try.
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/domain/units.ts';

export interface TryResult {
  readonly isDelivered: boolean;
  /** In words that the user of the endpoint may read. */
  readonly result: string;
  /** The receiver wants nothing before this, ms. */
  readonly notBeforeMs?: number;
}

// When a delivery that failed is tried again: ten tries over a day, soon at first.

/** Between a try and the next one, ms: 23 h 42 min 35 s in all. */
const PAUSES_MS: readonly number[] = [
  ...[5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS],
  ...[HOUR_MS, 3 * HOUR_MS, 7 * HOUR_MS, 12 * HOUR_MS],
];
export const TRIES_MAX = PAUSES_MS.length + 1;

/** @param tries that have failed so far @returns when the next one is due; undefined = there is none */
export function nextTryMs(tries: number, nowMs: number): number | undefined {
  const pauseMs = PAUSES_MS[tries - 1];
  return pauseMs === undefined ? undefined : nowMs + pauseMs;
}
