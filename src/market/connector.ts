// The connection to the venue, whether live, emulated or replayed. It loads the listing whole by REST, keeps it up to
// date by WebSocket, and loads it whole again after every gap. It hands changes on; the caller decides which to
// accept.
import type { Logger } from '../shared/logger.ts';
import { Retrying } from '../shared/retrying.ts';
import type { AskVenue } from '../shared/venue/venueQuestions.ts';
import { type OpeningPace, SUBSCRIPTIONS_MAX, VenueSocket, type VenueSubscription } from '../shared/venue/venueSocket.ts';
import { pause } from '../shared/waiting.ts';
import type { VenueMeta } from './domain/asset.ts';
import { QuietFeeds } from './domain/quietFeeds.ts';
import { readBook, readMetaAndContexts } from './domain/venueFrame.ts';
import { CANDLE_INTERVAL, type FrameHandlers, type FrameSource, VenueFrames } from './venueFrames.ts';

export interface ConnectorHandlers extends FrameHandlers {
  /** `atOpenInterestCap`: coins whose open interest is at its cap. */
  onMeta(meta: VenueMeta, atOpenInterestCap: readonly string[]): void;
  /** `connectedSinceMs` null: at least one connection is down. */
  onStatus(connectedSinceMs: number | null): void;
}

interface ConnectorParts {
  readonly log: Logger;
  /** Base address of the venue's protocol, below any path. */
  readonly url: string;
  /** Asks it by REST. */
  readonly ask: AskVenue;
  /** Of all connections to the venue. */
  readonly pace: OpeningPace;
  readonly now: () => number;
  readonly handlers: ConnectorHandlers;
}

/** Feeds of each listed coin. */
const COIN_FEEDS = ['l2Book', 'trades', 'bbo', 'activeAssetCtx'] as const;
const COINS_PER_SOCKET = Math.floor((SUBSCRIPTIONS_MAX - 1) / (COIN_FEEDS.length + 1));
const REST_TIMEOUT_MS = 5000;
/** Between two questions for the coins at their cap of open interest, ms. */
const CAPPED_RELOAD_MS = 60_000;
const SWEEP_RETRYING = new Retrying('market_sweep', { firstMs: 2000 });
/** One book (weight 2) at most per step and one metaAndAssetCtxs (weight 20) per 10 s: 600 of the 1200 a minute allowed. */
const SWEEP_STEP_MS = 250;

export class Connector {
  readonly #parts: ConnectorParts;
  readonly #url: string;
  readonly #abort = new AbortController();
  readonly #feeds = new QuietFeeds();
  readonly #frames: VenueFrames;
  /** Coins at their cap of open interest, as far as the venue has said. */
  #capped: readonly string[] = [];
  #cappedAskedMs = 0;
  #sockets: VenueSocket[] = [];
  #listed: readonly string[] = [];
  #openSockets = new Set<VenueSocket>();
  #reconnects = 0;
  #sweeper: NodeJS.Timeout | undefined;
  #isSweeping = false;

  constructor(parts: ConnectorParts) {
    this.#parts = parts;
    this.#url = parts.url.replace(/\/+$/, '');
    this.#frames = new VenueFrames({ ...parts, feeds: this.#feeds });
  }

