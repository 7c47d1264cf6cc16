// The market at one moment, as a trading rule may see it. It is an input of `decide`, so a test or a replay can
// provide any.
import type { Decimal } from '../../shared/domain/decimal.ts';
import type { Asset } from './asset.ts';

/** One price level of a book: the displayed size, before what any account has taken from it. */
export interface BookLevel {
  readonly price: Decimal;
  readonly size: Decimal;
  readonly orders: number;
}

/**
 * The latest book of one coin with newer bbo and trades applied (trading-rules 3.1). Best level first on both sides.
 * `version` rises with every change and `timeMs` is the upstream's time of the newest part. `wholeMs` is that of the whole book under
 * it: levels behind the best ones are as old as that, so by it the book's age is judged.
 */
export interface Book {
  readonly coin: string;
  readonly timeMs: number;
  readonly wholeMs: number;
  readonly version: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly shownTo: ShownTo<Decimal>;
  /** Sides that may go on beyond their last level: the venue shows 20 levels of a side at most. */
  readonly goesOn: Readonly<Record<'bid' | 'ask', boolean>>;
  /** When a test has set it, upstream time; absent = never. */
  readonly setMs?: number | undefined;
}

/** The coins beyond `from`, up to `price`, the worst price of the bucket. */
export interface Bucket extends BookLevel {
  readonly from: Decimal;
}

/** The buckets beyond the displayed levels when the aggregated book came, best first; `timeMs` is the upstream's. */
export interface DeepBook {
  readonly timeMs: number;
  /** Significant digits of its coarsest prices. */
  readonly digits: number;
  readonly bids: readonly Bucket[];
  readonly asks: readonly Bucket[];
}

/** The last displayed price of each side; sizes beyond it are unknown. A side that the venue shows empty is known whole. */
export interface ShownTo<Price> {
  readonly bid?: Price;
  readonly ask?: Price;
}

/** Mark, oracle and mid of one coin; `timeMs` is when the mark was last heard of. */
export interface CoinPrices {
  readonly markPrice: Decimal;
  readonly oraclePrice: Decimal;
  readonly midPrice: Decimal | undefined;
  readonly timeMs: number;
}

export interface MarketView {
  /** Asset by id, delisted ones included. */
  asset(id: number): Asset | undefined;
  /** Asset by coin name, case sensitive. */
  assetOf(coin: string): Asset | undefined;
  book(assetId: number): Book | undefined;
  /** The newest buckets beyond the displayed levels, of any age; undefined where no account or node has asked for them. */
  deep(assetId: number): DeepBook | undefined;
  prices(assetId: number): CoinPrices | undefined;
  /** Newest upstream time seen on any trade or book of the coin; orders are stamped with it when accepted. 0 = none. */
  feedTimeMs(assetId: number): number;
  /** Rate and oracle price of the asset at an hour boundary; undefined when not known (yet), or no longer. */
  fundingRate(assetId: number, hourMs: number): { readonly rate: Decimal; readonly oraclePrice: Decimal } | undefined;
  /** Price at which positions in the asset are settled, once the venue has taken it off its list; undefined before. */
  settlementPrice(assetId: number): Decimal | undefined;
  /** Newest hour boundary of which any rate is known; 0 = none. */
  readonly fundingHourMs: number;
  /** Tick position: id of the newest entry of the tick stream that this view includes, `'0-0'` at first. */
  readonly tick: string;
  /** Books and marks older than this refuse new orders (MARKET_MAX_AGE_MS). */
  readonly maxAgeMs: number;
}
