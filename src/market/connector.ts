// The connection to the venue, whether live, emulated or replayed. It loads the listing whole by REST, keeps it up to
// date by WebSocket, and loads it whole again after every gap. It hands changes on; the caller decides which to
// accept.
import { setTimeout as sleep } from 'node:timers/promises';
import { unreachable } from '../shared/domain/assert.ts';
import type { Logger } from '../shared/logger.ts';
import { Retrying } from '../shared/retrying.ts';
import type { AskVenue } from '../shared/venue/venueQuestions.ts';
import { type OpeningPace, SUBSCRIPTIONS_MAX, VenueSocket, type VenueSubscription } from '../shared/venue/venueSocket.ts';
import { CappedCoins } from './cappedCoins.ts';
import type { VenueMeta } from './domain/asset.ts';
import type { BboChange, BookChange, CandleChange, ContextChange, MidsChange } from './domain/feed.ts';
import { readBook, readFrame, readMetaAndContexts, UnreadableFrame, type VenueTrades } from './domain/venueFrame.ts';
import { TradeCandles } from './tradeCandles.ts';

export interface ConnectorHandlers {
  /** `atOpenInterestCap`: coins whose open interest is at its cap. */
  onMeta(meta: VenueMeta, atOpenInterestCap: readonly string[]): void;
  onChange(change: BookChange | BboChange | ContextChange | CandleChange | MidsChange): void;
  /** New trades. `isPast`: they happened before the connection and must fill no order. */
  onTrades(trades: VenueTrades, options: { isPast: boolean }): void;
  /** `connectedSinceMs` null: at least one connection is down. */
  onStatus(connectedSinceMs: number | null): void;
}

/** Feeds of each listed coin. */
const COIN_FEEDS = ['l2Book', 'trades', 'bbo', 'activeAssetCtx'] as const;
const CANDLE_INTERVAL = '1m';
const COINS_PER_SOCKET = Math.floor((SUBSCRIPTIONS_MAX - 1) / (COIN_FEEDS.length + 1));
const REST_TIMEOUT_MS = 5000;
const SWEEP_RETRYING = new Retrying('market_sweep', { firstMs: 2000 });
/** Listings and contexts are read again at least this often. */
const RELOAD_MS = 60_000;
/** A feed without news for this long is read by REST: well below the age at which orders are refused. */
const BOOK_QUIET_MS = 9000;
const CONTEXT_QUIET_MS = 9000;
/** One book (weight 2) at most per step and one metaAndAssetCtxs (weight 20) per 10 s: 600 of the 1200 a minute allowed. */
const SWEEP_STEP_MS = 250;
const CONTEXT_RELOAD_MS = 10_000;
/** The clock of the venue may be ahead by this; a later time is wrong. */
const CLOCK_AHEAD_MS_MAX = 60_000;
/** One in this many unreadable frames is logged. */
const UNREADABLE_LOG_EVERY = 1000;
/** One in this many `error` frames of the venue is logged. */
const COMPLAINT_LOG_EVERY = 100;

export class Connector {
  readonly #log: Logger;
  readonly #url: string;
  readonly #ask: AskVenue;
  readonly #now: () => number;
  readonly #handlers: ConnectorHandlers;
  readonly #abort = new AbortController();
  readonly #pace: OpeningPace;
  #sockets: VenueSocket[] = [];
  #listed: readonly string[] = [];
  #openSockets = new Set<VenueSocket>();
  /** When each feed last had news. */
  readonly #bookHeardMs = new Map<string, number>();
  readonly #contextHeardMs = new Map<string, number>();
  #loadedMs = 0;
  /** Coins with a candle feed, and the candles of the others. */
  #candleCoins: ReadonlySet<string> = new Set();
  readonly #tradeCandles = new TradeCandles();
  readonly #capped: CappedCoins;
  #sweeper: NodeJS.Timeout | undefined;
  #isSweeping = false;
  /** Frames that came, those that could not be read, changes with a time in the future, and the venue's `error` frames. */
  readonly counters = { frames: 0, unreadable: 0, future: 0, reconnects: 0, complaints: 0 };

  /**
   * @param options.url base address of the venue's protocol, below any path
   * @param options.ask asks it by REST
   * @param options.pace at which it is connected
   */
  constructor(options: {
    log: Logger;
    url: string;
    ask: AskVenue;
    pace: OpeningPace;
    now: () => number;
    handlers: ConnectorHandlers;
  }) {
    this.#log = options.log;
    this.#url = options.url.replace(/\/+$/, '');
    this.#ask = options.ask;
    this.#pace = options.pace;
    this.#now = options.now;
    this.#handlers = options.handlers;
    this.#capped = new CappedCoins({ ask: (body) => this.#request(body), log: options.log, signal: this.#abort.signal });
  }

  /** Starts connecting; resolves at once. Failures are retried for ever. */
  start(): void {
    this.#loadUntilDone().then(
      () => {
        if (!this.#abort.signal.aborted) this.#sweeper = setInterval(() => this.#sweep(), SWEEP_STEP_MS);
      },
      (error: Error) => this.#log.error({ reason: error.message }, 'upstream cannot be used'),
    );
  }

