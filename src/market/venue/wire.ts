// Writes our forms of levels, trades and books as the venue writes them.
import type { FeedLevel, MarketTrade } from '../domain/feed.ts';

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
