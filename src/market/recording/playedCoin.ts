// One coin while a recording plays: its newest frames and recent trades, and candles and funding rates that continue the recorded ones.
import { HOUR_MS, MINUTE_MS } from '../../shared/domain/units.ts';
import { aggregateLevels, type BookAggregation } from '../domain/aggregateBook.ts';
import { candleEnd, candleStart, candleStarts, type Interval } from '../domain/candleInterval.ts';
import type { VenueCandle } from '../domain/feed.ts';
import { addSum, addTrade, type CandleSum, emptySum, toWireCandle, toWireLevel } from '../venue/wire.ts';

type WireLevel = ReturnType<typeof toWireLevel>;

export interface PlayedTrade {
  readonly px: string;
  readonly sz: string;
  readonly time: number;
  readonly tid: number;
}

export interface PlayedFunding {
  readonly coin: string;
  readonly fundingRate: string;
  readonly premium: string;
  readonly time: number;
}

const RECENT_TRADES = 30;
/** Rows of an answer, and rows that are kept. */
export const FUNDING_ROWS_MAX = 500;

export class PlayedCoin {
  readonly #coin: string;
  l2Book?: { readonly levels: readonly [readonly WireLevel[], readonly WireLevel[]] };
  bbo?: unknown;
  activeAssetCtx?: { readonly ctx: { readonly funding: string; readonly premium?: string | null } };
  /** When that was played. */
  #contextMs = 0;
  /** Newest first. */
  readonly trades: PlayedTrade[] = [];
  readonly candles: PlayedCandles;
  /** Oldest first. */
  readonly fundings: PlayedFunding[] = [];

  constructor(coin: string, sizeDecimals: number) {
    this.#coin = coin;
    this.candles = new PlayedCandles({ coin, sizeDecimals });
  }

  onTrades(trades: readonly PlayedTrade[]): void {
    // A recorder that connected again received the latest trades twice.
    const known = new Set(this.trades.map((trade) => trade.tid));
    for (const trade of trades.toSorted((a, b) => a.time - b.time)) {
      if (known.has(trade.tid)) continue;
      this.trades.unshift(trade);
      this.candles.add(trade);
    }
    this.trades.splice(RECENT_TRADES);
  }

  /** The funding rate of the last context, for each hour that has begun since. To be called before the next one. */
  payFunding(nowMs: number): void {
    const ctx = this.activeAssetCtx?.ctx;
    if (ctx !== undefined) {
      for (let time = candleStart('1h', this.#contextMs) + HOUR_MS; time <= nowMs; time += HOUR_MS) {
        this.fundings.push({ coin: this.#coin, fundingRate: ctx.funding, premium: ctx.premium ?? '0.0', time });
      }
      this.fundings.splice(0, this.fundings.length - FUNDING_ROWS_MAX);
    }
    this.#contextMs = nowMs;
  }

  /** As it was recorded, or aggregated; undefined before the first. */
  book(aggregation: BookAggregation | undefined): unknown {
    const book = this.l2Book;
    if (book === undefined || aggregation === undefined) return book;
    const aggregated = (levels: readonly WireLevel[], side: 'bid' | 'ask'): WireLevel[] =>
      aggregateLevels(
        levels.map(({ px, sz, n }) => [px, sz, n]),
        side,
        aggregation,
      ).map(toWireLevel);
    return { ...book, levels: [aggregated(book.levels[0], 'bid'), aggregated(book.levels[1], 'ask')] };
  }
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
