// The text frames of the connections to the venue, as changes of the market. The reader counts and drops a frame with
// a time in the future, and a frame that makes no sense. It separates trades that are news from trades before the connection.
import { unreachable } from '../shared/domain/assert.ts';
import { Decimal, toWire } from '../shared/domain/decimal.ts';
import { MINUTE_MS } from '../shared/domain/units.ts';
import type { Logger } from '../shared/logger.ts';
import type { BboChange, BookChange, CandleChange, ContextChange, MarketTrade, MidsChange, VenueCandle } from './domain/feed.ts';
import type { QuietFeeds } from './domain/quietFeeds.ts';
import { readFrame, UnreadableFrame, type VenueTrades } from './domain/venueFrame.ts';

export interface FrameHandlers {
  onChange(change: BookChange | BboChange | ContextChange | CandleChange | MidsChange): void;
  /** New trades. `isPast`: they happened before the connection and must fill no order. */
  onTrades(trades: VenueTrades, options: { isPast: boolean }): void;
}

/** One connection, since it is open. */
export interface FrameSource {
  readonly openedMs: number;
  /** Coins whose snapshot of trades has come on it. */
  readonly greeted: Set<string>;
}

export const CANDLE_INTERVAL = '1m';
/** The clock of the venue may be ahead by this; a later time is wrong. */
const CLOCK_AHEAD_MS_MAX = 60_000;
/** One in this many unreadable frames is logged. */
const UNREADABLE_LOG_EVERY = 1000;
/** One in this many `error` frames of the venue is logged. */
const COMPLAINT_LOG_EVERY = 100;

interface FramesParts {
  readonly log: Logger;
  readonly now: () => number;
  readonly handlers: FrameHandlers;
  readonly feeds: QuietFeeds;
}

export class VenueFrames {
  readonly #parts: FramesParts;
  /** Coins with a candle feed; the other coins get candles of their trades. */
  candleCoins: ReadonlySet<string> = new Set();
  readonly #tradeCandles = new TradeCandles();
  /** Frames that came, those that could not be read, changes with a time in the future, and the venue's `error` frames. */
  readonly counters = { frames: 0, unreadable: 0, future: 0, complaints: 0 };

  constructor(parts: FramesParts) {
    this.#parts = parts;
  }

  onText(text: string, source: FrameSource): void {
    const { log, now, handlers, feeds } = this.#parts;
    const nowMs = now();
    this.counters.frames += 1;
    try {
      const frame = readFrame(text, nowMs);
      switch (frame.type) {
        case 'venueTrades':
          this.#onTrades(frame, source);
          break;
        case 'book':
        case 'bbo':
          this.onBook(frame, nowMs);
          break;
        case 'context':
          feeds.onContext(frame.coin, nowMs);
          handlers.onChange(frame);
          break;
        case 'mids':
          handlers.onChange(frame);
          break;
        case 'candle':
          this.#onCandle(frame, nowMs);
          break;
        case 'venueError':
          this.#onComplaint(frame.text);
          break;
        case 'other':
          break;
        default:
          unreachable(frame);
      }
    } catch (error) {
      if (!(error instanceof UnreadableFrame)) throw error;
      this.counters.unreadable += 1;
      if (this.counters.unreadable % UNREADABLE_LOG_EVERY === 1) {
        log.warn({ reason: error.message, count: this.counters.unreadable, frame: text.slice(0, 200) }, 'unreadable frame');
      }
    }
  }

  onBook(change: BookChange | BboChange, nowMs: number): void {
    const { handlers, feeds } = this.#parts;
    if (change.timeMs > nowMs + CLOCK_AHEAD_MS_MAX) {
      this.counters.future += 1;
      return;
    }
    if (change.type === 'book') feeds.onBook(change.coin, nowMs);
    handlers.onChange(change);
  }

