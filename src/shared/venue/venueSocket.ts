// One WebSocket connection to the venue that always reconnects. It subscribes to its list at each opening, pings,
// cuts a connection that has gone silent, and opens at the pace that the venue allows.
import { WebSocket } from 'ws';
import type { Logger } from '../logger.ts';

export type VenueSubscription = Readonly<Record<string, string>> & { readonly type: string };

interface SocketHandlers {
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

interface SocketParts {
  readonly log: Logger;
  /** WebSocket address. */
  readonly url: string;
  /** At most 1000. */
  readonly subscriptions: readonly VenueSubscription[];
  readonly handlers: SocketHandlers;
  /** Shared by all connections to the venue. */
  readonly pace: OpeningPace;
  /** Between pings, 4 s by default. */
  readonly pingMs?: number;
}

export class VenueSocket {
  readonly #parts: SocketParts;
  #socket: WebSocket | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #pinger: NodeJS.Timeout | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  constructor(parts: SocketParts) {
    this.#parts = parts;
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
    const { pace, subscriptions } = this.#parts;
    return pace.delayMs(performance.now(), { failures: this.#failures, messages: subscriptions.length });
  }

  #open(): void {
    const { url, subscriptions, handlers, pingMs = PING_MS } = this.#parts;
    const socket = new WebSocket(url, { handshakeTimeout: OPEN_TIMEOUT_MS, maxPayload: FRAME_BYTES_MAX });
    this.#socket = socket;
    let openedAt = Number.POSITIVE_INFINITY;
    let reason = 'closed by the venue';
    socket.on('open', () => {
      openedAt = performance.now();
      for (const subscription of subscriptions) socket.send(JSON.stringify({ method: 'subscribe', subscription }));
      this.#pinger = setInterval(() => socket.send('{"method":"ping"}'), pingMs);
      this.#watchdog = setTimeout(() => {
        reason = `silent for ${SILENCE_MS} ms`;
        socket.terminate();
      }, SILENCE_MS);
      handlers.onOpen();
    });
    socket.on('message', (data) => {
      this.#watchdog?.refresh();
      handlers.onText(String(data));
    });
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.on('close', () => {
      clearInterval(this.#pinger);
      clearTimeout(this.#watchdog);
      if (this.#closed) return;
      if (performance.now() - openedAt > STABLE_MS) this.#failures = 0;
      handlers.onDown(reason);
      this.#openLater(reason);
    });
  }

  #openLater(reason: string): void {
    this.#failures += 1;
    const delayMs = this.#plan();
    this.#parts.log.warn({ reason, delayMs }, 'upstream connection lost, reconnecting');
    this.#reconnect = setTimeout(() => this.#open(), delayMs);
  }
}

// When connections to the venue may be opened. The venue counts, of one address, new connections and messages in each minute, and a
// connection sends a message for each of its feeds. A socket that flaps would be past both within seconds; so an opening waits
// until the venue's limits have room for it and for all that it will send. One pace is shared by all connections of a process.

interface OpeningLimits {
  /** New connections of an address in a minute, and messages that it sends. */
  readonly connections: number;
  readonly messages: number;
}

/** The venue's, without what pings need: a connection sends 15 in a minute, and there are a few. */
export const VENUE_LIMITS: OpeningLimits = { connections: 22, messages: 1850 };
/** Openings that are left for followed addresses: a connection each, with two feeds. */
export const MIRROR_LIMITS: OpeningLimits = { connections: 8, messages: 40 };
/** Of a server of one's own. */
export const NO_LIMITS: OpeningLimits = { connections: Number.POSITIVE_INFINITY, messages: Number.POSITIVE_INFINITY };

/** A minute, and as long as an opening may take until its messages leave. */
const WINDOW_MS = 70_000;
const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 15_000;

export class OpeningPace {
  /** Openings of the last minute and those that are planned, oldest first. */
  #openings: { readonly atMs: number; readonly messages: number }[] = [];
  readonly #limits: OpeningLimits;
  readonly #chance: () => number;

  /** @param chance from 0 to 1: connections that broke at once are not opened at once */
  constructor(limits: OpeningLimits, chance: () => number) {
    this.#limits = limits;
    this.#chance = chance;
  }

  /**
   * Plans an opening.
   * @param opening.failures of this connection in a row: the more, the longer it waits
   * @param opening.messages that it will send when it is open
   * @returns ms to wait from `nowMs` on
   */
  delayMs(nowMs: number, { failures, messages }: { failures: number; messages: number }): number {
    this.#openings = this.#openings.filter(({ atMs }) => atMs > nowMs - WINDOW_MS);
    const ceilingMs = failures === 0 ? 0 : Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** (failures - 1));
    const earliestMs = nowMs + Math.round(ceilingMs * (0.5 + this.#chance() / 2));
    const ends = this.#openings.map(({ atMs }) => atMs + WINDOW_MS);
    const atMs =
      [earliestMs, ...ends.filter((end) => end > earliestMs)].find((time) => this.#hasRoom(time, messages)) ?? earliestMs;
    this.#openings.push({ atMs, messages });
    this.#openings.sort((a, b) => a.atMs - b.atMs);
    return atMs - nowMs;
  }

  #hasRoom(timeMs: number, messages: number): boolean {
    const counted = this.#openings.filter(({ atMs }) => atMs > timeMs - WINDOW_MS);
    const sent = counted.reduce((sum, opening) => sum + opening.messages, 0);
    const { connections, messages: most } = this.#limits;
    return counted.length < connections && (counted.length === 0 || sent + messages <= most);
  }
}
