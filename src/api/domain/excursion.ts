// How far the result of a round trip went on its way: the path of its size is that of its fills, the prices between two fills are those
// of whole candles, so that no excursion claims a price that the position never saw (docs/analytics.md, "Excursions").

import type { FillRow, RoundTripRow } from '../../actors/core/messages/historyRows.ts';
import { candleEnd, candleStart, type Interval } from '../../market/domain/candleInterval.ts';
import { Decimal, ZERO } from '../../shared/domain/decimal.ts';

/** Candles that the venue has of an interval, the newest. */
export const CANDLES_MAX = 5000;
/** Lengths of candles that are asked for: the shortest of which the venue still has the trip's beginning. */
export const RESOLUTIONS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const satisfies readonly Interval[];
export type Resolution = (typeof RESOLUTIONS)[number];

export const lengthOf = (interval: Resolution): number => candleEnd(interval, 0);

/** The prices of a candle: when it opens, its highest and its lowest. */
export interface PriceRange {
  readonly t: number;
  readonly h: string;
  readonly l: string;
}

/** USD, exact, before fees and funding: at least 0 and at most 0. */
export interface Excursion {
  readonly mfeUsd: Decimal;
  readonly maeUsd: Decimal;
  /** Candles that lie between two of its fills, and the ones among them that there are. */
  readonly wholeCandles: number;
  readonly seenCandles: number;
}

/** Of candles that all lie in the venue's newest 5,000. @param openedAtMs of the trip */
export const resolutionFor = (openedAtMs: number, nowMs: number): Resolution =>
  RESOLUTIONS.find((interval) => openedAtMs > nowMs - (CANDLES_MAX - 1) * lengthOf(interval)) ?? '1d';

/** The candles that open and end between two times: from the first up to and without the second; none where they are equal. */
export function wholeCandles(interval: Resolution, fromMs: number, untilMs: number): { fromMs: number; untilMs: number } {
  const lengthMs = lengthOf(interval);
  const firstMs = candleStart(interval, fromMs + lengthMs - 1);
  return { fromMs: firstMs, untilMs: Math.max(firstMs, candleStart(interval, untilMs)) };
}

/**
 * @param fills all of the trip, oldest first: it begins at 0 with the first
 * @param candles of one interval, oldest first
 */
export function excursionOf(
  { direction, pnlUsd }: Pick<RoundTripRow, 'direction' | 'pnlUsd'>,
  fills: readonly FillRow[],
  { candles, interval }: { readonly candles: readonly PriceRange[]; readonly interval: Resolution },
): Excursion {
  let [mfeUsd, maeUsd] = [Decimal.max(0, pnlUsd), Decimal.min(0, pnlUsd)];
  let [cash, whole, seen] = [ZERO, 0, 0];
  for (const [i, fill] of fills.entries()) {
    const size = new Decimal(fill.size);
    const before = new Decimal(fill.startPosition);
    const after = fill.side === 'buy' ? before.plus(size) : before.minus(size);
    const held = partOf(after, direction);
    cash = cash.minus(held.minus(partOf(before, direction)).times(fill.price));
    const next = fills[i + 1];
    if (next === undefined) break;
    const span = wholeCandles(interval, fill.timeMs, next.timeMs);
    const inside = candlesIn(candles, span);
    whole += (span.untilMs - span.fromMs) / lengthOf(interval);
    seen += inside.length;
    for (const price of [fill.price, ...extremes(inside)]) {
      const result = cash.plus(held.times(price));
      mfeUsd = Decimal.max(mfeUsd, result);
      maeUsd = Decimal.min(maeUsd, result);
    }
  }
  return { mfeUsd, maeUsd, wholeCandles: whole, seenCandles: seen };
}

/** What of a position belongs to a trip of this direction, coins with sign: nothing on the other side of a flip. */
const partOf = (signedSize: Decimal, direction: 'long' | 'short'): Decimal =>
  signedSize.isPos() === (direction === 'long') ? signedSize : ZERO;

function candlesIn(
  candles: readonly PriceRange[],
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
): readonly PriceRange[] {
  return untilMs > fromMs ? candles.slice(firstFrom(candles, fromMs), firstFrom(candles, untilMs)) : [];
}

/** Place of the first candle that opens at a time or later. */
function firstFrom(candles: readonly PriceRange[], timeMs: number): number {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((candles[middle] as PriceRange).t < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The highest and the lowest price; compared as numbers, which prices of a venue's few digits are exact enough for. */
function extremes(candles: readonly PriceRange[]): string[] {
  const first = candles[0];
  if (first === undefined) return [];
  let [high, low] = [first.h, first.l];
  for (const { h, l } of candles) {
    if (Number(h) > Number(high)) high = h;
    if (Number(l) < Number(low)) low = l;
  }
  return [high, low];
}
