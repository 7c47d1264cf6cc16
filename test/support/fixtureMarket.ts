// A market that a test writes by hand: a few coins with a mark and a short book, a feed clock that moves only when
// the test says so, and changes in the feed's form. It shows exactly what the last call set.

import { toDeepBook } from '../../src/market/domain/aggregateBook.ts';
import type { Asset } from '../../src/market/domain/asset.ts';
import type { BookChange, ContextChange, TradesChange } from '../../src/market/domain/feed.ts';
import type { Book, BookLevel, CoinPrices, DeepBook, MarketView } from '../../src/market/domain/marketView.ts';
import { Decimal } from '../../src/shared/domain/decimal.ts';

/** `[price, size]`, best first. */
export type Levels = readonly (readonly [price: string, size: string])[];

export interface FixtureCoin {
  readonly coin: string;
  readonly sizeDecimals: number;
  readonly maxLeverage: number;
  /** `[lowerBound, maxLeverage]`; one tier with `maxLeverage` by default. */
  readonly marginTiers?: readonly (readonly [lowerBound: string, maxLeverage: number])[];
  readonly onlyIsolated?: boolean;
  readonly strictIsolated?: boolean;
  readonly isDelisted?: boolean;
  readonly isAtOpenInterestCap?: boolean;
  readonly mark?: string;
  readonly bids?: Levels;
  readonly asks?: Levels;
}

/** Asset ids are positions in this list. */
export const FIXTURE_COINS: readonly FixtureCoin[] = [
  { coin: 'BTC', sizeDecimals: 5, maxLeverage: 40, mark: '65000', bids: [['64999', '3']], asks: [['65001', '3']] },
  { coin: 'ETH', sizeDecimals: 4, maxLeverage: 25, mark: '2000', bids: [['1999.9', '50']], asks: [['2000', '50']] },
  {
    coin: 'SOL',
    sizeDecimals: 2,
    maxLeverage: 20,
    mark: '100',
    bids: [
      ['99.9', '5'],
      ['99.8', '10'],
      ['99.7', '20'],
    ],
    asks: [
      ['100', '5'],
      ['100.1', '10'],
      ['100.2', '20'],
    ],
  },
  {
    coin: 'ISO',
    sizeDecimals: 2,
    maxLeverage: 10,
    onlyIsolated: true,
    mark: '50',
    bids: [['49.9', '100']],
    asks: [['50', '100']],
  },
  {
    coin: 'TIER',
    sizeDecimals: 1,
    maxLeverage: 10,
    marginTiers: [
      ['0', 10],
      ['3000000', 5],
    ],
    mark: '100',
    bids: [['99.9', '100000']],
    asks: [['100', '100000']],
  },
  { coin: 'GONE', sizeDecimals: 1, maxLeverage: 3, isDelisted: true, mark: '1', bids: [['0.9', '10']], asks: [['1', '10']] },
  { coin: 'CHEAP', sizeDecimals: 0, maxLeverage: 10, mark: '0.01', bids: [['0.0099', '9000']], asks: [['0.01', '9000']] },
];

export const START_MS = 1_700_000_000_000;

export class FixtureMarket implements MarketView {
  /** The feed's clock, milliseconds; also a good `nowMs` for `decide`. */
  nowMs = START_MS;
  tick = '0-0';
  maxAgeMs = 15_000;
  readonly #assets: Asset[];
  readonly #books = new Map<number, Book>();
  readonly #wholeBooks = new Map<number, Book>();
  readonly #deep = new Map<number, DeepBook>();
  readonly #prices = new Map<number, CoinPrices>();
  readonly #settlementPrices = new Map<number, Decimal>();
  readonly #funding = new Map<string, { rate: Decimal; oraclePrice: Decimal }>();
  fundingHourMs = 0;
  readonly #feedTimes = new Map<number, number>();
  #version = 0;
  #late = 0;
  #tid = 0;

  constructor(coins: readonly FixtureCoin[] = FIXTURE_COINS) {
    this.#assets = coins.map(toAsset);
    for (const { coin, mark, bids, asks } of coins) {
      if (mark) this.setPrices(coin, { mark });
      if (bids || asks) this.setBook(coin, { bids: bids ?? [], asks: asks ?? [] });
    }
  }

  asset(id: number): Asset | undefined {
    return this.#assets[id];
  }

  assetOf(coin: string): Asset | undefined {
    return this.#assets.find((asset) => asset.coin === coin);
  }

