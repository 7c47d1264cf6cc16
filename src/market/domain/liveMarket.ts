// The market as one process sees it: a fold over the leader's state and changes. Actors trade against it and the API
// answers from it. Changes of hundreds of coins several times a second only replace text; numbers are parsed when
// they are read.
import { unreachable } from '../../shared/domain/assert.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { toDeepBook } from './aggregateBook.ts';
import { type Asset, toAssets, type VenueMeta } from './asset.ts';
import { type BookText, CoinBook, LivePrices } from './coinBook.ts';
import {
  type AssetContext,
  type BboChange,
  type BookChange,
  type CandleChange,
  type ContextChange,
  type DeepChange,
  type DelistingChange,
  type FundingChange,
  type MarketChange,
  type MarketTrade,
  type MetaChange,
  type MidsChange,
  type PastTradesChange,
  readChange,
  type StatusChange,
  type TradesChange,
} from './feed.ts';
import type { Book, CoinPrices, DeepBook, MarketView } from './marketView.ts';

/** How many public trades of a coin are remembered, as many as the venue sends on subscribing. */
export const RECENT_TRADES_MAX = 30;

/** Ages of one kind of feed over the listed coins, ms. `stale` counts coins older than the bound or without any data. */
export interface FeedAge {
  readonly newestMs: number | null;
  readonly oldestMs: number | null;
  readonly stale: number;
}

/** All that is known of one coin. */
class CoinState {
  book = new CoinBook();
  context: ContextChange | undefined;
  candle: CandleChange | undefined;
  /** By hour boundary, where both numbers are known. */
  funding: ReadonlyMap<number, readonly [rate: string, oraclePrice: string]> = new Map();
  /** Of the context. */
  prices: CoinPrices | undefined;
  /** Oldest first. */
  trades: MarketTrade[] = [];
  feedTimeMs = 0;
  delisting: DelistingChange | undefined;
  deep: DeepBook | undefined;

  /** The prices read the book as it goes on: a copy makes its own. */
  copy(): CoinState {
    return Object.assign(new CoinState(), this, { book: this.book.copy(), prices: undefined, trades: [...this.trades] });
  }
}

export class LiveMarket implements MarketView {
  readonly maxAgeMs: number;
  #tick = '0-0';
  #meta: VenueMeta | undefined;
  #assets: readonly Asset[] = [];
  #byCoin = new Map<string, Asset>();
  #coins = new Map<string, CoinState>();
  #mids: Record<string, string> = {};
  #midsTimeMs = 0;
  #fundingHourMs = 0;
  #status: StatusChange | undefined;
  #revision = 0;

  /** @param options.maxAgeMs MARKET_MAX_AGE_MS */
  constructor(options: { maxAgeMs: number }) {
    this.maxAgeMs = options.maxAgeMs;
  }

