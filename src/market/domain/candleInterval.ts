// The intervals of candles and where each candle of them opens.
import { addMonths, utcDay } from '../../shared/domain/calendar.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/domain/units.ts';

export const INTERVALS = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '8h', '12h', '1d', '3d', '1w', '1M'] as const;
export type Interval = (typeof INTERVALS)[number];

const FIXED_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };
/** 1970-01-05, a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Opening time of the candle that holds `timeMs`: weeks from Monday, months of the calendar, all UTC. */
export function candleStart(interval: Interval, timeMs: number): number {
  if (interval === '1M') return Math.floor(timeMs / DAY_MS) * DAY_MS - (Number(utcDay(timeMs).slice(-2)) - 1) * DAY_MS;
  if (interval === '1w') return Math.floor((timeMs - FIRST_MONDAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + FIRST_MONDAY_MS;
  const lengthMs = Number.parseInt(interval, 10) * (FIXED_MS[interval.slice(-1)] ?? DAY_MS);
  return Math.floor(timeMs / lengthMs) * lengthMs;
}

/** Opening time of the next candle. */
export function candleEnd(interval: Interval, startMs: number): number {
  if (interval === '1M') return addMonths(startMs, 1);
  if (interval === '1w') return startMs + 7 * DAY_MS;
  return startMs + Number.parseInt(interval, 10) * (FIXED_MS[interval.slice(-1)] ?? DAY_MS);
}

/** Opening times of the candles that overlap [startMs, endMs], ascending, the newest `max` at most. */
export function candleStarts(interval: Interval, range: { startMs: number; endMs: number; max: number }): number[] {
  const starts: number[] = [];
  for (let t = candleStart(interval, range.endMs); candleEnd(interval, t) > range.startMs && starts.length < range.max; ) {
    starts.push(t);
    t = candleStart(interval, t - 1);
  }
  return starts.reverse();
}
