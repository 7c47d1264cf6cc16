// The node's live market, which notes what a computation reads of it: so its result can be given again for as long as the
// same would be read, and a computation that read something missing or too old is noticed. It stays one object, because
// the rules remember results with the market that they are of.
import type { Asset } from '../../../market/domain/asset.ts';
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { Book, CoinPrices, MarketView } from '../../../market/domain/marketView.ts';
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
    return { result: compute(), seen };
  }

  /** True while all marks and books that were read are there, and not older than a fill would take them. */
  isFresh({ marks, oldestBookMs, isMissing }: Seen, nowMs: number): boolean {
    if (isMissing || nowMs - oldestBookMs > this.maxAgeMs) return false;
    for (const asset of marks.keys()) {
      const context = this.#market.contextOf(asset);
      if (context === undefined || nowMs - context.timeMs > this.maxAgeMs) return false;
    }
    return true;
  }

  /** True while the same would be read again. */
  isAsSeen({ marks, assets, rates, fundingHourMs, isPassing }: Seen): boolean {
    if (isPassing || (fundingHourMs !== undefined && fundingHourMs !== this.#market.fundingHourMs)) return false;
    for (const [asset, mark] of marks) if (this.#markOf(asset) !== mark) return false;
    for (const [id, asset] of assets) if (this.#market.asset(id) !== asset) return false;
    return rates.every(({ asset, hourMs, isKnown }) => (this.#market.fundingRate(asset, hourMs) !== undefined) === isKnown);
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
    else seen.oldestBookMs = Math.min(seen.oldestBookMs, book.timeMs);
    return book;
  }

  /** Only the mark is remembered; who reads more gets a result of this moment. */
  prices(assetId: number): CoinPrices | undefined {
    const seen = this.#seen;
    seen.marks.set(assetId, this.#markOf(assetId));
    const prices = this.#market.prices(assetId);
    return (
      prices &&
      new SeenPrices(prices, () => {
        seen.isPassing = true;
      })
    );
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
  readonly #onPassing: () => void;

  constructor(prices: CoinPrices, onPassing: () => void) {
    this.#prices = prices;
    this.#onPassing = onPassing;
  }

  get markPrice(): Decimal {
    return this.#prices.markPrice;
  }

  get oraclePrice(): Decimal {
    this.#onPassing();
    return this.#prices.oraclePrice;
  }

  get midPrice(): Decimal | undefined {
    this.#onPassing();
    return this.#prices.midPrice;
  }

  get timeMs(): number {
    this.#onPassing();
    return this.#prices.timeMs;
  }
}