  /**
   * Replaces everything by the leader's state.
   * @param fields the hash `{mkt}:state`
   * @param tick the newest tick that it includes
   */
  load(fields: Readonly<Record<string, string>>, tick: string): void {
    this.#revision += 1;
    const former = this.#coins;
    this.#coins = new Map();
    this.#mids = {};
    this.#tick = tick;
    const changes = Object.values(fields).map((json) => readChange<Exclude<MarketChange, TradesChange>>(json));
    // An aggregated book is read beside the displayed one.
    for (const change of changes) if (change.type !== 'deep') this.apply(change);
    for (const change of changes) if (change.type === 'deep') this.apply(change);
    // Versions keep rising over a load, so a reader never takes a reloaded book for the one that it knows.
    for (const [coin, state] of this.#coins) state.book.version += former.get(coin)?.book.version ?? 0;
  }

  /** The market as it is now, which no later change touches. */
  copy(): LiveMarket {
    const copy = new LiveMarket(this);
    copy.#revision = this.#revision;
    copy.#tick = this.#tick;
    copy.#meta = this.#meta;
    copy.#assets = this.#assets;
    copy.#byCoin = this.#byCoin;
    copy.#coins = new Map([...this.#coins].map(([coin, state]) => [coin, state.copy()]));
    copy.#mids = { ...this.#mids };
    copy.#midsTimeMs = this.#midsTimeMs;
    copy.#fundingHourMs = this.#fundingHourMs;
    copy.#status = this.#status;
    return copy;
  }

  /** Folds one change. The leader drops data older than the newest, and so does this. */
  apply(change: MarketChange): void {
    switch (change.type) {
      case 'book':
        this.#applyBook(change);
        break;
      case 'bbo':
        this.#applyBbo(change);
        break;
      case 'trades':
        if (isLaterTick(change.tick, this.#tick)) this.#tick = change.tick;
        this.#applyTrades(change.coin, change.trades);
        break;
      case 'pastTrades':
        this.#applyPastTrades(change);
        break;
      case 'context':
        this.#applyContext(change);
        break;
      case 'candle':
        this.#coin(change.coin).candle = change;
        break;
      case 'mids':
        this.#applyMids(change);
        break;
      case 'funding':
        this.#applyFunding(change);
        break;
      case 'deep':
        this.#applyDeep(change);
        break;
      case 'delisting':
        this.#coin(change.coin).delisting = change;
        break;
      case 'meta':
        this.#applyMeta(change);
        break;
      case 'status':
        this.#status = change;
        break;
      default:
        unreachable(change);
    }
  }

  /** Rises with every change of a mark, the listing or a funding rate: as long as it stands, all that is read of them does. */
  get revision(): number {
    return this.#revision;
  }

  get tick(): string {
    return this.#tick;
  }

  asset(id: number): Asset | undefined {
    return this.#assets[id];
  }

  assetOf(coin: string): Asset | undefined {
    return this.#byCoin.get(coin);
  }

  book(assetId: number): Book | undefined {
    return this.#stateOf(assetId)?.book.book();
  }

  deep(assetId: number): DeepBook | undefined {
    return this.#stateOf(assetId)?.deep;
  }

  /** Mid price: of the book when it has two sides, else the venue's. */
  prices(assetId: number): CoinPrices | undefined {
    const state = this.#stateOf(assetId);
    if (state?.context === undefined) return undefined;
    state.prices ??= new LivePrices(state.context, state.book);
    return state.prices;
  }

  feedTimeMs(assetId: number): number {
    return this.#stateOf(assetId)?.feedTimeMs ?? 0;
  }

  fundingRate(assetId: number, hourMs: number): { rate: Decimal; oraclePrice: Decimal } | undefined {
    const known = this.#stateOf(assetId)?.funding.get(hourMs);
    return known && { rate: new Decimal(known[0]), oraclePrice: new Decimal(known[1]) };
  }

  settlementPrice(assetId: number): Decimal | undefined {
    const delisting = this.#assets[assetId]?.isDelisted ? this.#stateOf(assetId)?.delisting : undefined;
    return delisting && new Decimal(delisting.price);
  }

  get fundingHourMs(): number {
    return this.#fundingHourMs;
  }

  /** The venue's own `meta`, with every field it sent; undefined until the first load. */
  get rawMeta(): VenueMeta | undefined {
    return this.#meta;
  }

  /** The venue's contexts in the order of the universe; undefined where none has come yet. */
  contexts(): readonly (AssetContext | undefined)[] {
    return this.#assets.map((asset) => this.#coins.get(asset.coin)?.context?.context);
  }

  /** Mark and all that came with it; undefined where none has come yet. */
  contextOf(assetId: number): ContextChange | undefined {
    return this.#stateOf(assetId)?.context;
  }

  /** The venue's mids by coin, spot pairs included. */
  mids(): Readonly<Record<string, string>> {
    return this.#mids;
  }

  /** The book as text, best level first, newer bbo and trades applied. */
  bookText(coin: string): BookText | undefined {
    return this.#coins.get(coin)?.book.text();
  }

  /** The newest public trades of a coin, newest first. */
  recentTrades(coin: string): readonly MarketTrade[] {
    return this.#coins.get(coin)?.trades.toReversed() ?? [];
  }

  /** The newest one-minute candle of a coin; undefined while the venue has pushed none. */
  candle(coin: string): CandleChange | undefined {
    return this.#coins.get(coin)?.candle;
  }

  /** Where the data comes from; undefined until the first load. */
  get status(): StatusChange | undefined {
    return this.#status;
  }

  /** Ages by the upstream's own times (contexts and mids: by when they were received), over the coins that are listed. */
  ages(nowMs: number): { readonly book: FeedAge; readonly context: FeedAge; readonly trades: FeedAge; readonly mids: FeedAge } {
    const listed = this.#assets.filter((asset) => !asset.isDelisted).map((asset) => this.#coins.get(asset.coin));
    const age = (times: readonly number[]): FeedAge => this.#ageOf(times, nowMs);
    return {
      book: age(listed.map((state) => state?.book.bookTimeMs ?? 0)),
      context: age(listed.map((state) => state?.context?.timeMs ?? 0)),
      trades: age(listed.map((state) => state?.trades.at(-1)?.timeMs ?? 0)),
      mids: age([this.#midsTimeMs]),
    };
  }

  #applyBook(change: BookChange): void {
    const state = this.#coin(change.coin);
    state.book.onBook(change);
    state.feedTimeMs = Math.max(state.feedTimeMs, change.timeMs);
  }

  #applyBbo(change: BboChange): void {
    const state = this.#coin(change.coin);
    state.book.onBbo(change);
    state.feedTimeMs = Math.max(state.feedTimeMs, change.timeMs);
  }

  #applyDeep(change: DeepChange): void {
    const state = this.#coin(change.coin);
    state.deep = toDeepBook(change, state.book.text());
  }

  #applyTrades(coin: string, trades: readonly MarketTrade[]): void {
    const state = this.#coin(coin);
    state.trades.push(...trades);
    if (state.trades.length > RECENT_TRADES_MAX) state.trades.splice(0, state.trades.length - RECENT_TRADES_MAX);
    this.#onTraded(state, trades);
  }

  /** Replaces the listing. Trades after the last book stay applied to it. */
  #applyPastTrades(change: PastTradesChange): void {
    const state = this.#coin(change.coin);
    state.trades = change.trades.slice(-RECENT_TRADES_MAX);
    this.#onTraded(state, state.trades);
  }

