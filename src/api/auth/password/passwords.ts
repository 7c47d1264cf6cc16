// Hashes and checks passwords with argon2id, in the places of hashQueue.ts.
import { randomBytes } from 'node:crypto';
import { argon2id, hash, verify } from 'argon2';
import type { Config } from '../../../shared/config/config.ts';
import { type HashPlace, HashQueue } from './hashQueue.ts';

export class Passwords {
  readonly #options: { type: typeof argon2id; memoryCost: number; timeCost: number; parallelism: number };
  readonly #queue: HashQueue;
  /** A hash of no password. A check against it takes as long as one against a user's hash. */
  readonly #dummyHash: string;

  constructor(config: Pick<Config, 'ARGON2_MEMORY_KIB' | 'ARGON2_PASSES' | 'AUTH_ADDRESS_LOGINS_WAITING'>) {
    this.#queue = new HashQueue({ perNetworkMax: config.AUTH_ADDRESS_LOGINS_WAITING });
    this.#options = { type: argon2id, memoryCost: config.ARGON2_MEMORY_KIB, timeCost: config.ARGON2_PASSES, parallelism: 1 };
    const [salt, digest] = [randomBytes(16), randomBytes(32)].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
    this.#dummyHash = `$argon2id$v=19$m=${config.ARGON2_MEMORY_KIB},t=${config.ARGON2_PASSES},p=1$${salt}$${digest}`;
  }

  /** Hashes that run or wait. */
  get load(): number {
    return this.#queue.load;
  }

  /** @throws {RequestError} 503 `busy` when too many wait already */
  hash(password: string, place: HashPlace): Promise<string> {
    return this.#queue.run(place, () => hash(password, this.#options));
  }

  /**
   * Checks a password against a user's hash. Without a hash (no user has that address) it takes as long and is false.
   * @throws {RequestError} 503 `busy` when too many wait already
   */
  verify(password: string, passwordHash: string | undefined, place: HashPlace): Promise<boolean> {
    return this.#queue.run(place, () => verify(passwordHash ?? this.#dummyHash, password));
  }
}
