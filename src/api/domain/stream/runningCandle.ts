// A candle in progress. The venue pushes minutes; a longer candle is what the venue had of it at a moment, without the minute of that
// moment, and the minutes since.
import { candleEnd, type Interval } from '../../../market/domain/candleInterval.ts';
import type { VenueCandle } from '../../../market/domain/feed.ts';
import { Decimal, toWire } from '../../../shared/domain/decimal.ts';

export interface RunningCandle {
  readonly coin: string;
  readonly interval: Interval;
  readonly startMs: number;
  readonly endMs: number;
  /** The sum of its closed part; undefined while nothing of it is closed. */
  readonly closed?: VenueCandle | undefined;
  readonly minute?: VenueCandle | undefined;
}

/**
 * A candle in progress that minutes can continue.
 * @param minute the feed's of the moment when the venue had the candle so, where there is one
 */
export function runningOf(candle: VenueCandle, minute: VenueCandle | undefined): RunningCandle {
  const { s: coin, t: startMs } = candle;
  const running = { coin, interval: candle.i as Interval, startMs, endMs: candle.T + 1 };
  if (minute === undefined) return { ...running, closed: candle };
  if (minute.t >= running.endMs) return withMinute({ ...running, closed: candle }, minute);
  return { ...running, closed: less(candle, minute), minute };
}

/** A candle without the trades of a minute in it: its prices stay, for the minute has no others. */
export function less(candle: VenueCandle, minute: VenueCandle): VenueCandle {
  const volume = Decimal.max(0, new Decimal(candle.v).minus(minute.v));
  return { ...candle, v: toWire(volume), n: Math.max(0, candle.n - minute.n) };
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
  return {
    ...sum,
    h: Number(later.h) > Number(sum.h) ? later.h : sum.h,
    l: Number(later.l) < Number(sum.l) ? later.l : sum.l,
    c: later.c,
    v: toWire(new Decimal(sum.v).plus(later.v)),
    n: sum.n + later.n,
  };
}