  #onTraded(state: CoinState, trades: readonly MarketTrade[]): void {
    state.book.onTrades(trades);
    for (const trade of trades) state.feedTimeMs = Math.max(state.feedTimeMs, trade.timeMs);
  }

  #applyContext(change: ContextChange): void {
    const state = this.#coin(change.coin);
    state.context = change;
    state.prices = undefined;
    this.#revision += 1;
  }

  #applyFunding({ coin, hours }: FundingChange): void {
    const known = hours.flatMap(([hourMs, rate, oraclePrice]) =>
      rate === null || oraclePrice === null ? [] : [[hourMs, [rate, oraclePrice]] as const],
    );
    this.#coin(coin).funding = new Map(known);
    this.#revision += 1;
    this.#fundingHourMs = Math.max(this.#fundingHourMs, known.at(-1)?.[0] ?? 0);
  }

  #applyMids(change: MidsChange): void {
    Object.assign(this.#mids, change.mids);
    this.#midsTimeMs = change.timeMs;
  }

  #applyMeta(change: MetaChange): void {
    this.#meta = change.meta;
    this.#revision += 1;
    this.#assets = toAssets(change.meta, change.atOpenInterestCap);
    this.#byCoin = new Map(this.#assets.map((asset) => [asset.coin, asset]));
  }

  #stateOf(assetId: number): CoinState | undefined {
    const asset = this.#assets[assetId];
    return asset === undefined ? undefined : this.#coins.get(asset.coin);
  }

  #coin(coin: string): CoinState {
    let state = this.#coins.get(coin);
    if (state === undefined) {
      state = new CoinState();
      this.#coins.set(coin, state);
    }
    return state;
  }

  #ageOf(times: readonly number[], nowMs: number): FeedAge {
    const known = times.filter((timeMs) => timeMs > 0);
    return {
      newestMs: known.length === 0 ? null : nowMs - Math.max(...known),
      oldestMs: known.length === 0 ? null : nowMs - Math.min(...known),
      stale: times.filter((timeMs) => timeMs === 0 || nowMs - timeMs > this.maxAgeMs).length,
    };
  }
}

/** True when stream id `a` comes after `b`; ids are `<ms>-<n>`. */
export function isLaterTick(a: string, b: string): boolean {
  const [aMs, aN] = a.split('-').map(Number);
  const [bMs, bN] = b.split('-').map(Number);
  return (aMs ?? 0) > (bMs ?? 0) || (aMs === bMs && (aN ?? 0) > (bN ?? 0));
}
