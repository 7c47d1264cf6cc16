// Candles: chunks of closed candles, and the candle in progress. Closed candles of a coin and interval are kept in chunks, each of a fixed
// span of time. A chunk knows for which part of its span it has all candles; what is missing between that and a wanted range is what the
// venue is asked for.
import { candleEnd, type Interval } from '../../market/domain/candleInterval.ts';
import type { VenueCandle } from '../../market/domain/feed.ts';
import { Decimal, toWire } from '../../shared/domain/decimal.ts';
import { DAY_MS } from '../../shared/domain/units.ts';

/** Candles of a chunk at most: 60 kB of text. */
export const CHUNK_CANDLES = 480;
/** A candle that ended this long ago changes no more, ms. */
export const SETTLED_MS = 60_000;

/** Times of opening, ms: from the first up to and without the second. */
export interface CandleSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A candle in progress: what the venue said of it, and the feed's minute of that moment, which is no part of `closed`. */
interface Running {
  /** Candles before it that had ended less than `SETTLED_MS` before, oldest first. */
  readonly ended: readonly VenueCandle[];
  readonly closed: VenueCandle;
  readonly minute: VenueCandle;
}

export interface Chunk extends CandleSpan {
  /** All candles that open in the span, oldest first. */
  readonly rows: readonly VenueCandle[];
  readonly running?: Running;
}

/** Length of a candle, ms; of a month the longest. */
export const lengthOf = (interval: Interval): number => (interval === '1M' ? 31 * DAY_MS : candleEnd(interval, 0));

/** Starts of the chunks that hold a range. */
export function chunkStarts(interval: Interval, { fromMs, untilMs }: CandleSpan): number[] {
  const spanMs = CHUNK_CANDLES * lengthOf(interval);
  const starts: number[] = [];
  for (let startMs = fromMs - (fromMs % spanMs); startMs < untilMs; startMs += spanMs) starts.push(startMs);
  return starts;
}

/** What of a range is in no chunk, oldest first. Within a chunk no hole is left: its part grows up to what is wanted. */
export function missingSpans(interval: Interval, wanted: CandleSpan, chunks: ReadonlyMap<number, Chunk>): CandleSpan[] {
  const spans: CandleSpan[] = [];
  const add = (fromMs: number, untilMs: number): void => {
    if (fromMs >= untilMs) return;
    const last = spans.at(-1);
    if (last?.untilMs === fromMs) spans.splice(-1, 1, { fromMs: last.fromMs, untilMs });
    else spans.push({ fromMs, untilMs });
  };
  for (const startMs of chunkStarts(interval, wanted)) {
    const fromMs = Math.max(startMs, wanted.fromMs);
    const untilMs = Math.min(startMs + CHUNK_CANDLES * lengthOf(interval), wanted.untilMs);
    const chunk = chunks.get(startMs);
    if (chunk === undefined) add(fromMs, untilMs);
    else {
      add(fromMs, chunk.fromMs);
      add(chunk.untilMs, untilMs);
    }
  }
  return spans;
}

interface Answered {
  /** What was asked. */
  readonly span: CandleSpan;
  readonly rows: readonly VenueCandle[];
  /** When it was asked, ms. */
  readonly atMs: number;
  /** The feed's minute of that moment, where there is one. */
  readonly minute?: VenueCandle | undefined;
}

/** The chunks that an answer of the venue makes or completes. An answer without a candle makes none: the venue may have them later. */
export function chunksAfter(interval: Interval, { span, rows, atMs, minute }: Answered, known: ReadonlyMap<number, Chunk>) {
  const chunks = new Map<number, Chunk>();
  if (rows.length === 0) return chunks;
  const settledMs = atMs - SETTLED_MS;
  const lengthMs = lengthOf(interval);
  const last = rows.at(-1);
  for (const startMs of chunkStarts(interval, span)) {
    const endMs = startMs + CHUNK_CANDLES * lengthMs;
    const before = known.get(startMs);
    const inside = rows.filter(({ t }) => t >= startMs && t < endMs);
    const closed = inside.filter(({ T }) => T < settledMs);
    const fromMs = Math.max(startMs, span.fromMs);
    const pastMs = Math.min(endMs, span.untilMs);
    const untilMs = pastMs + lengthMs <= settledMs ? pastMs : Math.max(fromMs, (closed.at(-1)?.T ?? -1) + 1);
    const running =
      interval === '1m' || last === undefined || last.t < Math.max(startMs, untilMs) || last.t >= endMs || minute === undefined
        ? undefined
        : { ended: rows.filter(({ t, T }) => T >= settledMs && t < last.t), closed: less(last, minute), minute };
    if (untilMs === fromMs && running === undefined) continue;
    chunks.set(startMs, {
      fromMs: Math.min(fromMs, before?.fromMs ?? fromMs),
      untilMs: Math.max(untilMs, before?.untilMs ?? untilMs),
      rows: mergeRows([...(before?.rows ?? []), ...closed]),
      ...((running ?? before?.running) && { running: (running ?? before?.running) as Running }),
    });
  }
  return chunks;
}

/** Oldest first, each once: of two versions the later one. */
export const mergeRows = (rows: readonly VenueCandle[]): VenueCandle[] =>
  [...new Map(rows.map((row) => [row.t, row])).values()].sort((a, b) => a.t - b.t);

/**
 * The candles that minutes of the feed make.
 * @param known the first of them, as far as the venue has said; its minute is the first of the minutes
 * @param minutes consecutive, oldest first; without `known` the first candle begins with the first minute
 */
export function candlesOf(
  { coin, interval }: Pick<RunningCandle, 'coin' | 'interval'>,
  minutes: readonly VenueCandle[],
  known?: Running,
): VenueCandle[] {
  const rows: (VenueCandle | undefined)[] = [];
  const startMs = known?.closed.t ?? minutes[0]?.t ?? 0;
  const endMs = known === undefined ? candleEnd(interval, startMs) : known.closed.T + 1;
  let candle: RunningCandle = { coin, interval, startMs, endMs, closed: known?.closed, minute: known?.minute };
  for (const minute of minutes) {
    const next = withMinute(candle, minute);
    if (next.startMs !== candle.startMs) rows.push(toVenueCandle(candle));
    candle = next;
  }
  rows.push(toVenueCandle(candle));
  return [...(known?.ended ?? []), ...rows.filter((row) => row !== undefined)];
}

/**
 * A candle in progress. The venue pushes minutes; a longer candle is what the venue had of it at a moment, without the minute of that
 * moment, and the minutes since.
 */
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
function less(candle: VenueCandle, minute: VenueCandle): VenueCandle {
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
