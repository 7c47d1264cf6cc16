// The highest numbers of a shard in any store. A new owner continues beyond them, so that a Redis that has lost its
// last moments never gives out an epoch, a commit number or an id twice.

import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { toCommit, toHead } from '../history/journal.ts';
import { furthest, highestNamed, readJournalPosition } from '../history/journalPosition.ts';

export interface HighWaterMarks {
  readonly epoch: number;
  readonly commitNumber: number;
  readonly idCounter: number;
}

/**
 * To be read before the take.
 * @param deps.mongo absent = what Redis knows
 * @throws when Redis or MongoDB does not answer
 */
export async function readHighWaterMarks(deps: {
  redis: Redis;
  mongo?: MongoConnection;
  shard: number;
}): Promise<HighWaterMarks> {
  const { redis, mongo, shard } = deps;
  const [headFields, newest, position] = await Promise.all([
    redis.hgetall(shardKeys.head(shard)),
    redis.xrevrange(shardKeys.journal(shard), '+', '-', 'COUNT', 1),
    mongo && readJournalPosition(mongo, shard),
  ]);
  const head = toHead(Object.entries(headFields).flat());
  const last = newest[0] && toCommit(newest[0]);
  const stored = position && furthest(position);
  return {
    epoch: Math.max(head.epoch, last?.epoch ?? 0, stored?.epoch ?? 0),
    commitNumber: Math.max(head.commit, last?.number ?? 0, position ? highestNamed(position) : 0),
    idCounter: Math.max(head.idCounter, last?.idCounter ?? 0, stored?.idCounter ?? 0),
  };
}
