// Follows the stream of changed users (`announceUserChange`), four times a second. Cached data of a changed user is
// gone within a second at every node. A lost message cannot keep it alive, because a node that was cut off forgets
// everything.

import type { Logger } from '../../shared/logger.ts';
import { apiKeyKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';

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
