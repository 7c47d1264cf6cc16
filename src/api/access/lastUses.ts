// When each of many things (API keys, sessions) was last used, in memory, and written at intervals: a write at every request
// would cost too much. What a killed node had not written is lost.

import { RetryableError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { SessionStore } from '../../shared/mongo/sessionStore.ts';
import { apiKeyKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { createSeldomLog, type SeldomLog } from './limits/seldomLog.ts';

/** Things noted; past it uses of others are not noted until the next write. */
const NOTES_MAX = 100_000;

interface LastUsesOptions {
  readonly everyMs: number;
  /** Writes times of uses, ms since the epoch, by id. @throws when the store is away: the times stay here then */
  readonly write: (notes: ReadonlyMap<string, number>) => Promise<void>;
  /** What is used, for the log. */
  readonly what: string;
  readonly log: Logger;
}

export class LastUses {
  readonly #options: LastUsesOptions;
  readonly #log: SeldomLog;
  #notes = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LastUsesOptions) {
    this.#options = options;
    this.#log = createSeldomLog(options.log);
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), this.#options.everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  note(id: string, timeMs: number): void {
    if (this.#notes.size < NOTES_MAX || this.#notes.has(id)) this.#notes.set(id, timeMs);
  }

  /** A use that is not written yet, ms. */
  lastUse(id: string): number | undefined {
    return this.#notes.get(id);
  }

  /** Writes what was noted. Never throws. */
  async flush(): Promise<void> {
    if (this.#notes.size === 0) return;
    const notes = this.#notes;
    this.#notes = new Map();
    try {
      await this.#options.write(notes);
    } catch (error) {
      for (const [id, timeMs] of notes) if (!this.#notes.has(id)) this.note(id, timeMs);
      this.#log.warn('write', { err: error, count: notes.size }, `last uses of ${this.#options.what} could not be noted`);
    }
  }
}

const KEYS_EVERY_MS = 1000;
/** Keys in one command. */
const SLICE = 1000;

/** When each API key was last used: written to Redis once a second. The `key-usage` job moves the times to MongoDB. */
export class KeyUsage extends LastUses {
  readonly #redis: Redis;

  constructor({ redis, log }: { redis: Redis; log: Logger }) {
    super({ everyMs: KEYS_EVERY_MS, what: 'keys', log, write: (notes) => writeKeys(redis, [...notes]) });
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

async function writeKeys(redis: Redis, notes: readonly (readonly [string, number])[]): Promise<void> {
  if (redis.status !== 'ready') throw new RetryableError('Redis is away');
  for (let from = 0; from < notes.length; from += SLICE) {
    await redis.hset(apiKeyKeys.used, ...notes.slice(from, from + SLICE).flat());
  }
}

const SESSIONS_EVERY_MS = 60_000;

/**
 * When each session was last used: written to MongoDB once a minute. Where a killed node had not written it, a session may
 * end by idleness a minute early.
 */
export class SessionUsage extends LastUses {
  constructor({ sessions, log }: { sessions: Pick<SessionStore, 'noteUses'>; log: Logger }) {
    super({ everyMs: SESSIONS_EVERY_MS, what: 'sessions', log, write: (notes) => sessions.noteUses(notes) });
  }
}