  #onCandle(change: CandleChange, nowMs: number): void {
    if (change.candle.i !== CANDLE_INTERVAL) return;
    if (change.candle.t > nowMs + CLOCK_AHEAD_MS_MAX) this.counters.future += 1;
    else this.#parts.handlers.onChange(change);
  }

  /** A venue that does not know a channel says so once per coin; the other channels go on. */
  #onComplaint(text: string): void {
    this.counters.complaints += 1;
    if (this.counters.complaints % COMPLAINT_LOG_EVERY === 1) {
      this.#parts.log.warn({ text: text.slice(0, 200), count: this.counters.complaints }, 'upstream complains');
    }
  }

  /** The first trades of a coin on a connection are its 30 latest, unmarked: those from before it fill nothing. */
  #onTrades(frame: VenueTrades, { openedMs, greeted }: FrameSource): void {
    const { now, handlers } = this.#parts;
    const inTime = frame.trades.filter((trade) => trade.timeMs <= now() + CLOCK_AHEAD_MS_MAX);
    this.counters.future += frame.trades.length - inTime.length;
    const isGreeting = !greeted.has(frame.coin);
    greeted.add(frame.coin);
    if (!this.candleCoins.has(frame.coin)) this.#makeCandles(frame.coin, inTime, isGreeting ? openedMs : undefined);
    const past = isGreeting ? inTime.filter((trade) => trade.timeMs <= openedMs) : [];
    const live = isGreeting ? inTime.filter((trade) => trade.timeMs > openedMs) : inTime;
    if (past.length > 0) handlers.onTrades({ ...frame, trades: past }, { isPast: true });
    if (live.length > 0) handlers.onTrades({ ...frame, trades: live }, { isPast: false });
  }

  /** @param openedMs of the connection, with its first trades of the coin: those before it are its latest, without a hole */
  #makeCandles(coin: string, trades: VenueTrades['trades'], openedMs: number | undefined): void {
    const { now, handlers } = this.#parts;
    const oldestMs = trades[0]?.timeMs ?? Number.POSITIVE_INFINITY;
    if (openedMs !== undefined) this.#tradeCandles.begin(coin, Math.min(openedMs, oldestMs + 1));
    for (const candle of this.#tradeCandles.onTrades(coin, trades))
      handlers.onChange({ type: 'candle', coin, timeMs: now(), candle });
  }
}

interface Minute {
  readonly candle: VenueCandle;
  readonly tids: Set<number>;
}

/**
 * One-minute candles made of trades, for the coins that have no candle feed: the venue's limit of subscriptions leaves room for some only. A
 * minute counts from where all of its trades are known; one that began before the connection is left to the venue.
 */
export class TradeCandles {
  readonly #coins = new Map<string, { readonly knownSinceMs: number; minute: Minute | undefined }>();

  /** A connection has begun. @param knownSinceMs all trades of the coin from then on are known, or are yet to come */
  begin(coin: string, knownSinceMs: number): void {
    this.#coins.set(coin, { knownSinceMs, minute: undefined });
  }

  /**
   * @param trades oldest first; one that is repeated, or is of a minute that is over, changes nothing
   * @returns the candles that they change, each as it is after them, oldest first
   */
  onTrades(coin: string, trades: readonly MarketTrade[]): VenueCandle[] {
    const known = this.#coins.get(coin);
    const changed = new Map<number, VenueCandle>();
    for (const trade of known === undefined ? [] : trades) {
      const t = trade.timeMs - (trade.timeMs % MINUTE_MS);
      if (known === undefined || t < known.knownSinceMs || t < (known.minute?.candle.t ?? 0)) continue;
      const before = known.minute?.candle.t === t ? known.minute : undefined;
      if (before?.tids.has(trade.tid)) continue;
      known.minute = {
        candle: before === undefined ? firstOf(coin, t, trade) : withTrade(before.candle, trade),
        tids: (before?.tids ?? new Set()).add(trade.tid),
      };
      changed.set(t, known.minute.candle);
    }
    return [...changed.values()];
  }
}

function firstOf(coin: string, t: number, { price, size }: MarketTrade): VenueCandle {
  const v = toWire(new Decimal(size));
  return { t, T: t + MINUTE_MS - 1, s: coin, i: '1m', o: price, c: price, h: price, l: price, v, n: 1 };
}

function withTrade(candle: VenueCandle, { price, size }: MarketTrade): VenueCandle {
  return {
    ...candle,
    c: price,
    h: new Decimal(price).gt(candle.h) ? price : candle.h,
    l: new Decimal(price).lt(candle.l) ? price : candle.l,
    v: toWire(new Decimal(candle.v).plus(size)),
    n: candle.n + 1,
  };
}
