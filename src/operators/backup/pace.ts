// How a backup or a restore uses the stores, which it shares with the users who trade. It has a bound for its reads and writes, and it ends
// when a store goes away.
import { setTimeout as pause } from 'node:timers/promises';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { Refused, UsageError } from '../acts/operatorParts.ts';

const MB = 1_000_000;
const RATE_MAX = 10_000;

/** Unused time that may be made up for, ms: a store that was slow is not overrun afterwards. */
const CREDIT_MS_MAX = 200;

export class Pace {
  readonly #bytesPerMs: number;
  /** When all that was spent is due, by `performance.now()`. */
  #dueAt = performance.now();

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1000;
  }

  /** Resolves when so many bytes more are within the bound. */
  async spend(bytes: number): Promise<void> {
    const now = performance.now();
    this.#dueAt = Math.max(this.#dueAt, now - CREDIT_MS_MAX) + bytes / this.#bytesPerMs;
    if (this.#dueAt > now) await pause(this.#dueAt - now);
  }
}

/**
 * @param text megabytes a second; absent = `standard`
 * @throws {UsageError}
 */
export function readPace(text: string | undefined, { standard }: { standard: number }): Pace {
  const rate = Number(text ?? standard);
  if (!(rate > 0 && rate <= RATE_MAX)) throw new UsageError(`--rate is megabytes a second, above 0 and up to ${RATE_MAX}.`);
  return new Pace(rate * MB);
}

/**
 * Ends a backup or a restore when a store goes away in its middle. A connection that is opened anew would let it go on, on a store
 * that may have lost its last moments; and while Redis is away a command would wait for ever.
 * @param what what to do then, a sentence
 * @returns what the work gives
 * @throws {Refused} when a store went away meanwhile; the work must not be relied on then
 */
export async function whileStoresAreThere<Result>(
  { redis, mongo }: { redis: Redis; mongo: MongoConnection },
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { client } = mongo.db;
  let onAway: (store: string) => void = () => undefined;
  const away = new Promise<never>((_, reject) => {
    onAway = (store) => reject(new Refused(`${store} went away in the middle. ${what}`));
  });
  away.catch(() => undefined); // it may be too late for the work, which is done then
  const [ofRedis, ofMongo] = [() => onAway('Redis'), () => onAway('MongoDB')];
  for (const event of ['close', '-node']) redis.on(event, ofRedis);
  client.on('connectionPoolCleared', ofMongo);
  try {
    return await Promise.race([work(), away]);
  } finally {
    for (const event of ['close', '-node']) redis.off(event, ofRedis);
    client.off('connectionPoolCleared', ofMongo);
  }
}