  get counters(): VenueFrames['counters'] & { readonly reconnects: number } {
    return { ...this.#frames.counters, reconnects: this.#reconnects };
  }

  /** Starts connecting; resolves at once. Failures are retried for ever. */
  start(): void {
    this.#loadUntilDone().then(
      () => {
        if (!this.#abort.signal.aborted) this.#sweeper = setInterval(() => this.#sweep(), SWEEP_STEP_MS);
      },
      (error: Error) => this.#parts.log.error({ reason: error.message }, 'upstream cannot be used'),
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
        this.#parts.log.warn({ reason, url: this.#url, retryInMs }, 'upstream could not be loaded');
        await pause(retryInMs, this.#abort.signal);
      }
    }
  }

  /** Reads listings and contexts whole, and connects anew when other coins are listed than before. */
  async #load(): Promise<void> {
    const { now, handlers } = this.#parts;
    const { meta, contexts } = readMetaAndContexts(await this.#request({ type: 'metaAndAssetCtxs' }));
    if (this.#abort.signal.aborted) return;
    const nowMs = now();
    this.#feeds.onLoaded(nowMs);
    meta.universe.forEach(({ name }, index) => {
      const context = contexts[index];
      if (context === undefined) return;
      this.#feeds.onContext(name, nowMs);
      handlers.onChange({ type: 'context', coin: name, timeMs: nowMs, context });
    });
    await this.#askCapped(nowMs);
    if (this.#abort.signal.aborted) return;
    // After the contexts: a coin that is off the list has had its last oracle price.
    handlers.onMeta(meta, this.#capped);
    const listed = meta.universe.filter((entry) => entry.isDelisted !== true).map((entry) => entry.name);
    if (listed.join() === this.#listed.join()) return;
    this.#listed = listed;
    this.#feeds.onListed(listed);
    this.#connect();
  }

  /** Without an answer the coins of before stay: the listing and the contexts do not wait for it. */
  async #askCapped(nowMs: number): Promise<void> {
    if (nowMs - this.#cappedAskedMs < CAPPED_RELOAD_MS) return;
    this.#cappedAskedMs = nowMs;
    try {
      const answer = await this.#request({ type: 'perpsAtOpenInterestCap' });
      if (!Array.isArray(answer) || !answer.every((coin) => typeof coin === 'string')) throw new Error('no list of coins');
      this.#capped = answer;
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.log.warn({ reason }, 'coins at their open-interest cap could not be read');
    }
  }

  #connect(): void {
    for (const socket of this.#sockets) socket.close();
    this.#openSockets.clear();
    // The venue's limit counts all connections of an address. Candles are the least important feed: those of the last coins are made
    // of their trades.
    const candleCoins = new Set(
      this.#listed.slice(0, Math.max(0, SUBSCRIPTIONS_MAX - 1 - this.#listed.length * COIN_FEEDS.length)),
    );
    this.#frames.candleCoins = candleCoins;
    const groups: string[][] = [];
    for (let i = 0; i < this.#listed.length; i += COINS_PER_SOCKET) groups.push(this.#listed.slice(i, i + COINS_PER_SOCKET));
    this.#sockets = groups.map((coins, index) =>
      this.#openSocket(subscriptionsOf(coins, { withMids: index === 0, candleCoins })),
    );
  }

  #openSocket(subscriptions: readonly VenueSubscription[]): VenueSocket {
    const { log, pace, now } = this.#parts;
    let openings = 0;
    let source: FrameSource = { openedMs: 0, greeted: new Set() };
    const socket: VenueSocket = new VenueSocket({
      ...{ log, pace, subscriptions, url: `${this.#url.replace(/^http/, 'ws')}/ws` },
      handlers: {
        onOpen: () => {
          openings += 1;
          source = { openedMs: now(), greeted: new Set() };
          this.#openSockets.add(socket);
          log.info({ subscriptions: subscriptions.length, openings }, 'upstream connected');
          if (openings > 1) {
            this.#reconnects += 1;
            this.#feeds.onGap();
          }
          this.#tellStatus();
        },
        onText: (text) => this.#frames.onText(text, source),
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
    const { handlers, now } = this.#parts;
    const isConnected = this.#openSockets.size === this.#sockets.length || this.#sockets.length === 0;
    handlers.onStatus(isConnected && this.#openSockets.size > 0 ? now() : null);
  }

  /** Reads by REST the feeds without news for too long, one request at a time. */
  #sweep(): void {
    const quiet = this.#isSweeping ? undefined : this.#feeds.next(this.#parts.now());
    if (quiet === undefined) return;
    this.#isSweeping = true;
    (quiet === 'all' ? this.#load() : this.#loadBook(quiet.coin))
      .catch(async (error: Error) => {
        if (this.#abort.signal.aborted) return;
        this.#parts.log.warn({ reason: error.message }, 'upstream could not be asked');
        await pause(SWEEP_RETRYING.nextMs(), this.#abort.signal);
      })
      .finally(() => {
        this.#isSweeping = false;
      });
  }

  async #loadBook(coin: string): Promise<void> {
    const { now } = this.#parts;
    this.#feeds.onBook(coin, now());
    const answer = await this.#request({ type: 'l2Book', coin });
    if (answer === null || this.#abort.signal.aborted) return;
    this.#frames.onBook(readBook(answer), now());
  }

  #request(body: object): Promise<unknown> {
    return this.#parts.ask(body, { timeoutMs: REST_TIMEOUT_MS, signal: this.#abort.signal });
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
