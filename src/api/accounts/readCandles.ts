// Candles of a coin as answers have them. Closed candles are kept once for the deployment, and the feed's minutes continue them up to now.
// The venue is asked for what is missing between, in whole candles, so that callers share the answer.

import type { Interval } from '../../market/domain/candleInterval.ts';
import type { VenueCandle } from '../../market/domain/feed.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/domain/units.ts';
import {
  type CandleSpan,
  type Chunk,
  candlesOf,
  chunkStarts,
  chunksAfter,
  lengthOf,
  mergeRows,
  missingSpans,
  SETTLED_MS,
} from '../domain/candles.ts';
import { askVenue, type PayingServices } from './askVenue.ts';
import { requireCoin } from './coins.ts';
import type { MinuteCandles } from './minuteCandles.ts';

/** Start times of candles are multiples of this, ms; longer ones begin at some midnight UTC. */
export const GRID_MS: Readonly<Record<string, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '3d': DAY_MS,
  '1w': DAY_MS,
  '1M': DAY_MS,
};

/** How long rows with the candle in progress, and rows of closed candles, are cached. */
const CURRENT_TTL_MS = 1_000;
const PAST_TTL_MS = 60_000;
const CANDLES_MAX = 5000;

/** From a start to an end, ms since the epoch; without an end up to now. */
interface CandleRange {
  readonly coin: string;
  /** A key of `GRID_MS`. */
  readonly interval: string;
  readonly startTime: number;
  readonly endTime?: number | null | undefined;
}

/** Rows of a coin, oldest first; the last one is the candle in progress where `endTime` is not before it. */
export async function readCandles(request: CandleRange, services: PayingServices): Promise<readonly VenueCandle[]> {
  const { coin, startTime, endTime } = request;
  const interval = request.interval as Interval;
  requireCoin(coin, services);
  const nowMs = services.asOfMs ?? services.now();
  const endMs = Math.min(endTime ?? nowMs, nowMs);
  if (startTime > endMs) return [];
  const gridMs = GRID_MS[interval] ?? DAY_MS;
  const firstMs = Math.max(startTime, endMs - CANDLES_MAX * lengthOf(interval));
  const wanted = { fromMs: firstMs - (firstMs % gridMs), untilMs: endMs - (endMs % gridMs) + gridMs };
  const rows = (await readRows({ coin, interval, gridMs }, wanted, services)).slice(-CANDLES_MAX);
  return services.asOfMs === undefined ? rows : rowsOfThen(rows, { coin, interval, asOfMs: services.asOfMs }, services);
}

interface Market {
  readonly coin: string;
  readonly interval: Interval;
  readonly gridMs: number;
}

/** What is kept, what the feed has since, and of the venue what is missing. */
async function readRows(of: Market, wanted: CandleSpan, services: PayingServices): Promise<VenueCandle[]> {
  const { coin, interval } = of;
  const { store, minutes } = services.candles;
  const nameOf = (startMs: number): string => `${coin}/${interval}/${startMs}`;
  const starts = chunkStarts(interval, wanted);
  const kept = await store?.read(starts.map(nameOf));
  const chunks = new Map(
    starts.flatMap((startMs) => {
      const chunk = kept?.get(nameOf(startMs));
      return chunk === undefined ? [] : [[startMs, chunk as Chunk]];
    }),
  );
  const nowMs = services.now();
  const minuteNow = (): VenueCandle | undefined => minutes.from(coin, services.now(), services.now())?.at(-1);
  const found = await Promise.all(
    missingSpans(interval, wanted, chunks).map(async (span) => {
      const isCurrent = span.untilMs > nowMs - SETTLED_MS;
      const fed = isCurrent ? fedRows(of, span, { minutes, chunks, nowMs }) : undefined;
      if (fed !== undefined) return fed;
      const rows = await askRows(of, span, services, isCurrent ? CURRENT_TTL_MS : PAST_TTL_MS);
      const after = chunksAfter(interval, { span, rows, atMs: nowMs, minute: minuteNow() }, chunks);
      await Promise.all([...after].map(([startMs, chunk]) => store?.keep(nameOf(startMs), chunk)));
      return isCurrent && interval === '1m' ? withCandle(rows, minuteNow()) : rows;
    }),
  );
  const rows = mergeRows([...[...chunks.values()].flatMap((chunk) => chunk.rows), ...found.flat()]);
  return rows.filter(({ t, T }) => T >= wanted.fromMs && t < wanted.untilMs);
}

/** The candles up to the one in progress that the feed makes of its minutes; undefined where it has not all of them. */
function fedRows(
  { coin, interval }: Market,
  { fromMs }: CandleSpan,
  { minutes, chunks, nowMs }: { minutes: MinuteCandles; chunks: ReadonlyMap<number, Chunk>; nowMs: number },
): VenueCandle[] | undefined {
  const running = [...chunks.values()]
    .map((chunk) => chunk.running)
    .findLast((one) => one !== undefined && (one.ended[0] ?? one.closed).t <= fromMs && one.closed.t >= fromMs);
  const known = running && minutes.from(coin, running.minute.t, nowMs);
  if (running !== undefined && known !== undefined) return candlesOf({ coin, interval }, known, running);
  const all = minutes.from(coin, fromMs, nowMs);
  return all && candlesOf({ coin, interval }, all);
}

async function askRows(
  { coin, interval, gridMs }: Market,
  { fromMs, untilMs }: CandleSpan,
  services: PayingServices,
  ttlMs: number,
): Promise<VenueCandle[]> {
  const last = untilMs - 1;
  const req = { coin, interval, startTime: fromMs - (fromMs % gridMs), endTime: last - (last % gridMs) };
  const rows = await askVenue(services, { type: 'candleSnapshot', req }, ttlMs);
  return Array.isArray(rows) ? (rows as VenueCandle[]) : [];
}

/** The candles that were closed then, and the minute that was in progress, as the feed had it. */
function rowsOfThen(
  rows: readonly VenueCandle[],
  { coin, interval, asOfMs }: { readonly coin: string; readonly interval: Interval; readonly asOfMs: number },
  { market }: PayingServices,
): readonly VenueCandle[] {
  const closed = rows.filter((row) => row.T < asOfMs);
  const change = interval === '1m' ? market.candle(coin) : undefined;
  const sinceMs = market.status?.connectedSinceMs ?? null;
  return change !== undefined && sinceMs !== null && change.timeMs >= sinceMs ? withCandle(closed, change.candle) : closed;
}

/** Rows of minutes that end with the one in progress: of its two versions the one with more trades, the feed's where both have as many. */
function withCandle(rows: readonly VenueCandle[], live: VenueCandle | undefined): VenueCandle[] {
  const last = rows.at(-1);
  if (live === undefined || (last !== undefined && (last.t > live.t || (last.t === live.t && last.n > live.n)))) return [...rows];
  return [...(last?.t === live.t ? rows.slice(0, -1) : rows), live];
}