  book(assetId: number): Book | undefined {
    return this.#books.get(assetId);
  }

  deep(assetId: number): DeepBook | undefined {
    return this.#deep.get(assetId);
  }

  prices(assetId: number): CoinPrices | undefined {
    return this.#prices.get(assetId);
  }

  feedTimeMs(assetId: number): number {
    return this.#feedTimes.get(assetId) ?? 0;
  }

  fundingRate(assetId: number, hourMs: number): { rate: Decimal; oraclePrice: Decimal } | undefined {
    return this.#funding.get(`${assetId} ${hourMs}`);
  }

  settlementPrice(assetId: number): Decimal | undefined {
    return this.#settlementPrices.get(assetId);
  }

  /** The coin's open interest is at its cap, or no longer. */
  capOpenInterest(coin: string, isAtOpenInterestCap = true): void {
    const asset = this.require(coin);
    this.#assets[asset.id] = { ...asset, isAtOpenInterestCap };
  }

  /** The venue takes the coin off its list; with its settlement price, unless that comes later. */
  delist(coin: string, settlementPrice?: string): void {
    const asset = this.require(coin);
    this.#assets[asset.id] = { ...asset, isDelisted: true };
    if (settlementPrice !== undefined) this.#settlementPrices.set(asset.id, new Decimal(settlementPrice));
  }

  /** The venue's rate and oracle price of an hour boundary. */
  setFunding(coin: string, hourMs: number, { rate, oracle }: { rate: string; oracle: string }): void {
    this.fundingHourMs = Math.max(this.fundingHourMs, hourMs);
    this.#funding.set(`${this.require(coin).id} ${hourMs}`, { rate: new Decimal(rate), oraclePrice: new Decimal(oracle) });
  }

  /** Lets feed time pass; nothing else changes, so books and marks grow older. */
  advance(ms: number): void {
    this.nowMs += ms;
  }

  /** Replaces the whole book of a coin, one millisecond later than what was before. @param book.isSet by a test: its levels are new */
  setBook(coin: string, { bids, asks, isSet }: { bids: Levels; asks: Levels; isSet?: true }): BookChange {
    const { id } = this.require(coin);
    this.nowMs += 1;
    this.#version += 1;
    this.#feedTimes.set(id, this.nowMs);
    const shown = { bids: bids.map(toLevel), asks: asks.map(toLevel) };
    const [bid, ask] = [shown.bids.at(-1)?.price, shown.asks.at(-1)?.price];
    const shownTo = { ...(bid && { bid }), ...(ask && { ask }) };
    const setMs = isSet ? this.nowMs : this.#books.get(id)?.setMs;
    const goesOn = { bid: bids.length >= 20, ask: asks.length >= 20 };
    const book = {
      coin,
      timeMs: this.nowMs,
      wholeMs: this.nowMs,
      version: this.#version,
      ...shown,
      shownTo,
      goesOn,
      setMs,
    };
    this.#books.set(id, book);
    this.#wholeBooks.set(id, book);
    const wire = (levels: Levels) => levels.map(([price, size]) => [price, size, 1] as const);
    return { type: 'book', coin, timeMs: this.nowMs, bids: wire(bids), asks: wire(asks) };
  }

  /** The aggregated book of a coin, as of now. */
  setDeep(coin: string, { bids, asks }: { bids: Levels; asks: Levels }): void {
    const { id } = this.require(coin);
    const text = (levels: Levels) => levels.map(([price, size]) => [price, size, 1] as const);
    const wire = (levels: readonly BookLevel[] = []) =>
      levels.map(({ price, size }) => [price.toFixed(), size.toFixed(), 1] as const);
    const book = this.#books.get(id);
    const { bid, ask } = book?.shownTo ?? {};
    const shownTo = { ...(bid && { bid: bid.toFixed() }), ...(ask && { ask: ask.toFixed() }) };
    const shown = { coin, timeMs: this.nowMs, bids: wire(book?.bids), asks: wire(book?.asks), shownTo };
    const change = { type: 'deep', coin, timeMs: this.nowMs, digits: 3 } as const;
    this.#deep.set(id, toDeepBook({ ...change, bids: text(bids), asks: text(asks) }, shown));
  }

  removeBook(coin: string): void {
    const { id } = this.require(coin);
    this.#books.delete(id);
    this.#wholeBooks.delete(id);
  }

