// The book of one coin (trading-rules 3.1), and its prices: the newest whole book, with newer best bids and offers and newer trades
// applied. A change is only stored when it arrives; levels are folded and parsed when they are read.
import { Decimal } from '../../shared/domain/decimal.ts';
import type { BboChange, BookChange, ContextChange, FeedLevel, MarketTrade } from './feed.ts';
import type { Book, BookLevel, CoinPrices, ShownTo } from './marketView.ts';

/** Levels as the venue shows them, folded. */
export interface BookText {
  readonly coin: string;
  readonly timeMs: number;
  readonly bids: readonly FeedLevel[];
  readonly asks: readonly FeedLevel[];
  readonly shownTo: ShownTo<string>;
  readonly setMs?: number | undefined;
}

/** Levels a side of any book that is shown. */
export const BOOK_LEVELS_MAX = 20;

/** Newer trades kept for folding. A whole book comes every few seconds; more trades than this mean that none comes. */
const NEWER_TRADES_MAX = 500;

export class CoinBook {
  /** Rises with every accepted change. */
  version = 0;
  #base: BookChange | undefined;
  #bbo: BboChange | undefined;
  /** Newer than both. */
  #trades: MarketTrade[] = [];
  #text: BookText | undefined;
  #book: Book | undefined;

  /** The same as it is now; what was stored is never changed, so it is shared. */
  copy(): CoinBook {
    const copy = new CoinBook();
    copy.version = this.version;
    copy.#base = this.#base;
    copy.#bbo = this.#bbo;
    copy.#trades = [...this.#trades];
    copy.#text = this.#text;
    copy.#book = this.#book;
    return copy;
  }

  /** Time of the newest whole book, 0 = none. */
  get bookTimeMs(): number {
    return this.#base?.timeMs ?? 0;
  }

  get bboTimeMs(): number {
    return this.#bbo?.timeMs ?? 0;
  }

  /** Takes a whole book; an older one than the last is dropped. */
  onBook(change: BookChange): void {
    if (change.timeMs < this.bookTimeMs) return;
    this.#base = change;
    this.#accepted();
  }

  onBbo(change: BboChange): void {
    if (change.timeMs < this.bboTimeMs) return;
    this.#bbo = change;
    this.#accepted();
  }

