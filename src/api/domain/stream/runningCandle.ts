// A candle in progress. The venue pushes minutes; a longer candle is the sum of the closed candles in it, which no
// longer change, and the newest minute. So its numbers are the venue's own.
import { candleEnd, type Interval } from '../../../market/domain/candleInterval.ts';
import type { VenueCandle } from '../../../market/domain/feed.ts';
import { Decimal, toWire } from '../../../shared/domain/decimal.ts';

const MINUTE_MS = 60_000;
const STEPS = [
  { interval: '1d', lengthMs: 1440 * MINUTE_MS },
  { interval: '1h', lengthMs: 60 * MINUTE_MS },
] as const;

/** Closed candles of one length, [startMs, endMs). */
export interface ClosedPart {
  readonly interval: '1d' | '1h';
  readonly startMs: number;
  readonly endMs: number;
}

/** How a span is made of few closed candles and less than an hour of minutes. */
export function closedParts(startMs: number, nowMs: number): { readonly parts: ClosedPart[]; readonly minutesFromMs: number } {
  const parts: ClosedPart[] = [];
  let fromMs = startMs;
  for (const { interval, lengthMs } of STEPS) {
    const endMs = Math.floor(nowMs / lengthMs) * lengthMs;
    if (endMs <= fromMs) continue;
    parts.push({ interval, startMs: fromMs, endMs });
    fromMs = endMs;
  }
  return { parts, minutesFromMs: fromMs };
}

export interface RunningCandle {
  readonly coin: string;
  readonly interval: Interval;
  readonly startMs: number;
  readonly endMs: number;
  /** The sum of its closed part; undefined while nothing of it is closed. */
  readonly closed?: VenueCandle | undefined;
  readonly minute?: VenueCandle | undefined;
}

/** @param rows closed candles and at last the newest minute, all within the candle, oldest first */
export function toRunning(
  { coin, interval, startMs }: { readonly coin: string; readonly interval: Interval; readonly startMs: number },
  rows: readonly VenueCandle[],
): RunningCandle {
  const minute = rows.at(-1);
  const closed = rows.slice(0, -1).reduce<VenueCandle | undefined>(join, undefined);
  return { coin, interval, startMs, endMs: candleEnd(interval, startMs), closed, minute };
}

/** Takes the current state of a minute: the newest one again, or the next one, which may begin the next candle. */
export function withMinute(candle: RunningCandle, minute: VenueCandle): RunningCandle {
  const { minute: known, endMs, interval, closed } = candle;
  if (known !== undefined && (minute.t < known.t || (minute.t === known.t && minute.n < known.n))) return candle;
  if (minute.t >= endMs) {
    let startMs = endMs;
    while (candleEnd(interval, startMs) <= minute.t) startMs = candleEnd(interval, startMs);
    return { ...candle, startMs, endMs: candleEnd(interval, startMs), closed: undefined, minute };
  }
  if (known === undefined || known.t === minute.t) return { ...candle, minute };
  return { ...candle, closed: join(closed, known), minute };
}

/** The candle as the venue writes it; undefined when nothing is known of it. */
export function toVenueCandle({ coin, interval, startMs, endMs, closed, minute }: RunningCandle): VenueCandle | undefined {
  const sum = minute === undefined ? closed : join(closed, minute);
  return sum && { ...sum, t: startMs, T: endMs - 1, s: coin, i: interval };
}

/** A candle without a trade stands at a price, which gives way to the first that was traded. */
function join(sum: VenueCandle | undefined, later: VenueCandle): VenueCandle {
  if (sum === undefined || (sum.n === 0 && later.n > 0)) return later;
  if (later.n === 0) return sum;
  return {
    ...sum,
    h: Number(later.h) > Number(sum.h) ? later.h : sum.h,
    l: Number(later.l) < Number(sum.l) ? later.l : sum.l,
    c: later.c,
    v: toWire(new Decimal(sum.v).plus(later.v)),
    n: sum.n + later.n,
  };
}
