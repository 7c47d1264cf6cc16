// One WebSocket connection to the venue that always reconnects. It subscribes to its list at each opening, pings,
// cuts a connection that has gone silent, and opens at the pace that the venue allows.
import { WebSocket } from 'ws';
import type { Logger } from '../logger.ts';
import type { OpeningPace } from './openingPace.ts';

export type Subscription = Readonly<Record<string, string>> & { readonly type: string };

export interface SocketHandlers {
  /** The connection is open and its subscriptions are sent. */
  onOpen(): void;
  onText(text: string): void;
  onDown(reason: string): void;
}

/**
 * The venue closes connections that were silent for 60 s. A pong every 4 s keeps ours alive and proves that it is. A connection
 * that died without a word is replaced before its books are too old for orders (MARKET_MAX_AGE_MS).
 */
const PING_MS = 4000;
const SILENCE_MS = 10_000;
const OPEN_TIMEOUT_MS = 10_000;
/** A connection that lived this long starts the backoff anew. */
const STABLE_MS = 30_000;
/** The venue's limit per connection. */
export const SUBSCRIPTIONS_MAX = 1000;
const FRAME_BYTES_MAX = 20_000_000;

export class VenueSocket {
  readonly #log: Logger;
  readonly #url: string;
  readonly #subscriptions: readonly Subscription[];
  readonly #handlers: SocketHandlers;
  readonly #pace: OpeningPace;
  readonly #pingMs: number;
  #socket: WebSocket | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #pinger: NodeJS.Timeout | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  /**
   * @param options.url WebSocket address
   * @param options.subscriptions at most 1000
   * @param options.pace shared by all connections to the venue
   * @param options.pingMs time between pings, 4 s by default
   */
  constructor(options: {
    log: Logger;
    url: string;
    subscriptions: readonly Subscription[];
    handlers: SocketHandlers;
    pace: OpeningPace;
    pingMs?: number;
  }) {
    this.#log = options.log;
    this.#url = options.url;
    this.#subscriptions = options.subscriptions;
    this.#handlers = options.handlers;
    this.#pace = options.pace;
    this.#pingMs = options.pingMs ?? PING_MS;
  }

  /** At once, or as soon as the venue's limits allow it. */
  open(): void {
    this.#reconnect = setTimeout(() => this.#open(), this.#plan());
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#reconnect);
    this.#socket?.terminate();
  }

  #plan(): number {
    return this.#pace.delayMs(performance.now(), { failures: this.#failures, messages: this.#subscriptions.length });
  }

  #open(): void {
    const socket = new WebSocket(this.#url, { handshakeTimeout: OPEN_TIMEOUT_MS, maxPayload: FRAME_BYTES_MAX });
    this.#socket = socket;
    let openedAt = Number.POSITIVE_INFINITY;
    let reason = 'closed by the venue';
    socket.on('open', () => {
      openedAt = performance.now();
      for (const subscription of this.#subscriptions) socket.send(JSON.stringify({ method: 'subscribe', subscription }));
      this.#pinger = setInterval(() => socket.send('{"method":"ping"}'), this.#pingMs);
      this.#watchdog = setTimeout(() => {
        reason = `silent for ${SILENCE_MS} ms`;
        socket.terminate();
      }, SILENCE_MS);
      this.#handlers.onOpen();
    });
    socket.on('message', (data) => {
      this.#watchdog?.refresh();
      this.#handlers.onText(String(data));
    });
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.on('close', () => {
      clearInterval(this.#pinger);
      clearTimeout(this.#watchdog);
      if (this.#closed) return;
      if (performance.now() - openedAt > STABLE_MS) this.#failures = 0;
      this.#handlers.onDown(reason);
      this.#openLater(reason);
    });
  }

  #openLater(reason: string): void {
    this.#failures += 1;
    const delayMs = this.#plan();
    this.#log.warn({ reason, delayMs }, 'upstream connection lost, reconnecting');
    this.#reconnect = setTimeout(() => this.#open(), delayMs);
  }
}
