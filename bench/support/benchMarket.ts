// A market for benches of the trading rules alone: coins at 100 with deep books of twenty levels, 0.1 apart.

import type { Asset } from '../../src/market/domain/asset.ts';
import type { Book, BookLevel, CoinPrices, MarketView } from '../../src/market/domain/marketView.ts';
import { Decimal, ZERO } from '../../src/shared/domain/decimal.ts';

const LEVELS = 20;
const START_MS = 1_700_000_000_000;

const MARK = new Decimal(100);
const BIDS = levels(-1);
const ASKS = levels(1);

function levels(sign: number): BookLevel[] {
  return Array.from({ length: LEVELS }, (_, level) => ({
    price: MARK.plus(new Decimal(sign * (level + 1)).div(10)),
    size: new Decimal(1000 + level),
    orders: 3,
  }));
}

export class BenchMarket implements MarketView {
  nowMs = START_MS;
  readonly tick = '0-0';
  readonly maxAgeMs = 15_000;
  readonly #assets: Asset[];
  readonly #byCoin: ReadonlyMap<string, Asset>;
  #books: Book[] = [];
  #prices: CoinPrices[] = [];

  constructor(coins: number) {
    this.#assets = Array.from({ length: coins }, (_, id) => ({
      id,
      coin: `COIN${id}`,
      sizeDecimals: 2,
      maxLeverage: 20,
      marginTiers: [{ lowerBound: ZERO, maxLeverage: 20 }],
      onlyIsolated: false,
      strictIsolated: false,
      isDelisted: false,
      isAtOpenInterestCap: false,
    }));
    this.#byCoin = new Map(this.#assets.map((asset) => [asset.coin, asset]));
    this.move();
  }

  /** A new book and mark of every coin. The account forgets its takings from the former book. */
  move(mark = MARK): void {
    this.nowMs += 31_000;
    const timeMs = this.nowMs;
    this.#books = this.#assets.map(({ coin }) => ({
      coin,
      timeMs,
      wholeMs: timeMs,
      version: timeMs,
      bids: BIDS,
      asks: ASKS,
      shownTo: {},
      goesOn: { bid: false, ask: false },
    }));
    this.#prices = this.#assets.map(() => ({ markPrice: mark, oraclePrice: mark, midPrice: MARK, timeMs }));
  }

  asset(id: number): Asset | undefined {
    return this.#assets[id];
  }

  assetOf(coin: string): Asset | undefined {
    return this.#byCoin.get(coin);
  }

  book(assetId: number): Book | undefined {
    return this.#books[assetId];
  }

  prices(assetId: number): CoinPrices | undefined {
    return this.#prices[assetId];
  }

  deep(): undefined {
    return undefined;
  }

  settlementPrice(): undefined {
    return undefined;
  }

  readonly fundingHourMs = 0;

  fundingRate(): undefined {
    return undefined;
  }

  feedTimeMs(): number {
    return this.nowMs;
  }
}
