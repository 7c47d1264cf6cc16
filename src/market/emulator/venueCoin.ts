// One coin of the emulated venue while it runs. It follows its path slot by slot, or stands still where a test has
// frozen it and does what the control call says. Every change goes to `emit` as the venue's own frame.
import { Decimal, toWire } from '../../shared/domain/decimal.ts';
import { DAY_MS, HOUR_MS } from '../../shared/domain/units.ts';
import type { AssetContext, FeedLevel, MarketTrade } from '../domain/feed.ts';
import type { BookLevels } from '../venue/wire.ts';
import { type Listing, legalPriceText, priceAround, priceText, sizeText } from './listing.ts';
import { type CoinPath, fractionText, fundingRate, hash, type PathLevel, toMarketTrade } from './path.ts';
import { SetRates } from './setRates.ts';

/** Channel of a change, the coin, and the data: a `BookLevels` for `l2Book` and `bbo`, trades, nothing for `candle`, or the venue's own form. */
export type Emit = (channel: 'l2Book' | 'bbo' | 'trades' | 'activeAssetCtx' | 'candle', coin: string, data: unknown) => void;

export const RECENT_TRADES = 30;
const LEVELS = 20;
/** A book that does not change is sent again after this, as the venue does. */
const QUIET_MS = 5000;
/** A context comes with every book, but at least this often. */
const CONTEXT_MS_MAX = 3000;
/** Scripted trades and prices remembered for candles. */
const SCRIPTED_MAX = 200_000;
/** After a pause of the process at most this much is caught up trade by trade. */
const CATCH_UP_MS = 60_000;

/** A trade, or a price without one. */
export type Scripted = Pick<MarketTrade, 'timeMs' | 'price'> & Partial<Pick<MarketTrade, 'size'>>;

export class VenueCoin {
  readonly listing: Listing;
  readonly path: CoinPath;
  /** Oldest first. */
  recent: MarketTrade[] = [];
  /** The changes by control calls, in their order. */
  readonly scripted: Scripted[] = [];
  /** Spans of time in which the path was not followed, newest last. */
  readonly frozenSpans: { readonly fromMs: number; toMs: number }[] = [];
  isPaused = false;
  #emit: Emit;
  #book: BookLevels;
  #mark: string;
  #oracle: string;
  #mid: string | null;
  readonly #rates = new SetRates();
  readonly #hourlyRates = new Map<number, string | null>();
  #isFrozen: boolean;
  /** A test has set the book, so prices that it sets leave it. */
  #isBookSet = false;
  #delistedMs: number | undefined;
  /** Slot whose book is shown, and whether its trades have happened. */
  #slot: number;
  #isTraded = false;
  #bookDueMs: number;
  #contextDueMs: number;

