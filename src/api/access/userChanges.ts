// Changes of users between the nodes of a deployment: a node follows the changes of others, announces its own, and notes changed users for
// its look-ups.

import { announceUserChange } from '../../shared/access/userChange.ts';
import type { Logger } from '../../shared/logger.ts';
import { apiKeyKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { retry } from '../../shared/retrying.ts';
import { withTimeout } from '../../shared/waiting.ts';

const POLL_EVERY_MS = 250;
/** A node that could not read the changes for this long forgets everything, ms: missed changes may have been trimmed. */
const SILENCE_MS_MAX = 5000;
const CHANGES_PER_READ = 1000;

/** A part of this node that caches data of users. */
export interface UserCache {
  forget(userId: string): void;
  forgetAll(): void;
  /** Has what it keeps of a user read again; resolves when it is there, or could not be read. */
  readNow?(userId: string): Promise<void>;
  /** Called with a line of text for the sockets of a user. */
  onNotice?(userId: string, text: string): void;
}

/**
 * Follows the stream of changed users (`announceUserChange`), four times a second. Cached data of a changed user is gone within a second
 * at every node. A lost message cannot keep it alive, because a node that was cut off forgets everything.
 */
export class UserChanges {
  readonly #parts: { readonly redis: Redis; readonly log: Logger; readonly now: () => number };
  readonly #caches: readonly UserCache[];
  #lastChange = '0-0';
  #lastReadMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: { redis: Redis; log: Logger; now: () => number }, caches: readonly UserCache[]) {
    this.#parts = parts;
    this.#caches = caches;
  }

  /** Begins to follow; resolves when the first read is done. */
  async start(): Promise<void> {
    const [newest] = await this.#parts.redis.xrevrange(apiKeyKeys.changes, '+', '-', 'COUNT', 1);
    this.#lastChange = newest?.[0] ?? '0-0';
    this.#lastReadMs = this.#parts.now();
    this.#later();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #later(): void {
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#read(), POLL_EVERY_MS);
  }

  async #read(): Promise<void> {
    const { redis, log, now } = this.#parts;
    try {
      const entries = await redis.xrange(apiKeyKeys.changes, `(${this.#lastChange}`, '+', 'COUNT', CHANGES_PER_READ);
      if (now() - this.#lastReadMs > SILENCE_MS_MAX) for (const one of this.#caches) one.forgetAll();
      this.#lastReadMs = now();
      for (const [id, [, userId, , notice]] of entries) {
        this.#lastChange = id;
        if (userId === undefined) continue;
        for (const one of this.#caches) {
          if (notice === undefined) one.forget(userId);
          else one.onNotice?.(userId, notice);
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'changes of keys could not be read');
    } finally {
      this.#later();
    }
  }
}

/** How long a request waits for Redis, ms. */
const WAIT_MS_MAX = 1500;
const TRY_AGAIN_MS = 1000;
/** Users of whom Redis has to be told, and digests of keys of each; past them the oldest are left to other nodes' next look. */
const USERS_MAX = 10_000;
const DIGESTS_MAX = 100;

/**
 * Tells the other nodes of changes of users. The change has happened in MongoDB by then, so nothing fails when Redis cannot
 * be told: it is told as soon as it can be, for as long as this process lives. Until then, and where the process dies first,
 * other nodes go on by what they know until they read the user again, a minute at most.
 */
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
    const tell = ([userId, digests]: readonly [string, ReadonlySet<string>]): Promise<void> =>
      announceUserChange(this.#redis, { userId, digests: [...digests] });
    await retry(() => Promise.all([...users].map(tell)), {
      ...{ of: 'announcements', firstMs: TRY_AGAIN_MS, signal: this.#stop.signal },
      onFailure: (error) =>
        this.#log.warn({ err: error, users: users.size }, 'other nodes could not be told of changes of users'),
    });
  }
}

/** Users remembered, more than change while a look-up lasts; past it all look-ups under way are repeated once. */
const SEEN_USERS_MAX = 1000;

/**
 * Which users have changed lately, for look-ups that are under way: what was read before a change of its user may be old
 * and is read again. A change of another user costs a look-up nothing, so that no user can keep those of others from ending.
 */
export class ChangesSeen {
  #count = 0;
  #allAt = 0;
  readonly #lastOf = new Map<string, number>();

  /** The number of changes so far: a look-up notes it when it begins. */
  get count(): number {
    return this.#count;
  }

  note(userId: string): void {
    if (this.#lastOf.size >= SEEN_USERS_MAX) this.noteAll();
    this.#count += 1;
    this.#lastOf.set(userId, this.#count);
  }

  /** Any user may have changed. */
  noteAll(): void {
    this.#count += 1;
    this.#allAt = this.#count;
    this.#lastOf.clear();
  }

  /** @param since the count when the look-up began */
  hasChanged(userId: string, since: number): boolean {
    return this.#allAt > since || (this.#lastOf.get(userId) ?? 0) > since;
  }
}