  stop(): void {
    this.#abort.abort();
    clearInterval(this.#sweeper);
    for (const socket of this.#sockets) socket.close();
    this.#sockets = [];
  }

  async #loadUntilDone(): Promise<void> {
    const retrying = new Retrying('market_listing', { firstMs: 500, mostMs: 15_000, jitter: 0.5 });
    while (!this.#abort.signal.aborted) {
      try {
        return await this.#load();
      } catch (error) {
        // Retried whatever the error is: a proxy's 404, half an answer, no network.
        const reason = error instanceof Error ? error.message : String(error);
        const retryInMs = Math.round(retrying.nextMs());
        this.#log.warn({ reason, url: this.#url, retryInMs }, 'upstream could not be loaded');
        await this.#pause(retryInMs);
      }
    }
  }

  /** Reads listings and contexts whole, and connects anew when other coins are listed than before. */
  async #load(): Promise<void> {
    const { meta, contexts } = readMetaAndContexts(await this.#request({ type: 'metaAndAssetCtxs' }));
    if (this.#abort.signal.aborted) return;
    const nowMs = this.#now();
    this.#loadedMs = nowMs;
    meta.universe.forEach(({ name }, index) => {
      const context = contexts[index];
      if (context === undefined) return;
      this.#contextHeardMs.set(name, nowMs);
      this.#handlers.onChange({ type: 'context', coin: name, timeMs: nowMs, context });
    });
    const capped = await this.#capped.at(nowMs);
    if (this.#abort.signal.aborted) return;
    // After the contexts: a coin that is off the list has had its last oracle price.
    this.#handlers.onMeta(meta, capped);
    const listed = meta.universe.filter((entry) => entry.isDelisted !== true).map((entry) => entry.name);
    if (listed.join() === this.#listed.join()) return;
    this.#listed = listed;
    this.#connect();
  }

  #connect(): void {
    for (const socket of this.#sockets) socket.close();
    this.#openSockets.clear();
    // The venue's limit counts all connections of an address. Candles are the least important feed: those of the last coins are made
    // of their trades.
    this.#candleCoins = new Set(
      this.#listed.slice(0, Math.max(0, SUBSCRIPTIONS_MAX - 1 - this.#listed.length * COIN_FEEDS.length)),
    );
    const groups: string[][] = [];
    for (let i = 0; i < this.#listed.length; i += COINS_PER_SOCKET) groups.push(this.#listed.slice(i, i + COINS_PER_SOCKET));
    this.#sockets = groups.map((coins, index) =>
      this.#openSocket(subscriptionsOf(coins, { withMids: index === 0, candleCoins: this.#candleCoins })),
    );
  }

  #openSocket(subscriptions: readonly VenueSubscription[]): VenueSocket {
    let openings = 0;
    let openedMs = 0;
    /** Coins whose snapshot of trades has come on this connection. */
    let greeted = new Set<string>();
    const socket: VenueSocket = new VenueSocket({
      log: this.#log,
      url: `${this.#url.replace(/^http/, 'ws')}/ws`,
      subscriptions,
      pace: this.#pace,
      handlers: {
        onOpen: () => {
          openings += 1;
          openedMs = this.#now();
          greeted = new Set();
          this.#openSockets.add(socket);
          this.#log.info({ subscriptions: subscriptions.length, openings }, 'upstream connected');
          if (openings > 1) {
            this.counters.reconnects += 1;
            this.#loadedMs = 0;
          }
          this.#tellStatus();
        },
        onText: (text) => this.#onText(text, { openedMs, greeted }),
        onDown: () => {
          this.#openSockets.delete(socket);
          this.#tellStatus();
        },
      },
    });
    socket.open();
    return socket;
  }

  #tellStatus(): void {
    const isConnected = this.#openSockets.size === this.#sockets.length || this.#sockets.length === 0;
    this.#handlers.onStatus(isConnected && this.#openSockets.size > 0 ? this.#now() : null);
  }

  #onText(text: string, connection: { openedMs: number; greeted: Set<string> }): void {
    const nowMs = this.#now();
    this.counters.frames += 1;
    try {
      const frame = readFrame(text, nowMs);
      switch (frame.type) {
        case 'venueTrades':
          this.#onTrades(frame, connection);
          break;
        case 'book':
        case 'bbo':
          this.#onBook(frame, nowMs);
          break;
        case 'context':
          this.#contextHeardMs.set(frame.coin, nowMs);
          this.#handlers.onChange(frame);
          break;
        case 'mids':
          this.#handlers.onChange(frame);
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
        this.#log.warn({ reason: error.message, count: this.counters.unreadable, frame: text.slice(0, 200) }, 'unreadable frame');
      }
    }
  }