  /**
   * @param options.isFrozen stands still from the start
   * @param options.isRecorded at the recorded price, the same at any time; otherwise at that of its path
   */
  constructor(options: { path: CoinPath; nowMs: number; isFrozen: boolean; isRecorded: boolean; emit: Emit }) {
    const { path, nowMs } = options;
    this.path = path;
    this.listing = path.listing;
    this.#emit = options.emit;
    this.#isFrozen = options.isFrozen || this.listing.isDelisted;
    this.#slot = path.slotAt(nowMs);
    this.#mark = this.listing.context.markPx;
    this.#oracle = this.listing.context.oraclePx;
    this.#mid = null;
    // Spread over the interval, so that coins do not all emit at once.
    this.#bookDueMs = nowMs + (hash(this.listing.index, 1, 1) % QUIET_MS);
    this.#contextDueMs = nowMs + (hash(this.listing.index, 2, 2) % CONTEXT_MS_MAX);
    if (this.listing.isDelisted) this.#book = { timeMs: nowMs, bids: [], asks: [] };
    else if (options.isRecorded) {
      this.#book = this.#bookOf(0, nowMs, this.listing.baseSteps);
      this.#mid = midText(this.#book);
    } else {
      this.#book = this.#bookOf(this.#slot, path.slotStartMs(this.#slot));
      this.#followPath(nowMs);
      this.#isTraded = path.tradeTimeMs(this.#slot) <= nowMs;
    }
    if (this.#isFrozen) this.frozenSpans.push({ fromMs: nowMs, toMs: Number.POSITIVE_INFINITY });
    if (!this.listing.isDelisted) this.recent = this.#pastTrades(nowMs);
  }

  /** Off the venue's list, from the start or since a control call. */
  get isDelisted(): boolean {
    return this.listing.isDelisted || this.#delistedMs !== undefined;
  }

  /** As it is shown: the best 20 levels of each side. A control call may have set more. */
  get book(): BookLevels {
    return shownOf(this.#book);
  }

  get mid(): string {
    return this.#mid ?? this.#mark;
  }

  /** Does everything that is due by `nowMs`. */
  advance(nowMs: number): void {
    if (this.isPaused || this.isDelisted) return;
    if (!this.#isFrozen) this.#advanceSlots(nowMs);
    if (nowMs >= this.#bookDueMs) this.#setBook({ ...this.#book, timeMs: nowMs }, nowMs);
    if (nowMs >= this.#contextDueMs) this.emitContext(nowMs);
  }

  context(nowMs: number): AssetContext {
    const recorded = this.listing.context;
    if (this.listing.isDelisted) return recorded;
    const [bid] = this.#book.bids;
    const [ask] = this.#book.asks;
    const hour = Math.floor(nowMs / HOUR_MS) + 1;
    const isAtRest = this.frozenSpans.length > 0;
    return {
      ...recorded,
      funding: this.isDelisted
        ? '0.0'
        : (this.#rates.newest ?? (isAtRest ? recorded.funding : fractionText(fundingRate(this.path.premium(hour))))),
      prevDayPx: isAtRest ? recorded.prevDayPx : priceText(this.listing, this.path.bidAt(this.path.slotAt(nowMs - DAY_MS))),
      premium: this.isDelisted ? null : isAtRest ? recorded.premium : fractionText(this.path.premium(hour)),
      oraclePx: this.#oracle,
      markPx: this.#mark,
      midPx: this.#mid,
      impactPxs: bid === undefined || ask === undefined ? null : [bid[0], ask[0]],
    };
  }

  /** Levels for an aggregated book: more than the 20 that are shown, while the coin follows its path. */
  deepLevels(side: 'bid' | 'ask', count: number): readonly FeedLevel[] {
    const shown = side === 'bid' ? this.#book.bids : this.#book.asks;
    const best = shown[0];
    if (this.#isFrozen || best === undefined) return shown;
    const steps = Math.round((Number(best[0]) * 10 ** this.listing.priceDecimals) / this.listing.unitsPerStep);
    const beyond = this.path.levels(this.#slot, side, count, steps).slice(shown.length);
    return [...shown, ...beyond.map((level) => this.#toFeedLevel(level))];
  }

  /** After a pause: sends the book and the context of now. */
  resume(nowMs: number): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.sendAt(nowMs);
  }

  /** Does what is due by then, and sends book and context. */
  sendAt(nowMs: number): void {
    if (this.isPaused || this.isDelisted) return;
    this.advance(nowMs);
    this.#setBook({ ...this.#book, timeMs: nowMs }, nowMs);
    this.emitContext(nowMs);
  }

  /** Stops following the path; books are still sent, with fresh times. */
  freeze(nowMs: number): void {
    if (this.#isFrozen) return;
    this.#isFrozen = true;
    this.frozenSpans.push({ fromMs: nowMs, toMs: Number.POSITIVE_INFINITY });
  }

  /** Follows the path again, from where it is now. */
  thaw(nowMs: number): void {
    const span = this.frozenSpans.at(-1);
    if (!this.#isFrozen || span === undefined || this.isDelisted) return;
    span.toMs = nowMs;
    this.#isFrozen = false;
    this.#isBookSet = false;
    this.#slot = this.path.slotAt(nowMs) - 1;
    this.#isTraded = true;
    this.#advanceSlots(nowMs);
  }

  /** Scripted: takes the coin off the list. Nothing is sent of it from now on. */
  delist(nowMs: number): void {
    this.freeze(nowMs);
    this.#delistedMs ??= nowMs;
    this.#book = { timeMs: nowMs, bids: [], asks: [] };
    this.#mid = null;
  }

  /** Scripted: replaces the book. @param book.isNew its levels are new to accounts that have taken from those before */
  setBook(
    { bids, asks, isNew }: { bids: readonly FeedLevel[]; asks: readonly FeedLevel[]; isNew: boolean },
    nowMs: number,
  ): void {
    this.freeze(nowMs);
    this.#isBookSet = true;
    this.#setBook({ timeMs: nowMs, bids, asks, setMs: isNew ? nowMs : this.#book.setMs }, nowMs);
    this.#mid = midText(this.#book);
    this.emitContext(nowMs);
  }

  /** Scripted: a trade; the book loses what it took unless `keepBook`. */
  trade(trade: MarketTrade, options: { keepBook: boolean }): void {
    this.freeze(trade.timeMs);
    this.#remember(trade);
    this.#emitTrades([trade]);
    if (options.keepBook) return;
    this.#setBook(afterTrade(this.#book, trade), trade.timeMs);
    this.#mid = midText(this.#book);
  }

  /** Scripted: mark, oracle and mid at once. The book moves there first, so that what the price triggers meets it, unless a test has set it. */
  setPrice(price: string, nowMs: number): void {
    this.freeze(nowMs);
    if (!this.#isBookSet && !this.isDelisted) this.#setBook({ ...this.#bookAround(Number(price), nowMs), setMs: nowMs }, nowMs);
    this.setPrices({ mark: price, oracle: price, mid: price }, nowMs);
  }

  /** Scripted: prices of the context that are given, sent at once. */
  setPrices(prices: { mark?: string; oracle?: string; mid?: string; funding?: string }, nowMs: number): void {
    this.freeze(nowMs);
    this.#mark = prices.mark ?? this.#mark;
    this.#oracle = prices.oracle ?? this.#oracle;
    if (prices.mid !== undefined) {
      this.#mid = prices.mid;
      this.#remember({ timeMs: nowMs, price: prices.mid });
      if (!this.isPaused) this.#emit('candle', this.listing.coin, undefined);
    }
    if (prices.funding !== undefined) this.#rates.set(prices.funding, Math.floor(nowMs / HOUR_MS) + 1);
    this.emitContext(nowMs);
  }

  /** Scripted: the rate of the hour that ends at `hour * 1 h`; null = the venue has none. */
  setHourlyRate(hour: number, rate: string | null): void {
    this.#hourlyRates.set(hour, rate);
  }

  /** The funding of the hour that ends at `hour * 1 h`, as the contexts had announced it. */
  hourlyFunding(hour: number): { readonly fundingRate: string; readonly premium: string } | undefined {
    const premium = this.path.premium(hour);
    const isAtRest = this.isFrozenAt(hour * HOUR_MS);
    const ofPath = isAtRest ? this.listing.context.funding : fractionText(fundingRate(premium));
    const isListed = hour * HOUR_MS <= (this.#delistedMs ?? Number.POSITIVE_INFINITY);
    const fundingRateText = isListed ? this.#hourlyRates.get(hour) : null;
    if (fundingRateText === null) return undefined;
    const ofPremium = isAtRest ? this.listing.context.premium : fractionText(premium);
    return { fundingRate: fundingRateText ?? this.#rates.of(hour) ?? ofPath, premium: ofPremium ?? '0.0' };
  }

  emitContext(nowMs: number): void {
    this.#contextDueMs = nowMs + Math.min(CONTEXT_MS_MAX, this.listing.slotMs);
    if (!this.isPaused) this.#emit('activeAssetCtx', this.listing.coin, { coin: this.listing.coin, ctx: this.context(nowMs) });
  }

  /** True when the path was not followed at that time. */
  isFrozenAt(timeMs: number): boolean {
    return this.frozenSpans.some((span) => timeMs >= span.fromMs && timeMs < span.toMs);
  }

  #advanceSlots(nowMs: number): void {
    const oldest = this.path.slotAt(nowMs - CATCH_UP_MS);
    if (this.#slot < oldest) {
      this.#slot = oldest;
      this.#isTraded = true;
    }
    for (;;) {
      if (!this.#isTraded) {
        if (this.path.tradeTimeMs(this.#slot) > nowMs) return;
        this.#tradeSlot();
        this.#isTraded = true;
      }
      if (this.path.slotStartMs(this.#slot + 1) > nowMs) return;
      this.#slot += 1;
      this.#isTraded = false;
      const startMs = this.path.slotStartMs(this.#slot);
      this.#setBook(this.#bookOf(this.#slot, startMs), nowMs);
      this.#followPath(nowMs);
    }
  }

  #tradeSlot(): void {
    const trades = this.path.trades(this.#slot).map((trade) => toMarketTrade(this.listing, trade));
    const [first] = trades;
    if (first === undefined) return;
    this.#emitTrades(trades);
    this.#setBook(trades.reduce(afterTrade, this.#book), first.timeMs);
  }

  #followPath(nowMs: number): void {
    const mid = midText(this.#book);
    this.#mid = mid;
    if (mid === null) return;
    this.#mark = legalPriceText(this.listing, Number(mid));
    const premium = this.path.premium(Math.floor(nowMs / HOUR_MS) + 1);
    this.#oracle = legalPriceText(this.listing, Number(mid) / (1 + premium));
  }

  #setBook(book: BookLevels, nowMs: number): void {
    const former = this.#book;
    this.#book = book;
    this.#bookDueMs = nowMs + QUIET_MS;
    if (this.isPaused) return;
    const { coin } = this.listing;
    this.#emit('l2Book', coin, shownOf(book));
    const [bid = null] = book.bids;
    const [ask = null] = book.asks;
    if (!sameLevel(bid, former.bids[0]) || !sameLevel(ask, former.asks[0])) this.#emit('bbo', coin, book);
  }

  #remember(one: Scripted): void {
    this.scripted.push(one);
    if (this.scripted.length > SCRIPTED_MAX) this.scripted.splice(0, SCRIPTED_MAX / 2);
  }

  #emitTrades(trades: readonly MarketTrade[]): void {
    this.recent.push(...trades);
    if (this.recent.length > RECENT_TRADES) this.recent.splice(0, this.recent.length - RECENT_TRADES);
    if (this.isPaused) return;
    this.#emit('trades', this.listing.coin, trades);
  }

  #bookOf(slot: number, timeMs: number, bestBid = this.path.bidAt(slot)): BookLevels {
    return {
      timeMs,
      bids: this.path.levels(slot, 'bid', LEVELS, bestBid).map((level) => this.#toFeedLevel(level)),
      asks: this.path.levels(slot, 'ask', LEVELS, bestBid + 1).map((level) => this.#toFeedLevel(level)),
    };
  }

  /** The sizes of the path around a price that it may never reach. */
  #bookAround(price: number, timeMs: number): BookLevels {
    const levels = (side: 'bid' | 'ask'): FeedLevel[] =>
      this.path.levels(this.#slot, side, LEVELS, this.listing.baseSteps).flatMap(({ lots, orders }, at): FeedLevel[] => {
        const text = priceAround(this.listing, price, side === 'bid' ? -1 - at : 1 + at);
        return text === undefined ? [] : [[text, sizeText(this.listing, lots), orders]];
      });
    return { timeMs, bids: levels('bid'), asks: levels('ask') };
  }

  #toFeedLevel({ steps, lots, orders }: PathLevel): FeedLevel {
    return [priceText(this.listing, steps), sizeText(this.listing, lots), orders];
  }

  /** The newest trades of the path before now. */
  #pastTrades(nowMs: number): MarketTrade[] {
    const past: MarketTrade[] = [];
    for (let slot = this.path.slotAt(nowMs); past.length < RECENT_TRADES; slot--) {
      if (this.path.tradeTimeMs(slot) > nowMs) continue;
      past.unshift(...this.path.trades(slot).map((trade) => toMarketTrade(this.listing, trade)));
    }
    return past.slice(-RECENT_TRADES);
  }
}

const shownOf = ({ bids, asks, ...book }: BookLevels): BookLevels => ({
  ...book,
  bids: bids.slice(0, LEVELS),
  asks: asks.slice(0, LEVELS),
});

/** The trade with a hash and two traders, which are a function of its id. */
export const withParties = (trade: MarketTrade): MarketTrade => ({
  ...trade,
  hash: hex(trade.tid, 8),
  users: [hex(trade.tid, 5, 1), hex(trade.tid, 5, 2)],
});

/** `words` times 32 bit that look like a hash and are a function of the number. */
function hex(value: number, words: number, salt = 0): string {
  let text = '0x';
  for (let i = 0; i < words; i++)
    text += hash(salt, value, i + 1)
      .toString(16)
      .padStart(8, '0');
  return text;
}

const sameLevel = (a: FeedLevel | null, b: FeedLevel | undefined): boolean =>
  a === null ? b === undefined : b !== undefined && a[0] === b[0] && a[1] === b[1] && a[2] === b[2];

/** Middle of the best levels, one digit more than a legal price at most; null for a book without two sides. */
function midText({ bids: [bid], asks: [ask] }: BookLevels): string | null {
  return bid === undefined || ask === undefined ? null : toWire(new Decimal(bid[0]).plus(ask[0]).div(2));
}

function afterTrade(book: BookLevels, trade: MarketTrade): BookLevels {
  const price = Number(trade.price);
  const side = trade.side === 'buy' ? book.asks : book.bids;
  const left = side.flatMap((level): FeedLevel[] => {
    const levelPrice = Number(level[0]);
    if (trade.side === 'buy' ? levelPrice < price : levelPrice > price) return [];
    if (levelPrice !== price) return [level];
    const rest = new Decimal(level[1]).minus(trade.size);
    return rest.gt(0) ? [[level[0], toWire(rest), level[2]]] : [];
  });
  return trade.side === 'buy' ? { ...book, timeMs: trade.timeMs, asks: left } : { ...book, timeMs: trade.timeMs, bids: left };
}
