// The leader's accepted state, and the gate through which every upstream change passes before it is published.
// Repeated, reordered and older data stops here; an accepted change becomes part of the latest state, ready to be
// written.
import type { VenueMeta } from './asset.ts';
import {
  type AcceptedChange,
  type BookChange,
  type CandleChange,
  type ContextChange,
  type DeepChange,
  type DelistingChange,
  type FundingChange,
  fieldOf,
  type MarketChange,
  type MarketTrade,
  type MidsChange,
  type PastTradesChange,
  readChange,
  type StatusChange,
  type StoredTrades,
  type VenueCandle,
} from './feed.ts';
import { RECENT_TRADES_MAX } from './liveMarket.ts';
import type { VenueTrades } from './venueFrame.ts';

interface CoinTimes {
  bookMs: number;
  bboMs: number;
  tradeMs: number;
  candle: VenueCandle | undefined;
  /** Newest last. */
  trades: MarketTrade[];
}

/** Ids remembered per coin for telling a repeated trade; more than the venue repeats on subscribing. */
const KNOWN_TRADES_MAX = 200;

export class MarketState {
  readonly #coins = new Map<string, CoinTimes>();
  readonly #fields = new Map<string, AcceptedChange>();
  #mids: Record<string, string> = {};
  #metaJson = '';

  /** @param fields the state that an earlier leader wrote: older data is refused */
  constructor(fields: Readonly<Record<string, string>> = {}) {
    for (const [field, json] of Object.entries(fields)) {
      const change = readChange(json);
      this.#fields.set(field, change);
      if (change.type === 'book') this.#coin(change.coin).bookMs = change.timeMs;
      else if (change.type === 'bbo') this.#coin(change.coin).bboMs = change.timeMs;
      else if (change.type === 'candle') this.#coin(change.coin).candle = change.candle;
      else if (change.type === 'pastTrades') this.#remember(change.coin, change.trades);
      else if (change.type === 'mids') this.#mids = { ...change.mids };
      else if (change.type === 'meta') this.#metaJson = JSON.stringify(change);
    }
  }

  /** The whole state: field of `{mkt}:state` -> the newest change of its kind. */
  get fields(): ReadonlyMap<string, AcceptedChange> {
    return this.#fields;
  }

  /** Time of the coin's newest book, 0 = none. */
  bookTimeMs(coin: string): number {
    return this.#coins.get(coin)?.bookMs ?? 0;
  }

  /** A whole book or a best bid and offer; undefined when it is older than what is known. */
  onBook<Change extends BookChange | Extract<MarketChange, { type: 'bbo' }>>(change: Change): Change | undefined {
    const known = this.#coin(change.coin);
    const field = change.type === 'book' ? 'bookMs' : 'bboMs';
    if (change.timeMs < known[field]) return undefined;
    known[field] = change.timeMs;
    this.#write(change);
    return change;
  }

  /**
   * A change that replaces the one before it, whatever its time. Of aggregated books the leader asks for one after the other, and a book
   * that goes deeper has the time of its oldest part.
   */
  onNewest<Change extends ContextChange | DeepChange | FundingChange | DelistingChange | StatusChange>(change: Change): Change {
    this.#write(change);
    return change;
  }

  /** Trades that are new: not seen by id, and not older than the newest known. Undefined when none is left. */
  onTrades(frame: VenueTrades): StoredTrades | undefined {
    const known = this.#coin(frame.coin);
    const tids = new Set(known.trades.map((trade) => trade.tid));
    const { tradeMs } = known;
    const fresh = frame.trades.filter((trade) => {
      if (trade.timeMs < tradeMs || tids.has(trade.tid)) return false;
      tids.add(trade.tid);
      return true;
    });
    if (fresh.length === 0) return undefined;
    this.#remember(frame.coin, fresh);
    this.#writeTrades(frame.coin);
    return { type: 'trades', coin: frame.coin, trades: fresh };
  }

  /** Trades from before the connection: they fill the list of recent ones and are known from now on. */
  onPastTrades(frame: VenueTrades): PastTradesChange | undefined {
    const known = this.#coin(frame.coin);
    const tids = new Set(known.trades.map((trade) => trade.tid));
    const missing = frame.trades.filter((trade) => !tids.has(trade.tid) && trade.timeMs >= known.tradeMs);
    if (missing.length === 0) return undefined;
    this.#remember(frame.coin, missing);
    return this.#writeTrades(frame.coin);
  }

  /** A minute's candle with more trades than before, or another price without one, or a later minute's. */
  onCandle(change: CandleChange): CandleChange | undefined {
    const known = this.#coin(change.coin);
    const { candle } = change;
    if (known.candle !== undefined && !isLaterCandle(candle, known.candle)) return undefined;
    known.candle = candle;
    this.#write(change);
    return change;
  }

  /** Only the mids that changed, and always a time. */
  onMids(change: MidsChange): MidsChange {
    const changed = Object.fromEntries(Object.entries(change.mids).filter(([coin, mid]) => this.#mids[coin] !== mid));
    this.#mids = { ...this.#mids, ...changed };
    this.#write({ ...change, mids: this.#mids });
    return { ...change, mids: changed };
  }

  /** Undefined when nothing has changed. */
  onMeta(meta: VenueMeta, atOpenInterestCap: readonly string[]): Extract<MarketChange, { type: 'meta' }> | undefined {
    const change = { type: 'meta', meta, ...(atOpenInterestCap.length > 0 && { atOpenInterestCap }) } as const;
    const json = JSON.stringify(change);
    if (json === this.#metaJson) return undefined;
    this.#metaJson = json;
    this.#write(change);
    return change;
  }

  #remember(coin: string, trades: readonly MarketTrade[]): void {
    const known = this.#coin(coin);
    known.trades.push(...trades);
    if (known.trades.length > KNOWN_TRADES_MAX) known.trades.splice(0, known.trades.length - KNOWN_TRADES_MAX);
    for (const trade of trades) known.tradeMs = Math.max(known.tradeMs, trade.timeMs);
  }

  #writeTrades(coin: string): PastTradesChange {
    const change = { type: 'pastTrades', coin, trades: this.#coin(coin).trades.slice(-RECENT_TRADES_MAX) } as const;
    this.#write(change);
    return change;
  }

  #write(change: AcceptedChange): void {
    this.#fields.set(fieldOf(change), change);
  }

  #coin(coin: string): CoinTimes {
    let known = this.#coins.get(coin);
    if (known === undefined) {
      known = { bookMs: 0, bboMs: 0, tradeMs: 0, candle: undefined, trades: [] };
      this.#coins.set(coin, known);
    }
    return known;
  }
}

const isLaterCandle = (candle: VenueCandle, known: VenueCandle): boolean =>
  candle.t > known.t || (candle.t === known.t && (candle.n > known.n || (candle.n === known.n && isOtherPrice(candle, known))));

/** Prices that a test has set count as no trade. */
const isOtherPrice = (a: VenueCandle, b: VenueCandle): boolean => a.c !== b.c || a.h !== b.h || a.l !== b.l;
