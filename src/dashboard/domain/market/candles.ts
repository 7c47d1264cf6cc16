// Candles that REST begins and the stream continues.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../units.ts';

export interface Candle {
  /** When it opens, ms since the epoch. */
  readonly timeMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Coins. */
  readonly volume: string;
  readonly trades: number;
}

export interface WireCandle {
  readonly t: number;
  readonly s: string;
  readonly i: string;
  readonly o: string;
  readonly h: string;
  readonly l: string;
  readonly c: string;
  readonly v: string;
  readonly n: number;
}

export const readCandle = ({ t, o, h, l, c, v, n }: WireCandle): Candle => ({
  timeMs: t,
  open: o,
  high: h,
  low: l,
  close: c,
  volume: v,
  trades: n,
});

/** Lengths that the chart offers, ms. */
export const INTERVALS = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
  '1d': DAY_MS,
} as const;
export type Interval = keyof typeof INTERVALS;

/**
 * Joins candles: of two that open together the one with more trades is the later state.
 * @param rows oldest first
 * @param more in any order
 * @returns oldest first, the newest `rowsMax`
 */
export function mergeCandles(rows: readonly Candle[], more: readonly Candle[], rowsMax: number): readonly Candle[] {
  const byTime = new Map(rows.map((candle) => [candle.timeMs, candle]));
  for (const candle of more) {
    const known = byTime.get(candle.timeMs);
    if (known === undefined || candle.trades >= known.trades) byTime.set(candle.timeMs, candle);
  }
  return [...byTime.values()].sort((a, b) => a.timeMs - b.timeMs).slice(-rowsMax);
}

/** Where a moment stands on the chart: the candle that was open then; undefined before the first one. */
export function candleAt(candles: readonly Candle[], timeMs: number): Candle | undefined {
  let [from, to] = [0, candles.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((candles[middle] as Candle).timeMs <= timeMs) from = middle + 1;
    else to = middle;
  }
  return candles[from - 1];
}
