// One coin of a recording that is played: the data of its newest frames, its recent trades, and its candles and funding rates, which
// continue the recorded ones.
import { HOUR_MS } from '../../shared/domain/units.ts';
import { aggregateLevels, type BookAggregation } from '../domain/aggregateBook.ts';
import { candleStart } from '../domain/candleInterval.ts';
import { toWireLevel } from '../venue/wire.ts';
import { PlayedCandles } from './past.ts';

type WireLevel = ReturnType<typeof toWireLevel>;

export interface WireTrade {
  readonly px: string;
  readonly sz: string;
  readonly time: number;
  readonly tid: number;
}

export interface FundingRow {
  readonly coin: string;
  readonly fundingRate: string;
  readonly premium: string;
  readonly time: number;
}

const RECENT_TRADES = 30;
/** Rows of an answer, and rows that are kept. */
export const FUNDING_ROWS_MAX = 500;

export class PlayedCoin {
  readonly #coin: string;
  l2Book?: { readonly levels: readonly [readonly WireLevel[], readonly WireLevel[]] };
  bbo?: unknown;
  activeAssetCtx?: { readonly ctx: { readonly funding: string; readonly premium?: string | null } };
  /** When that was played. */
  #contextMs = 0;
  /** Newest first. */
  readonly trades: WireTrade[] = [];
  readonly candles: PlayedCandles;
  /** Oldest first. */
  readonly fundings: FundingRow[] = [];

  constructor(coin: string, sizeDecimals: number) {
    this.#coin = coin;
    this.candles = new PlayedCandles({ coin, sizeDecimals });
  }

  onTrades(trades: readonly WireTrade[]): void {
    // A recorder that connected again received the latest trades twice.
    const known = new Set(this.trades.map((trade) => trade.tid));
    for (const trade of trades.toSorted((a, b) => a.time - b.time)) {
      if (known.has(trade.tid)) continue;
      this.trades.unshift(trade);
      this.candles.add(trade);
    }
    this.trades.splice(RECENT_TRADES);
  }

  /** The funding rate of the last context, for each hour that has begun since. To be called before the next one. */
  payFunding(nowMs: number): void {
    const ctx = this.activeAssetCtx?.ctx;
    if (ctx !== undefined) {
      for (let time = candleStart('1h', this.#contextMs) + HOUR_MS; time <= nowMs; time += HOUR_MS) {
        this.fundings.push({ coin: this.#coin, fundingRate: ctx.funding, premium: ctx.premium ?? '0.0', time });
      }
      this.fundings.splice(0, this.fundings.length - FUNDING_ROWS_MAX);
    }
    this.#contextMs = nowMs;
  }

  /** As it was recorded, or aggregated; undefined before the first. */
  book(aggregation: BookAggregation | undefined): unknown {
    const book = this.l2Book;
    if (book === undefined || aggregation === undefined) return book;
    const aggregated = (levels: readonly WireLevel[], side: 'bid' | 'ask'): WireLevel[] =>
      aggregateLevels(
        levels.map(({ px, sz, n }) => [px, sz, n]),
        side,
        aggregation,
      ).map(toWireLevel);
    return { ...book, levels: [aggregated(book.levels[0], 'bid'), aggregated(book.levels[1], 'ask')] };
  }
}