  onTrades(trades: readonly MarketTrade[]): void {
    const since = this.#partsTimeMs();
    const newer = trades.filter((trade) => trade.timeMs > since);
    if (newer.length === 0) return;
    this.#trades.push(...newer);
    if (this.#trades.length > NEWER_TRADES_MAX) this.#trades.splice(0, this.#trades.length - NEWER_TRADES_MAX);
    this.#changed();
  }

  /** The folded levels as text, or undefined while no whole book has come. */
  text(): BookText | undefined {
    if (this.#text !== undefined || this.#base === undefined) return this.#text;
    const base = this.#base;
    const bbo = this.#bbo !== undefined && this.#bbo.timeMs > base.timeMs ? this.#bbo : undefined;
    let bids = bbo === undefined ? base.bids : withBest(base.bids, bbo.bid, isHigher);
    let asks = bbo === undefined ? base.asks : withBest(base.asks, bbo.ask, isLower);
    for (const trade of this.#trades) {
      if (trade.side === 'buy') asks = afterTrade(asks, trade, isLower);
      else bids = afterTrade(bids, trade, isHigher);
    }
    const timeMs = Math.max(this.#partsTimeMs(), ...this.#trades.map((trade) => trade.timeMs));
    this.#text = { coin: base.coin, timeMs, bids, asks, shownTo: this.#shownTo(base), setMs: base.setMs };
    return this.#text;
  }

  book(): Book | undefined {
    const text = this.text();
    if (this.#book !== undefined || text === undefined) return this.#book;
    this.#book = {
      coin: text.coin,
      timeMs: text.timeMs,
      wholeMs: this.bookTimeMs,
      version: this.version,
      bids: text.bids.map(toLevel),
      asks: text.asks.map(toLevel),
      shownTo: toPrices(text.shownTo),
      goesOn: { bid: goesOn(this.#base?.bids), ask: goesOn(this.#base?.asks) },
      setMs: text.setMs,
    };
    return this.#book;
  }

  /** A trade beyond the last level says nothing about the sizes between. */
  #shownTo({ bids, asks }: BookChange): ShownTo<string> {
    const bid = this.#furthest(bids.at(-1)?.[0], 'sell', isLower);
    const ask = this.#furthest(asks.at(-1)?.[0], 'buy', isHigher);
    return { ...(bid !== undefined && { bid }), ...(ask !== undefined && { ask }) };
  }

  #furthest(last: string | undefined, aggressor: MarketTrade['side'], isFurther: Better): string | undefined {
    if (last === undefined) return undefined;
    const traded = this.#trades.filter(({ side }) => side === aggressor).map(({ price }) => price);
    return traded.reduce((furthest, price) => (isFurther(Number(price), Number(furthest)) ? price : furthest), last);
  }

  /** A whole book or bbo came: the trades up to its time are in it. */
  #accepted(): void {
    const since = this.#partsTimeMs();
    if (this.#trades.length > 0) this.#trades = this.#trades.filter((trade) => trade.timeMs > since);
    this.#changed();
  }

  #changed(): void {
    this.version += 1;
    this.#text = undefined;
    this.#book = undefined;
  }

  #partsTimeMs(): number {
    return Math.max(this.bookTimeMs, this.bboTimeMs);
  }
}

type Better = (price: number, than: number) => boolean;
const isHigher: Better = (price, than) => price > than;
const isLower: Better = (price, than) => price < than;

/** Levels better than the new best are gone, its size is the new one; a side without a best is empty. */
function withBest(levels: readonly FeedLevel[], best: FeedLevel | null, isBetter: Better): readonly FeedLevel[] {
  if (best === null) return [];
  const price = Number(best[0]);
  return [best, ...levels.filter((level) => isBetter(price, Number(level[0])))];
}

/** Applies a trade: every level better than its price is gone, and so is its size at its price. */
function afterTrade(levels: readonly FeedLevel[], trade: MarketTrade, isBetter: Better): readonly FeedLevel[] {
  const price = Number(trade.price);
  return levels.flatMap((level): FeedLevel[] => {
    if (isBetter(Number(level[0]), price)) return [];
    if (Number(level[0]) !== price) return [level];
    const left = new Decimal(level[1]).minus(trade.size);
    return left.gt(0) ? [[level[0], left.toFixed(), level[2]]] : [];
  });
}

const goesOn = (levels: readonly FeedLevel[] = []): boolean => levels.length >= BOOK_LEVELS_MAX;

function toPrices({ bid, ask }: ShownTo<string>): ShownTo<Decimal> {
  return { ...(bid !== undefined && { bid: new Decimal(bid) }), ...(ask !== undefined && { ask: new Decimal(ask) }) };
}

export function toLevel([price, size, orders]: FeedLevel): BookLevel {
  return { price: new Decimal(price), size: new Decimal(size), orders };
}

/**
 * Mark, oracle and mid of one coin, of one context and of the book as it goes on. Most readers want the mark alone, and a book changes many
 * times while a mark stands: the others are read from the text when they are asked for.
 */
export class LivePrices implements CoinPrices {
  readonly #change: ContextChange;
  readonly #book: CoinBook;
  readonly markPrice: Decimal;
  #mid: { readonly version: number; readonly price: Decimal | undefined } | undefined;

  constructor(change: ContextChange, book: CoinBook) {
    this.#change = change;
    this.#book = book;
    this.markPrice = new Decimal(change.context.markPx); // the venue’s own, never worked out (trading-rules 5.1)
  }

  get oraclePrice(): Decimal {
    return new Decimal(this.#change.context.oraclePx);
  }

  get midPrice(): Decimal | undefined {
    const { version } = this.#book;
    if (this.#mid?.version !== version) {
      const { midPx } = this.#change.context;
      this.#mid = { version, price: midOf(this.#book.text()) ?? (midPx === null ? undefined : new Decimal(midPx)) };
    }
    return this.#mid.price;
  }

  get timeMs(): number {
    return this.#change.timeMs;
  }
}

function midOf(text: BookText | undefined): Decimal | undefined {
  const bid = text?.bids[0];
  const ask = text?.asks[0];
  return bid === undefined || ask === undefined ? undefined : new Decimal(bid[0]).plus(ask[0]).div(2);
}
