// The market of the fault tests: three coins with books set by a test, small at the top so that orders walk several
// levels, and nearly endless below. Marks stand still, so that every amount can be recomputed.
import type { TestMarket } from '../market.ts';

export interface FaultCoin {
  readonly coin: string;
  readonly asset: number;
  readonly mark: string;
  readonly bids: readonly (readonly [price: string, size: string])[];
  readonly asks: readonly (readonly [price: string, size: string])[];
  /** Smallest size the bot trades, above 10 USD, and the decimals of sizes and prices. */
  readonly size: number;
  readonly sizeDecimals: number;
  readonly priceDecimals: number;
}

export const BTC: FaultCoin = {
  coin: 'BTC',
  asset: 0,
  mark: '65000',
  bids: [
    ['64990', '0.002'],
    ['64980', '0.01'],
    ['64970', '100000'],
  ],
  asks: [
    ['65010', '0.002'],
    ['65020', '0.01'],
    ['65030', '100000'],
  ],
  size: 0.001,
  sizeDecimals: 5,
  priceDecimals: 0,
};

export const ETH: FaultCoin = {
  coin: 'ETH',
  asset: 1,
  mark: '2000',
  bids: [
    ['1999.5', '0.05'],
    ['1999', '0.5'],
    ['1998', '1000000'],
  ],
  asks: [
    ['2000.5', '0.05'],
    ['2001', '0.5'],
    ['2002', '1000000'],
  ],
  size: 0.02,
  sizeDecimals: 4,
  priceDecimals: 1,
};

/** The coin in which trades happen: resting orders on it are filled. */
export const SOL: FaultCoin = {
  coin: 'SOL',
  asset: 5,
  mark: '100',
  bids: [
    ['99.95', '2'],
    ['99.9', '20'],
    ['99.8', '10000000'],
  ],
  asks: [
    ['100.05', '2'],
    ['100.1', '20'],
    ['100.2', '10000000'],
  ],
  size: 0.5,
  sizeDecimals: 2,
  priceDecimals: 2,
};

export const COINS: readonly FaultCoin[] = [BTC, ETH, SOL];

/** Aggressive trades go through orders that rest between these and the book. */
const TRADED_AT = { B: '102', A: '98' } as const;
/** Scripted trade ids, below the ids that the emulator makes up itself and above the ids of its paths. */
const TRADE_TID_BASE = 2 ** 48;
const TRADE_EVERY_MS = 60;

export async function setBooks(market: TestMarket): Promise<void> {
  for (const { coin, mark, bids, asks } of COINS) {
    await market.control({ op: 'setPrice', coin, px: mark });
    await market.control({ op: 'setBook', coin, bids, asks });
  }
}

/** Public trades on SOL, one after the other, until it is stopped; knows what was sold below TRADED_AT.A. */
export class Trading {
  static #tid = TRADE_TID_BASE + (Date.now() % 2 ** 40);
  readonly #market: TestMarket;
  /** Size of the sells, by trade id, in hundredths. */
  readonly sold = new Map<number, number>();
  #isStopping = false;
  #done: Promise<void> = Promise.resolve();

  constructor(market: TestMarket) {
    this.#market = market;
  }

  start(): this {
    this.#done = this.#run();
    return this;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
  }

  async #run(): Promise<void> {
    for (let i = 0; !this.#isStopping; i++) {
      const side = i % 3 === 2 ? 'B' : 'A';
      const hundredths = 10 + (i % 7);
      Trading.#tid += 1;
      const tid = Trading.#tid;
      if (side === 'A') this.sold.set(tid, hundredths);
      const sz = (hundredths / 100).toFixed(2);
      await this.#market.control({
        op: 'trade',
        coin: SOL.coin,
        px: TRADED_AT[side],
        sz,
        side,
        keepBook: true,
        tid,
        time: Date.now(),
      });
      await new Promise((resolve) => setTimeout(resolve, TRADE_EVERY_MS));
    }
  }
}
