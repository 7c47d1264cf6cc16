// The node's live market, which notes what a computation reads of it: so its result can be given again for as long as the
// same would be read, and a computation that read something missing or too old is noticed. It stays one object, because
// the rules remember results with the market that they are of.
import type { Asset } from '../../../market/domain/asset.ts';
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { Book, CoinPrices, DeepBook, MarketView } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';

type FundingRate = ReturnType<MarketView['fundingRate']>;

/** What a computation has read of the market. */
export class Seen {
  /** Texts of marks, by asset. */
  readonly marks = new Map<number, string | undefined>();
  readonly assets = new Map<number, Asset | undefined>();
  readonly rates: { readonly asset: number; readonly hourMs: number; readonly isKnown: boolean }[] = [];
  fundingHourMs: number | undefined;
  /** True when something was read that changes all the time: the result cannot be given again. */
  isPassing = false;
  /** Time of the oldest book that was read. */
  oldestBookMs = Number.POSITIVE_INFINITY;
  /** True when a coin or a book was not there. */
  isMissing = false;
  /** Of the market when it was last found to be as it was seen, and the time of the oldest mark then. */
  revision = -1;
  oldestMarkMs = Number.NEGATIVE_INFINITY;
}

export class SeenMarket implements MarketView {
  readonly #market: LiveMarket;
  #seen = new Seen();

  constructor(market: LiveMarket) {
    this.#market = market;
  }

  /** Computes, and says what of the market was read for it. */
  watch<Result>(compute: () => Result): { readonly result: Result; readonly seen: Seen } {
    const seen = new Seen();
    this.#seen = seen;
    const result = compute();
    this.#note(seen);
    return { result, seen };
  }

  /** True while all marks and books that were read are there, and not older than a fill would take them. */
  isFresh({ oldestMarkMs, oldestBookMs, isMissing }: Seen, nowMs: number): boolean {
    return !isMissing && nowMs - Math.min(oldestMarkMs, oldestBookMs) <= this.maxAgeMs;
  }

  /** True while the same would be read again. */
  isAsSeen(seen: Seen): boolean {
    if (seen.isPassing) return false;
    if (seen.revision === this.#market.revision) return true;
    if (!this.#isSame(seen)) return false;
    this.#note(seen);
    return true;
  }

  #isSame({ marks, assets, rates, fundingHourMs }: Seen): boolean {
    if (fundingHourMs !== undefined && fundingHourMs !== this.#market.fundingHourMs) return false;
    for (const [asset, mark] of marks) if (this.#markOf(asset) !== mark) return false;
    for (const [id, asset] of assets) if (this.#market.asset(id) !== asset) return false;
    return rates.every(({ asset, hourMs, isKnown }) => (this.#market.fundingRate(asset, hourMs) !== undefined) === isKnown);
  }

  /** A mark that is not there is as old as can be. */
  #note(seen: Seen): void {
    seen.revision = this.#market.revision;
    seen.oldestMarkMs = Number.POSITIVE_INFINITY;
    for (const asset of seen.marks.keys()) {
      const timeMs = this.#market.contextOf(asset)?.timeMs ?? Number.NEGATIVE_INFINITY;
      seen.oldestMarkMs = Math.min(seen.oldestMarkMs, timeMs);
    }
  }

  asset(id: number): Asset | undefined {
    const asset = this.#market.asset(id);
    this.#seen.assets.set(id, asset);
    if (asset === undefined) this.#seen.isMissing = true;
    return asset;
  }

  assetOf(coin: string): Asset | undefined {
    this.#seen.isPassing = true;
    return this.#market.assetOf(coin);
  }

  book(assetId: number): Book | undefined {
    const seen = this.#seen;
    seen.isPassing = true;
    const book = this.#market.book(assetId);
    if (book === undefined) seen.isMissing = true;
    else seen.oldestBookMs = Math.min(seen.oldestBookMs, book.wholeMs);
    return book;
  }

  deep(assetId: number): DeepBook | undefined {
    this.#seen.isPassing = true;
    return this.#market.deep(assetId);
  }

  /** Only the mark is remembered; who reads more gets a result of this moment. */
  prices(assetId: number): CoinPrices | undefined {
    const seen = this.#seen;
    seen.marks.set(assetId, this.#markOf(assetId));
    const prices = this.#market.prices(assetId);
    return prices && new SeenPrices(prices, seen);
  }

  feedTimeMs(assetId: number): number {
    this.#seen.isPassing = true;
    return this.#market.feedTimeMs(assetId);
  }

  /** A rate that is known never changes. */
  fundingRate(asset: number, hourMs: number): FundingRate {
    const rate = this.#market.fundingRate(asset, hourMs);
    this.#seen.rates.push({ asset, hourMs, isKnown: rate !== undefined });
    return rate;
  }

  settlementPrice(assetId: number): Decimal | undefined {
    this.#seen.isPassing = true;
    return this.#market.settlementPrice(assetId);
  }

  get fundingHourMs(): number {
    const { fundingHourMs } = this.#market;
    this.#seen.fundingHourMs = fundingHourMs;
    return fundingHourMs;
  }

  get tick(): string {
    this.#seen.isPassing = true;
    return this.#market.tick;
  }

  get maxAgeMs(): number {
    return this.#market.maxAgeMs;
  }

  #markOf(asset: number): string | undefined {
    return this.#market.contextOf(asset)?.context.markPx;
  }
}

class SeenPrices implements CoinPrices {
  readonly #prices: CoinPrices;
  readonly #seen: Seen;

  constructor(prices: CoinPrices, seen: Seen) {
    this.#prices = prices;
    this.#seen = seen;
  }

  get markPrice(): Decimal {
    return this.#prices.markPrice;
  }

  get oraclePrice(): Decimal {
    this.#seen.isPassing = true;
    return this.#prices.oraclePrice;
  }

  get midPrice(): Decimal | undefined {
    this.#seen.isPassing = true;
    return this.#prices.midPrice;
  }

  get timeMs(): number {
    this.#seen.isPassing = true;
    return this.#prices.timeMs;
  }
}
