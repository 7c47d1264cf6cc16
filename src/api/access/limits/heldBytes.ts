// The memory that requests and answers hold: bodies and posts over sockets (`HeldBytes`), and answers that clients have not read
// (`UnreadAnswers`).

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../../shared/config/config.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { SeldomLog } from './seldomLog.ts';
import { FairPlaces, Shares } from './shares.ts';

/** Whose bytes they are. */
export interface Holder {
  /** `user:<id>`, or `address:<network>` for a caller without a credential. */
  readonly subject: string;
  readonly isKnown: boolean;
}

type HeldBytesConfig = Pick<Config, 'REQUEST_BYTES_PER_CALLER' | 'REQUEST_BYTES'>;

/**
 * The memory that requests hold while they are read and answered: bodies, and posts over sockets. Each user has a bound, and each network
 * address without a credential. Callers with a credential and those without one share nothing: strangers cannot use up the memory of
 * users.
 */
export class HeldBytes {
  readonly #config: HeldBytesConfig;
  readonly #known: Shares;
  readonly #strangers: Shares;

  constructor(config: HeldBytesConfig) {
    this.#config = config;
    const bounds = { each: config.REQUEST_BYTES_PER_CALLER, all: config.REQUEST_BYTES / 2 };
    this.#known = new Shares(bounds);
    this.#strangers = new Shares(bounds);
  }

  /** Bytes that all callers hold. */
  get total(): number {
    return this.#known.total + this.#strangers.total;
  }

  /** Begins to hold nothing. */
  open(holder: Holder): BodyBytes {
    const shares = holder.isKnown ? this.#known : this.#strangers;
    let held = 0;
    let isClosed = false;
    return {
      add: (bytes) => {
        if (isClosed) throw brokenOff();
        const refused = shares.take(holder.subject, bytes);
        if (refused !== undefined) throw refused === 'each' ? this.#tooMany() : busy();
        held += bytes;
      },
      close: () => {
        shares.give(holder.subject, held);
        held = 0;
        isClosed = true;
      },
    };
  }

  #tooMany(): RequestError {
    const { REQUEST_BYTES_PER_CALLER: bytes } = this.#config;
    const detail = `Your requests that wait for their answers hold more than ${bytes} bytes.`;
    return new RequestError(429, 'too_many_bytes', detail, RETRY);
  }
}

const RETRY = { 'Retry-After': '1' };

/** The bound of all callers is met. */
export const busy = (): RequestError =>
  new RequestError(503, 'busy', 'Too much is being read at the moment. Try again in a second.', RETRY);

/** The body of a request that is over already. */
export const brokenOff = (): RequestError => new RequestError(400, 'invalid_json', 'The body broke off.');

export interface BodyBytes {
  /** @throws {RequestError} 429 past the caller's bound, 503 past that of all, 400 after `close`: nothing is taken then */
  add(bytes: number): void;
  /** Gives all back; again does nothing. */
  close(): void;
}

/** How long a client may take to read one answer, ms: the longest have some megabytes. */
export const READING_MS_MAX = 60_000;
const LOOK_EVERY_MS = 1000;

interface Unread {
  readonly socket: Socket;
  bytes: number;
  /** When the first of the answers that wait became the first, ms. */
  sinceMs: number;
}

/**
 * Answers that were given to a connection and that its client has not read: their bytes stay in this process. Each caller
 * has a bound, and all have one together: past it the connection whose answers wait longest, of the caller with most, is
 * ended. An answer that is not read whole within a minute ends its connection too, however it trickles.
 */
export class UnreadAnswers {
  readonly #log: SeldomLog;
  readonly #now: () => number;
  readonly #places: FairPlaces<Unread>;
  readonly #connections = new WeakMap<Socket, Unread>();
  readonly #waiting = new Set<Unread>();
  #looking: NodeJS.Timeout | undefined;

  /** @param options.now a clock that never jumps, ms */
  constructor(options: {
    config: Pick<Config, 'REQUEST_BYTES_PER_CALLER' | 'REQUEST_BYTES'>;
    log: SeldomLog;
    now?: () => number;
  }) {
    const { config, log, now = () => performance.now() } = options;
    this.#log = log;
    this.#now = now;
    const giveUp = (unread: Unread): void => this.#end(unread, TOO_MANY);
    this.#places = new FairPlaces({ each: config.REQUEST_BYTES_PER_CALLER, all: config.REQUEST_BYTES / 2, lines: 1, giveUp });
  }

  start(): void {
    this.#looking = setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#looking);
  }

  /** What all clients have not read yet, bytes. */
  get total(): number {
    return this.#places.total;
  }

  /**
   * Counts an answer until its client has read it.
   * @param caller whose it is: `user:<id>` or `address:<network>`
   */
  hold(response: ServerResponse, caller: string, bytes: number): void {
    const { socket } = response.req;
    if (bytes === 0 || socket.destroyed) return;
    const unread = this.#of(socket);
    if (unread.bytes === 0) unread.sinceMs = this.#now();
    unread.bytes += bytes;
    this.#waiting.add(unread);
    response.once('close', () => this.#onRead(unread, bytes));
    if (!this.#places.take(caller, unread, bytes)) this.#end(unread, TOO_MANY);
    else if (socket.destroyed) this.#drop(unread);
  }

  /** Ends the connections of clients that take too long. */
  look(): void {
    const beforeMs = this.#now() - READING_MS_MAX;
    for (const unread of this.#waiting) if (unread.sinceMs < beforeMs) this.#end(unread, 'an answer was not read in time');
  }

  #of(socket: Socket): Unread {
    let unread = this.#connections.get(socket);
    if (unread === undefined) {
      const made = { socket, bytes: 0, sinceMs: 0 };
      unread = made;
      this.#connections.set(socket, made);
      // Answers that wait behind another are not told that their connection is gone.
      socket.once('close', () => this.#drop(made));
    }
    return unread;
  }

  #onRead(unread: Unread, bytes: number): void {
    if (!this.#waiting.has(unread)) return;
    unread.sinceMs = this.#now();
    if (unread.bytes === bytes) this.#drop(unread);
    else {
      unread.bytes -= bytes;
      this.#places.shrink(unread, bytes);
    }
  }

  #end(unread: Unread, why: string): void {
    this.#drop(unread);
    this.#log.info(why, { address: unread.socket.remoteAddress }, why);
    unread.socket.destroy();
  }

  #drop(unread: Unread): void {
    this.#places.give(unread);
    this.#waiting.delete(unread);
    unread.bytes = 0;
  }
}

const TOO_MANY = 'answers that are not read take too many bytes';