  /** The book as it was set, whatever trades have been folded into it since. */
  wholeBook(assetId: number): Book | undefined {
    return this.#wholeBooks.get(assetId);
  }

  /** Takes a trade from the level that it hit, as the view of a live market does before the next book. */
  foldTrade(coin: string, [side, price, size]: readonly [side: 'buy' | 'sell', price: string, size: string]): void {
    const { id } = this.require(coin);
    const book = this.#books.get(id);
    if (book === undefined) return;
    const left = (levels: readonly BookLevel[]) =>
      levels.flatMap((level) => {
        if (side === 'buy' ? level.price.lt(price) : level.price.gt(price)) return [];
        if (!level.price.eq(price)) return [level];
        const rest = level.size.minus(size);
        return rest.gt(0) ? [{ ...level, size: rest }] : [];
      });
    this.#books.set(id, side === 'buy' ? { ...book, asks: left(book.asks) } : { ...book, bids: left(book.bids) });
  }

  /** Sets mark, oracle and mid; a price that is left out follows the mark, `mid: null` means none. */
  setPrices(coin: string, { mark, oracle, mid }: { mark: string; oracle?: string; mid?: string | null }): ContextChange {
    const { id } = this.require(coin);
    const midText = mid === null ? null : (mid ?? mark);
    this.#prices.set(id, {
      markPrice: new Decimal(mark),
      oraclePrice: new Decimal(oracle ?? mark),
      midPrice: midText === null ? undefined : new Decimal(midText),
      timeMs: this.nowMs,
    });
    const context = {
      funding: '0.0000125',
      openInterest: '1000',
      prevDayPx: mark,
      dayNtlVlm: '0',
      premium: '0',
      oraclePx: oracle ?? mark,
      markPx: mark,
      midPx: midText,
      impactPxs: null,
    };
    return { type: 'context', coin, timeMs: this.nowMs, context };
  }

  removePrices(coin: string): void {
    this.#prices.delete(this.require(coin).id);
  }

  /** Public trades `[aggressor side, price, size]`, one millisecond after what was before, in a tick of their own. */
  trade(coin: string, ...trades: readonly (readonly [side: 'buy' | 'sell', price: string, size: string])[]): TradesChange {
    const { id } = this.require(coin);
    this.nowMs += 1;
    this.#feedTimes.set(id, this.nowMs);
    this.tick = `${this.nowMs}-0`;
    const timeMs = this.nowMs;
    return {
      type: 'trades',
      coin,
      tick: this.tick,
      trades: trades.map(([side, price, size]) => {
        this.#tid += 1;
        return { side, price, size, timeMs, tid: this.#tid };
      }),
    };
  }

  /** Trades that the newest book of the coin contains, and that come after it. */
  lateTrade(coin: string, ...trades: readonly (readonly [side: 'buy' | 'sell', price: string, size: string])[]): TradesChange {
    const { id } = this.require(coin);
    const timeMs = this.#feedTimes.get(id) ?? 0;
    const change = this.trade(coin, ...trades);
    this.#feedTimes.set(id, timeMs);
    this.nowMs -= 1;
    this.#late += 1;
    this.tick = `${this.nowMs}-${this.#late}`;
    return { ...change, tick: this.tick, trades: change.trades.map((trade) => ({ ...trade, timeMs })) };
  }

  /** @throws Error when the coin is not part of this market: a mistake of the test */
  require(coin: string): Asset {
    const asset = this.assetOf(coin);
    if (!asset) throw new Error(`no coin ${coin} in this market`);
    return asset;
  }
}

function toAsset(fields: FixtureCoin, id: number): Asset {
  const tiers = fields.marginTiers ?? [['0', fields.maxLeverage] as const];
  return {
    id,
    coin: fields.coin,
    sizeDecimals: fields.sizeDecimals,
    maxLeverage: fields.maxLeverage,
    marginTiers: tiers.map(([lowerBound, maxLeverage]) => ({ lowerBound: new Decimal(lowerBound), maxLeverage })),
    onlyIsolated: fields.onlyIsolated === true || fields.strictIsolated === true,
    strictIsolated: fields.strictIsolated === true,
    isDelisted: fields.isDelisted === true,
    isAtOpenInterestCap: fields.isAtOpenInterestCap === true,
  };
}

function toLevel([price, size]: readonly [string, string]): BookLevel {
  return { price: new Decimal(price), size: new Decimal(size), orders: 1 };
}
