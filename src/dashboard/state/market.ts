// The market on the page: its book, its latest trades, the venue's figures of the coin, and the time at which each came. Followed
// only while the page is seen.
import { signal } from '@preact/signals';
import { serverNow } from '../api/answer.ts';
import type { Heard } from '../domain/market/dataAge.ts';
import {
  addTrades,
  type Book,
  type CoinContext,
  readBook,
  readContext,
  readTrade,
  type Trade,
  type WireBook,
  type WireContext,
  type WireTrade,
} from '../domain/market/wireMarket.ts';
import { whileShown } from './pace.ts';
import { shownTogether, stream } from './stream.ts';

const TRADES_MAX = 200;

interface MarketNow extends Heard {
  readonly coin: string;
  readonly book: Book | undefined;
  /** Newest first. */
  readonly trades: readonly Trade[];
  readonly context: CoinContext | undefined;
}

const nothingOf = (coin: string): MarketNow => ({
  coin,
  book: undefined,
  trades: [],
  context: undefined,
  bookMs: undefined,
  markMs: undefined,
});

/** Of the coin that was followed last. */
export const market = signal<MarketNow>(nothingOf(''));

/** Follows a coin. @returns ends it */
export function followMarket(coin: string): () => void {
  let now = nothingOf(coin);
  market.value = now;
  /** Read when it is shown: most are replaced before. */
  let unread: WireBook | undefined;
  const showing = shownTogether<true>(() => {
    if (unread !== undefined) now = { ...now, book: readBook(unread) };
    unread = undefined;
    market.value = now;
  });
  const change = (part: Partial<MarketNow>): void => {
    now = { ...now, ...part };
    showing.give(true);
  };
  const endAll = whileShown(() => {
    let isContextHeard = false;
    const ends = [
      stream.subscribe({
        subscription: { type: 'l2Book', coin },
        isMarket: true,
        isMine: ({ data }) => data.coin === coin,
        onMessage: ({ data }) => {
          unread = data as WireBook;
          change({ bookMs: data.time });
        },
      }),
      stream.subscribe({
        subscription: { type: 'trades', coin },
        isMarket: true,
        isMine: ({ data }) => data[0]?.coin === coin,
        onMessage: ({ data }) => {
          change({ trades: addTrades(now.trades, (data as readonly WireTrade[]).map(readTrade), TRADES_MAX) });
        },
      }),
      stream.subscribe({
        subscription: { type: 'activeAssetCtx', coin },
        isMine: ({ data }) => data.coin === coin,
        onMessage: ({ data }) => {
          // The first one may be of long ago: when it was heard is not in it.
          change({ context: readContext(data.ctx as WireContext), ...(isContextHeard && { markMs: serverNow() }) });
          isContextHeard = true;
        },
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  });
  return () => {
    endAll();
    showing.end();
  };
}
