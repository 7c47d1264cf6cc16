// Writes our forms of levels, trades, books and candles as the venue writes them.

import { candleEnd, type Interval } from '../domain/candleInterval.ts';
import type { FeedLevel, MarketTrade, VenueCandle } from '../domain/feed.ts';

export const toWireLevel = ([px, sz, n]: FeedLevel): { px: string; sz: string; n: number } => ({ px, sz, n });

export interface BookLevels {
  readonly timeMs: number;
  readonly bids: readonly FeedLevel[];
  readonly asks: readonly FeedLevel[];
  /** When a test has set it. */
  readonly setMs?: number | undefined;
}

/** `setTime` is no field of the venue: its levels are new to accounts that have taken from those before (trading-rules 3.2). */
export function toWireBook(coin: string, { timeMs, bids, asks, setMs }: BookLevels): Record<string, unknown> {
  const levels = [bids.map(toWireLevel), asks.map(toWireLevel)];
  return { coin, time: timeMs, levels, ...(setMs !== undefined && { setTime: setMs }) };
}

export function toWireBbo(coin: string, { timeMs, bids, asks }: BookLevels): Record<string, unknown> {
  return { coin, time: timeMs, bbo: [bids[0] ? toWireLevel(bids[0]) : null, asks[0] ? toWireLevel(asks[0]) : null] };
}

/** A trade whose `hash` and `users` are known. */
export function toWireTrade(coin: string, trade: MarketTrade): Record<string, unknown> {
  return {
    coin,
    side: trade.side === 'buy' ? 'B' : 'A',
    px: trade.price,
    sz: trade.size,
    time: trade.timeMs,
    hash: trade.hash,
    tid: trade.tid,
    users: trade.users,
  };
}

// The sum of the trades of a span, and its wire form as a candle.

/** Sums of one span; prices in USD, volume in lots. `n` = 0: no trade; `close` = 0: no price either. */
export interface CandleSum {
  open: number;
  high: number;
  low: number;
  close: number;
  lots: number;
  n: number;
}

export const emptySum = (): CandleSum => ({ open: 0, high: 0, low: 0, close: 0, lots: 0, n: 0 });

/** Adds the next price, of something that is no trade. */
export function addPrice(sum: CandleSum, price: number): void {
  if (sum.close === 0) {
    sum.open = price;
    sum.high = price;
    sum.low = price;
  } else if (price > sum.high) sum.high = price;
  else if (price < sum.low) sum.low = price;
  sum.close = price;
}

/** Adds the next trade. */
export function addTrade(sum: CandleSum, price: number, lots: number): void {
  addPrice(sum, price);
  sum.lots += lots;
  sum.n += 1;
}

/** Adds a later span. */
export function addSum(sum: CandleSum, later: CandleSum): void {
  if (later.close === 0) return;
  if (sum.close === 0) Object.assign(sum, later);
  else {
    sum.high = Math.max(sum.high, later.high);
    sum.low = Math.min(sum.low, later.low);
    sum.close = later.close;
    sum.lots += later.lots;
    sum.n += later.n;
  }
}

/** A candle without a price stands at `flatPrice`. */
export function toWireCandle(
  { coin, sizeDecimals }: { readonly coin: string; readonly sizeDecimals: number },
  candle: { readonly interval: Interval; readonly startMs: number; readonly sum: CandleSum; readonly flatPrice: number },
): VenueCandle {
  const { interval, startMs, sum, flatPrice } = candle;
  const text = (price: number): string => numberText(sum.close === 0 ? flatPrice : price);
  return {
    t: startMs,
    T: candleEnd(interval, startMs) - 1,
    s: coin,
    i: interval,
    o: text(sum.open),
    c: text(sum.close),
    h: text(sum.high),
    l: text(sum.low),
    v: numberText(sum.lots / 10 ** sizeDecimals),
    n: sum.n,
  };
}

/** Plain decimal text of a number with at most 12 significant digits. */
const numberText = (value: number): string => trimmed(Number(value.toPrecision(15)).toFixed(10));

/** A text with decimals as the venue writes it: at least one decimal, no trailing zeros beyond it. */
export const trimmed = (text: string): string => text.replace(/0+$/, '').replace(/\.$/, '.0');
