// The memory that requests hold while they are read and answered: bodies, and posts over sockets. Each user has a
// bound, and each network address without a credential. Callers with a credential and those without one share nothing:
// strangers cannot use up the memory of users.
import type { Config } from '../../../shared/config/config.ts';
import { RequestError } from '../../../shared/errors.ts';
import { Shares } from './shares.ts';

/** Whose bytes they are. */
export interface Holder {
  /** `user:<id>`, or `address:<network>` for a caller without a credential. */
  readonly subject: string;
  readonly isKnown: boolean;
}

export type HeldBytesConfig = Pick<Config, 'REQUEST_BYTES_PER_CALLER' | 'REQUEST_BYTES'>;

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
  open(holder: Holder): Held {
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

export interface Held {
  /** @throws {RequestError} 429 past the caller's bound, 503 past that of all, 400 after `close`: nothing is taken then */
  add(bytes: number): void;
  /** Gives all back; again does nothing. */
  close(): void;
}