  #onBook(change: BookChange | BboChange, nowMs: number): void {
    if (change.timeMs > nowMs + CLOCK_AHEAD_MS_MAX) {
      this.counters.future += 1;
      return;
    }
    if (change.type === 'book') this.#bookHeardMs.set(change.coin, nowMs);
    this.#handlers.onChange(change);
  }

  #onCandle(change: CandleChange, nowMs: number): void {
    if (change.candle.i !== CANDLE_INTERVAL) return;
    if (change.candle.t > nowMs + CLOCK_AHEAD_MS_MAX) this.counters.future += 1;
    else this.#handlers.onChange(change);
  }

  /** A venue that does not know a channel says so once per coin; the other channels go on. */
  #onComplaint(text: string): void {
    this.counters.complaints += 1;
    if (this.counters.complaints % COMPLAINT_LOG_EVERY === 1) {
      this.#log.warn({ text: text.slice(0, 200), count: this.counters.complaints }, 'upstream complains');
    }
  }

  /** The first trades of a coin on a connection are its 30 latest, unmarked: those from before it fill nothing. */
  #onTrades(frame: VenueTrades, { openedMs, greeted }: { openedMs: number; greeted: Set<string> }): void {
    const inTime = frame.trades.filter((trade) => trade.timeMs <= this.#now() + CLOCK_AHEAD_MS_MAX);
    this.counters.future += frame.trades.length - inTime.length;
    const isGreeting = !greeted.has(frame.coin);
    greeted.add(frame.coin);
    if (!this.#candleCoins.has(frame.coin)) this.#onUnfollowed(frame.coin, inTime, isGreeting ? openedMs : undefined);
    const past = isGreeting ? inTime.filter((trade) => trade.timeMs <= openedMs) : [];
    const live = isGreeting ? inTime.filter((trade) => trade.timeMs > openedMs) : inTime;
    if (past.length > 0) this.#handlers.onTrades({ ...frame, trades: past }, { isPast: true });
    if (live.length > 0) this.#handlers.onTrades({ ...frame, trades: live }, { isPast: false });
  }

  /** @param openedMs of the connection, with its first trades of the coin: those before it are its latest, without a hole */
  #onUnfollowed(coin: string, trades: VenueTrades['trades'], openedMs: number | undefined): void {
    const oldestMs = trades[0]?.timeMs ?? Number.POSITIVE_INFINITY;
    if (openedMs !== undefined) this.#tradeCandles.begin(coin, Math.min(openedMs, oldestMs + 1));
    for (const candle of this.#tradeCandles.onTrades(coin, trades))
      this.#handlers.onChange({ type: 'candle', coin, timeMs: this.#now(), candle });
  }

  /** Reads by REST the feeds without news for too long, one request at a time. */
  #sweep(): void {
    if (this.#isSweeping) return;
    const nowMs = this.#now();
    const contextsAreQuiet =
      nowMs - this.#loadedMs > CONTEXT_RELOAD_MS &&
      this.#listed.some((coin) => nowMs - (this.#contextHeardMs.get(coin) ?? 0) > CONTEXT_QUIET_MS);
    let work: Promise<void> | undefined;
    if (contextsAreQuiet || nowMs - this.#loadedMs > RELOAD_MS) work = this.#load();
    else {
      const quiet = this.#quietestBook(nowMs);
      if (quiet !== undefined) work = this.#loadBook(quiet);
    }
    if (work === undefined) return;
    this.#isSweeping = true;
    work
      .catch(async (error: Error) => {
        if (this.#abort.signal.aborted) return;
        this.#log.warn({ reason: error.message }, 'upstream could not be asked');
        await this.#pause(SWEEP_RETRYING.nextMs());
      })
      .finally(() => {
        this.#isSweeping = false;
      });
  }

  #quietestBook(nowMs: number): string | undefined {
    let quietest: string | undefined;
    let heardMs = nowMs - BOOK_QUIET_MS;
    for (const coin of this.#listed) {
      const heard = this.#bookHeardMs.get(coin) ?? this.#loadedMs - BOOK_QUIET_MS / 2;
      if (heard < heardMs) {
        quietest = coin;
        heardMs = heard;
      }
    }
    return quietest;
  }

  async #loadBook(coin: string): Promise<void> {
    this.#bookHeardMs.set(coin, this.#now());
    const answer = await this.#request({ type: 'l2Book', coin });
    if (answer === null || this.#abort.signal.aborted) return;
    this.#onBook(readBook(answer), this.#now());
  }

  #request(body: object): Promise<unknown> {
    return this.#ask(body, { timeoutMs: REST_TIMEOUT_MS, signal: this.#abort.signal });
  }

  /** Waits, but not beyond `stop`. */
  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#abort.signal }).catch(() => undefined);
  }
}

/** The subscriptions of one connection, candles last: at the venue's limit those are the ones refused. */
function subscriptionsOf(
  coins: readonly string[],
  { withMids, candleCoins }: { withMids: boolean; candleCoins: ReadonlySet<string> },
): VenueSubscription[] {
  return [
    ...(withMids ? [{ type: 'allMids' }] : []),
    ...coins.flatMap((coin) => COIN_FEEDS.map((type) => ({ type, coin }))),
    ...coins.filter((coin) => candleCoins.has(coin)).map((coin) => ({ type: 'candle', coin, interval: CANDLE_INTERVAL })),
  ];
}
