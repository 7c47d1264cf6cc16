// The part of a recording about the time before it began: candles and funding rates of the busiest coins. Charts and
// indicators have data then when the recording is played.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/domain/units.ts';
import type { VenueMeta } from '../domain/asset.ts';
import { candleEnd, candleStart, candleStarts, type Interval } from '../domain/candleInterval.ts';
import type { AssetContext, VenueCandle } from '../domain/feed.ts';
import { addSum, addTrade, type CandleSum, emptySum, toWireCandle } from '../venue/wire.ts';

/** Body of an `info` request. */
export type RecordedRequest = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface WeighedRequest {
  readonly request: RecordedRequest;
  /** As the venue counts it: 20, and one per so many rows. */
  readonly weight: number;
}

const HOURS_BACK_MS = 7 * DAY_MS;
const MINUTES_BACK_MS = 12 * HOUR_MS;
const FUNDING_BACK_MS = DAY_MS;
const BASE_WEIGHT = 20;
const CANDLES_PER_WEIGHT = 60;
const FUNDINGS_PER_WEIGHT = 20;
/** Coins whose past is asked for when none are named: as many as one minute's allowance is enough for. */
const COINS_BY_VOLUME = 10;

/** The coins with the largest volume of the day, largest first. */
export function busiestCoins([meta, contexts]: readonly [VenueMeta, readonly AssetContext[]]): string[] {
  return meta.universe
    .map(({ name, isDelisted }, index) => ({ name, isDelisted, volume: Number(contexts[index]?.dayNtlVlm ?? 0) }))
    .filter(({ isDelisted }) => isDelisted !== true)
    .sort((a, b) => b.volume - a.volume)
    .slice(0, COINS_BY_VOLUME)
    .map(({ name }) => name);
}

export function pastRequests(coins: readonly string[], nowMs: number): WeighedRequest[] {
  const candles = (coin: string, interval: Interval, { backMs, rowMs }: { backMs: number; rowMs: number }): WeighedRequest => ({
    request: { type: 'candleSnapshot', req: { coin, interval, startTime: nowMs - backMs, endTime: nowMs } },
    weight: BASE_WEIGHT + Math.ceil(backMs / rowMs / CANDLES_PER_WEIGHT),
  });
  return coins.flatMap((coin) => [
    candles(coin, '1h', { backMs: HOURS_BACK_MS, rowMs: HOUR_MS }),
    candles(coin, '1m', { backMs: MINUTES_BACK_MS, rowMs: MINUTE_MS }),
    {
      request: { type: 'fundingHistory', coin, startTime: nowMs - FUNDING_BACK_MS },
      weight: BASE_WEIGHT + Math.ceil(FUNDING_BACK_MS / HOUR_MS / FUNDINGS_PER_WEIGHT),
    },
  ]);
}

interface PlayedListing {
  readonly coin: string;
  readonly sizeDecimals: number;
}

const CANDLES_MAX = 5000;
/** Intervals below an hour are made of minutes alone. */
const SHORT_INTERVALS: readonly Interval[] = ['1m', '3m', '5m', '15m', '30m'];

/**
 * The candles of one coin in a recording that is played: the recorded ones, moved to the time of playing, with the trades
 * played since added to them.
 */
export class PlayedCandles {
  readonly #listing: PlayedListing;
  /** Sums of recorded and played minutes by opening time, oldest first. */
  readonly #minutes = new Map<number, CandleSum>();
  /** Recorded hours by opening time, oldest first; they stand in for the time before the minutes. */
  readonly #hours = new Map<number, CandleSum>();
  /** Trades until then are in the recorded minutes, or were played before. */
  #countedUntilMs = 0;

  constructor(listing: PlayedListing) {
    this.#listing = listing;
  }

  /**
   * Takes recorded candles, of minutes or of hours.
   * @param shiftMs whole minutes or hours from their time to that of playing
   */
  take(rows: readonly VenueCandle[], { interval, shiftMs }: { interval: '1m' | '1h'; shiftMs: number }): void {
    const spans = interval === '1m' ? this.#minutes : this.#hours;
    for (const { t, o, h, l, c, v, n } of rows) {
      const lots = this.#toLots(v);
      spans.set(t + shiftMs, { open: Number(o), high: Number(h), low: Number(l), close: Number(c), lots, n });
    }
  }

  /** Trades up to this time are not counted any more. */
  countedUntil(timeMs: number): void {
    this.#countedUntilMs = Math.max(this.#countedUntilMs, timeMs);
  }

  add({ px, sz, time }: { readonly px: string; readonly sz: string; readonly time: number }): void {
    if (time <= this.#countedUntilMs) return;
    const minute = candleStart('1m', time);
    const sum = this.#minutes.get(minute) ?? emptySum();
    addTrade(sum, Number(px), this.#toLots(sz));
    this.#minutes.set(minute, sum);
    const [oldest] = this.#minutes.keys();
    if (this.#minutes.size > CANDLES_MAX && oldest !== undefined) this.#minutes.delete(oldest);
  }

  /** Candles that overlap [startMs, endMs], ascending, from the first known one on. */
  read(interval: Interval, { startMs, endMs }: { startMs: number; endMs: number }): VenueCandle[] {
    const [firstMinute = Number.MAX_SAFE_INTEGER] = this.#minutes.keys();
    const [firstHour = Number.MAX_SAFE_INTEGER] = SHORT_INTERVALS.includes(interval) ? [] : this.#hours.keys();
    const first = Math.min(firstMinute, firstHour);
    if (first === Number.MAX_SAFE_INTEGER) return [];
    // Hours up to the first whole hour of minutes, minutes from there on.
    const minutesFrom = first === firstMinute ? firstMinute : candleStart('1h', firstMinute - 1) + HOUR_MS;
    let flatPrice = (first === firstMinute ? this.#minutes : this.#hours).get(first)?.open ?? 0;
    return candleStarts(interval, { startMs: Math.max(startMs, first), endMs, max: CANDLES_MAX }).map((start) => {
      const sum = emptySum();
      const end = candleEnd(interval, start);
      addSpans(sum, this.#hours, { from: Math.max(start, firstHour), to: Math.min(end, minutesFrom), stepMs: HOUR_MS });
      addSpans(sum, this.#minutes, { from: Math.max(start, minutesFrom), to: end, stepMs: MINUTE_MS });
      const candle = toWireCandle(this.#listing, { interval, startMs: start, sum, flatPrice });
      if (sum.n > 0) flatPrice = sum.close;
      return candle;
    });
  }

  #toLots(size: string): number {
    return Math.round(Number(size) * 10 ** this.#listing.sizeDecimals);
  }
}

function addSpans(
  sum: CandleSum,
  spans: ReadonlyMap<number, CandleSum>,
  { from, to, stepMs }: { from: number; to: number; stepMs: number },
): void {
  for (let t = from; t < to; t += stepMs) {
    const part = spans.get(t);
    if (part !== undefined) addSum(sum, part);
  }
}
