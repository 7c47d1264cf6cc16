// What shards keep in Redis for their accounts, in bytes, as the scripts count it: for the metrics.
import { shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { withTimeout } from '../../shared/withTimeout.ts';
import type { ShardBytes } from './actorMetrics.ts';

/** A scrape waits no longer for Redis, ms. */
const ANSWER_MS_MAX = 500;

/** Of each shard; nothing while Redis does not answer. */
export async function readShardBytes(redis: Redis, shards: readonly number[]): Promise<readonly ShardBytes[]> {
  const reading = shards.map(async (shard) => {
    const [mailboxes, answers, kept] = await Promise.all([
      redis.hget(shardKeys.mailboxBytes(shard), '_all'),
      redis.hget(shardKeys.answerBytes(shard), '_all'),
      redis.hget(shardKeys.kept(shard), '_bytes'),
    ]);
    return { shard, mailboxes: Number(mailboxes ?? 0), answers: Number(answers ?? 0), kept: Number(kept ?? 0) };
  });
  return await withTimeout(ANSWER_MS_MAX, 'Redis', Promise.all(reading)).catch(() => []);
}
