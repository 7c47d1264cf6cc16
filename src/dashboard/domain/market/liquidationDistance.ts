// The distance of a position from its liquidation, as a share of the mark and in days of movement: computed numbers, for reading
// only.
import { DAY_MS } from '../units.ts';
import type { Candle } from './candles.ts';

/**
 * Share of the mark that the price may move against the position, 0.05 = 5 %. Not below 0.
 * @returns undefined where the position has no liquidation price
 */
export function liquidationDistance(markPrice: string, liquidationPrice: string | null): number | undefined {
  const mark = Number(markPrice);
  if (liquidationPrice === null || !(mark > 0)) return undefined;
  return Math.abs(mark - Number(liquidationPrice)) / mark;
}

/** The mark that a position's value was worked out by, USD per coin: a computed number, as text. */
export const markOf = ({ notional, size }: { readonly notional: string; readonly size: string }): string =>
  String(Number((Number(notional) / Number(size)).toPrecision(12)));

/** Days of the mean, as most charts have it. */
const DAYS = 14;

/**
 * ATR(14): the mean of the true ranges of the last 14 whole days, each day counting the same. The true range of a day is the
 * largest of high - low, and the way from the close before to its high or low.
 * @param days daily candles, oldest first, without the day that is not over
 * @returns USD per coin; undefined without a whole day that has one before it
 */
export function averageTrueRange(days: readonly Candle[], nowMs: number): number | undefined {
  const whole = days.filter(({ timeMs }) => timeMs + DAY_MS <= nowMs).slice(-(DAYS + 1));
  const ranges = whole.slice(1).map((day, i) => trueRange(day, whole[i] as Candle));
  return ranges.length === 0 ? undefined : ranges.reduce((sum, range) => sum + range, 0) / ranges.length;
}

function trueRange({ high, low }: Candle, { close: before }: Candle): number {
  return Math.max(Number(high), Number(before)) - Math.min(Number(low), Number(before));
}

/** Days of movement between a mark and a liquidation price: 1.5 = one and a half ATR. */
export function distanceInRanges(mark: string, liquidationPrice: string | null, range: number | undefined): number | undefined {
  if (liquidationPrice === null || range === undefined || !(range > 0) || !(Number(mark) > 0)) return undefined;
  return Math.abs(Number(mark) - Number(liquidationPrice)) / range;
}
