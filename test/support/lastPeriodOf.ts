import { shardKeys } from '../../src/shared/redis/keys.ts';
import type { Redis } from '../../src/shared/redis/redis.ts';

/** The last period for which the job has written this shard a command, ms; undefined before the first. */
export async function lastPeriodOf(redis: Redis, shard: number, job: string): Promise<number | undefined> {
  const stored = await redis.hget(shardKeys.jobs(shard), job);
  return stored === null ? undefined : Number(stored);
}
