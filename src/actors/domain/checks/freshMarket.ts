// May an order be judged by what the market shows? Nothing is filled on data that is missing, older than its bound or
// contradicts itself: such an order is refused, while cancels and valuations go on (trading-rules 3.1).
import type { Book, CoinPrices, MarketView } from '../../../market/domain/marketView.ts';

export interface FreshMarket {
  readonly type: 'fresh';
  readonly book: Book;
  readonly prices: CoinPrices;
}

/** Book and prices of a coin, or how old what we have is, in words: `15.3 s`. */
export function freshMarket(
  market: MarketView,
  { asset, nowMs }: { asset: number; nowMs: number },
): FreshMarket | { readonly type: 'stale'; readonly age: string } {
  const book = market.book(asset);
  const prices = market.prices(asset);
  if (!book || !prices) return { type: 'stale', age: 'no data yet' };
  const ageMs = nowMs - Math.min(book.timeMs, prices.timeMs);
  if (ageMs > market.maxAgeMs || isCrossed(book)) return { type: 'stale', age: inSeconds(ageMs) };
  return { type: 'fresh', book, prices };
}

/** True when the best bid is at or above the best ask: frames that do not belong together. */
export function isCrossed({ bids, asks }: Book): boolean {
  const [bid] = bids;
  const [ask] = asks;
  return bid !== undefined && ask !== undefined && bid.price.gte(ask.price);
}

/** Seconds with one decimal at most. */
function inSeconds(ageMs: number): string {
  return `${Math.max(0, Math.round(ageMs / 100) / 10)} s`;
}
