// When each API key was last used: written to Redis once a second. The `key-usage` job moves the times to MongoDB.
import { RetryableError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import { apiKeyKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { LastUses } from './lastUses.ts';

const EVERY_MS = 1000;
/** Keys in one command. */
const SLICE = 1000;

export class KeyUsage extends LastUses {
  readonly #redis: Redis;

  constructor({ redis, log }: { redis: Redis; log: Logger }) {
    super({ everyMs: EVERY_MS, what: 'keys', log, write: (notes) => write(redis, [...notes]) });
    this.#redis = redis;
  }

  /** Uses that MongoDB may not know yet, by key id, ms. */
  async lastUses(keyIds: readonly string[]): Promise<Map<string, number>> {
    await this.flush();
    if (keyIds.length === 0 || this.#redis.status !== 'ready') return new Map();
    const times = await this.#redis.hmget(apiKeyKeys.used, ...keyIds);
    return new Map(keyIds.flatMap((keyId, i) => (times[i] ? [[keyId, Number(times[i])]] : [])));
  }
}

async function write(redis: Redis, notes: readonly (readonly [string, number])[]): Promise<void> {
  if (redis.status !== 'ready') throw new RetryableError('Redis is away');
  for (let from = 0; from < notes.length; from += SLICE) {
    await redis.hset(apiKeyKeys.used, ...notes.slice(from, from + SLICE).flat());
  }
}
