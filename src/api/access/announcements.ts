// Tells the other nodes of changes of users. The change has happened in MongoDB by then, so nothing fails when Redis cannot
// be told: it is told as soon as it can be, for as long as this process lives. Until then, and where the process dies first,
// other nodes go on by what they know until they read the user again, a minute at most.
import { setTimeout as pause } from 'node:timers/promises';
import { announceUserChange } from '../../shared/access/userChange.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { withTimeout } from '../../shared/waiting.ts';

/** How long a request waits for Redis, ms. */
const WAIT_MS_MAX = 1500;
const TRY_AGAIN_MS = 1000;
/** Users of whom Redis has to be told, and digests of keys of each; past them the oldest are left to other nodes' next look. */
const USERS_MAX = 10_000;
const DIGESTS_MAX = 100;

export class Announcements {
  readonly #redis: Redis;
  readonly #log: Logger;
  /** What the next round tells: digests of keys by user. */
  #untold = new Map<string, Set<string>>();
  #round: Promise<void> = Promise.resolve();
  #nextRound: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor({ redis, log }: { redis: Redis; log: Logger }) {
    this.#redis = redis;
    this.#log = log;
  }

  /** Resolves when Redis has been told, or after a moment: then it is told later. Never throws. */
  async announce(userId: string, digests: readonly string[]): Promise<void> {
    this.#note(userId, digests);
    await withTimeout(WAIT_MS_MAX, 'telling the other nodes of a change of a user', this.#told()).catch((error: unknown) =>
      this.#log.warn({ err: error, userId }, 'other nodes are told of a change of a user later'),
    );
  }

  stop(): void {
    this.#stop.abort();
  }

  #note(userId: string, digests: readonly string[]): void {
    const own = this.#untold.get(userId) ?? new Set();
    for (const digest of digests) own.add(digest);
    const [oldestDigest] = own;
    if (own.size > DIGESTS_MAX && oldestDigest !== undefined) own.delete(oldestDigest);
    this.#untold.set(userId, own);
    const [oldest] = this.#untold.keys();
    if (this.#untold.size > USERS_MAX && oldest !== undefined) this.#untold.delete(oldest);
  }

  /** Resolves when what is untold now has been told: changes that come during a round are told together in the next. */
  #told(): Promise<void> {
    this.#nextRound ??= this.#round.then(() => {
      const users = this.#untold;
      this.#untold = new Map();
      this.#nextRound = undefined;
      this.#round = this.#tell(users);
      return this.#round;
    });
    return this.#nextRound;
  }

  async #tell(users: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        const told = [...users].map(([userId, digests]) => announceUserChange(this.#redis, { userId, digests: [...digests] }));
        await Promise.all(told);
        return;
      } catch (error) {
        this.#log.warn({ err: error, users: users.size }, 'other nodes could not be told of changes of users');
      }
      await pause(TRY_AGAIN_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }
}
