// Hashes and checks passwords with argon2id, one at a time per API node. Each takes tens of milliseconds of a core
// and megabytes of memory, so a flood of logins waits in a bounded queue here while trading goes on.
import { randomBytes } from 'node:crypto';
import { argon2id, hash, verify } from 'argon2';
import type { Config } from '../../../shared/config.ts';
import { RequestError } from '../../../shared/errors.ts';

/** Hashes that run at once: one, because orders need the process's few cores. */
const RUNNING_MAX = 1;
/** Hashes that may wait: at 40 a second the last of them waits about two seconds. */
const WAITING_MAX = 64;

export class Passwords {
  readonly #options: { type: typeof argon2id; memoryCost: number; timeCost: number; parallelism: number };
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** A hash of no password. A check against it takes as long as one against a user's hash. */
  readonly #dummyHash: string;

  constructor(config: Pick<Config, 'ARGON2_MEMORY_KIB' | 'ARGON2_PASSES'>) {
    this.#options = { type: argon2id, memoryCost: config.ARGON2_MEMORY_KIB, timeCost: config.ARGON2_PASSES, parallelism: 1 };
    const [salt, digest] = [randomBytes(16), randomBytes(32)].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
    this.#dummyHash = `$argon2id$v=19$m=${config.ARGON2_MEMORY_KIB},t=${config.ARGON2_PASSES},p=1$${salt}$${digest}`;
  }

  /** Hashes that run or wait. */
  get load(): number {
    return this.#running + this.#waiting.length;
  }

  /** @throws {RequestError} 503 `busy` when too many wait already */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password, this.#options));
  }

  /**
   * Checks a password against a user's hash. Without a hash (no user has that address) it takes as long and is false.
   * @throws {RequestError} 503 `busy` when too many wait already
   */
  async verify(password: string, passwordHash: string | undefined): Promise<boolean> {
    return this.#inTurn(() => verify(passwordHash ?? this.#dummyHash, password));
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    await this.#turn();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < RUNNING_MAX) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= WAITING_MAX) {
      throw new RequestError(503, 'busy', 'Too many logins at the moment. Try again in a few seconds.', { 'Retry-After': '3' });
    }
    // A finished hash hands its place to the next one, so no newcomer gets in between.
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
