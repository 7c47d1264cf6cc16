// Takes a shard. Its numbers go on from the highest that any store knows. Where Redis alone proves them MongoDB is not
// asked: it may be away.
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { readHighWaterMarks } from './highWaterMarks.ts';
import { type Lease, takeLease } from './lease.ts';

/**
 * @returns undefined when another pod has it, or takes it at the moment
 * @throws when Redis does not answer, or MongoDB is needed and does not
 * @throws {NewerFormat} when a newer build has written its position
 */
export async function takeShard(options: {
  redis: Redis;
  mongo: MongoConnection;
  shard: number;
  podId: string;
  ttlMs: number;
}): Promise<Lease | undefined> {
  const { redis, mongo, shard } = options;
  const highest = await readHighWaterMarks({ redis, shard });
  let lease = await takeLease({ ...options, highest, onlyProven: true });
  if (lease === 'unproven') lease = await takeLease({ ...options, highest: await readHighWaterMarks({ redis, mongo, shard }) });
  return typeof lease === 'string' ? undefined : lease;
}
