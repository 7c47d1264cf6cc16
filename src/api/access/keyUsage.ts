// Records when each API key was last used, in memory, and writes the times to Redis once a second, because a write at
// every request would cost too much. The `key-usage` job moves them to MongoDB.

import type { Logger } from '../../shared/logger.ts';
import { apiKeyKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';

const FLUSH_EVERY_MS = 1000;
/** Keys in one command. */
const SLICE = 1000;

export class KeyUsage {
  readonly #redis: Redis;
  readonly #log: Logger;
  readonly #notes = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { redis: Redis; log: Logger }) {
    this.#redis = options.redis;
    this.#log = options.log;
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  note(keyId: string, timeMs: number): void {
    this.#notes.set(keyId, timeMs);
  }

  /** Uses that MongoDB may not know yet, by key id, ms. */
  async lastUses(keyIds: readonly string[]): Promise<Map<string, number>> {
    await this.flush();
    if (keyIds.length === 0 || this.#redis.status !== 'ready') return new Map();
    const times = await this.#redis.hmget(apiKeyKeys.used, ...keyIds);
    return new Map(keyIds.flatMap((keyId, i) => (times[i] ? [[keyId, Number(times[i])]] : [])));
  }

  /** The times stay here while Redis is away. */
  async flush(): Promise<void> {
    if (this.#notes.size === 0 || this.#redis.status !== 'ready') return;
    const notes = [...this.#notes];
    this.#notes.clear();
    try {
      for (let from = 0; from < notes.length; from += SLICE) {
        await this.#redis.hset(apiKeyKeys.used, ...notes.slice(from, from + SLICE).flat());
      }
    } catch (error) {
      this.#log.warn({ err: error, keys: notes.length }, 'last uses of keys could not be noted');
    }
  }
}
