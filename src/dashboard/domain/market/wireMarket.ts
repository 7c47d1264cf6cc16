// The market channels in full words: book, trades, the venue's figures of a coin. Numbers stay the server's text.

export interface BookLevel {
  readonly price: string;
  /** Coins. */
  readonly size: string;
}

export interface Book {
  readonly coin: string;
  /** ms since the epoch */
  readonly timeMs: number;
  /** Best first. */
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

interface WireLevel {
  readonly px: string;
  readonly sz: string;
}

export interface WireBook {
  readonly coin: string;
  readonly time: number;
  readonly levels: readonly [readonly WireLevel[], readonly WireLevel[]];
}

const readLevel = ({ px, sz }: WireLevel): BookLevel => ({ price: px, size: sz });

export const readBook = ({ coin, time, levels: [bids, asks] }: WireBook): Book => ({
  coin,
  timeMs: time,
  bids: bids.map(readLevel),
  asks: asks.map(readLevel),
});

export interface Trade {
  readonly tid: number;
  /** Of who came to the book. */
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  readonly timeMs: number;
}

export interface WireTrade {
  readonly tid: number;
  readonly side: 'B' | 'A';
  readonly px: string;
  readonly sz: string;
  readonly time: number;
}

export const readTrade = ({ tid, side, px, sz, time }: WireTrade): Trade => ({
  tid,
  side: side === 'B' ? 'buy' : 'sell',
  price: px,
  size: sz,
  timeMs: time,
});

/**
 * Adds trades to a tape, each once.
 * @param tape newest first
 * @param more oldest first, as they come
 */
export function addTrades(tape: readonly Trade[], more: readonly Trade[], rowsMax: number): readonly Trade[] {
  const known = new Set(tape.map(({ tid }) => tid));
  const fresh = more.filter(({ tid }) => !known.has(tid)).reverse();
  return fresh.length === 0 ? tape : [...fresh, ...tape].slice(0, rowsMax);
}

/** The venue's figures of a coin beside its book. */
export interface CoinContext {
  readonly mark: string;
  readonly oracle: string;
  readonly mid: string | null;
  /** A day ago. */
  readonly earlierPrice: string;
  /** Of the hour, as a share. */
  readonly fundingRate: string;
  /** USD. */
  readonly volume: string;
  /** Coins. */
  readonly openInterest: string;
}

export interface WireContext {
  readonly markPx: string;
  readonly oraclePx: string;
  readonly midPx: string | null;
  readonly prevDayPx: string;
  readonly funding: string;
  readonly dayNtlVlm: string;
  readonly openInterest: string;
}

export const readContext = (ctx: WireContext): CoinContext => ({
  mark: ctx.markPx,
  oracle: ctx.oraclePx,
  mid: ctx.midPx,
  earlierPrice: ctx.prevDayPx,
  fundingRate: ctx.funding,
  volume: ctx.dayNtlVlm,
  openInterest: ctx.openInterest,
});

/** Change since a day ago, as a share; undefined without a price of then. A computed number. */
export function dayChange(price: string | null | undefined, earlier: string): number | undefined {
  const before = Number(earlier);
  return price == null || !(before > 0) ? undefined : Number(price) / before - 1;
}
