// What shards keep in Redis for their accounts, as the scripts count it: for the metrics.
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { withTimeout } from '../../../shared/withTimeout.ts';

/** A scrape waits no longer for Redis, ms. */
const ANSWER_MS_MAX = 500;

/** What a shard that this pod owns has in Redis, bytes: waiting commands, remembered answers, kept snapshots. */
export interface ShardBytes {
  readonly shard: number;
  readonly mailboxes: number;
  readonly answers: number;
  readonly kept: number;
}

/** Of each shard; nothing while Redis does not answer. */
export const readShardBytes = (redis: Redis, shards: readonly number[]): Promise<readonly ShardBytes[]> =>
  ofEach(shards, async (shard) => {
    const [mailboxes, answers, kept] = await Promise.all([
      redis.hget(shardKeys.mailboxBytes(shard), '_all'),
      redis.hget(shardKeys.answerBytes(shard), '_all'),
      redis.hget(shardKeys.kept(shard), '_bytes'),
    ]);
    return { shard, mailboxes: Number(mailboxes ?? 0), answers: Number(answers ?? 0), kept: Number(kept ?? 0) };
  });

/** How many commands of each shard are parked; nothing while Redis does not answer. */
export const countDeadLetters = (
  redis: Redis,
  shards: readonly number[],
): Promise<readonly { shard: number; letters: number }[]> =>
  ofEach(shards, async (shard) => ({ shard, letters: await redis.xlen(shardKeys.dead(shard)) }));

function ofEach<Answer>(shards: readonly number[], read: (shard: number) => Promise<Answer>): Promise<readonly Answer[]> {
  return withTimeout(ANSWER_MS_MAX, 'Redis', Promise.all(shards.map(read))).catch(() => []);
}
