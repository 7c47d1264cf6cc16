// The mark of a restore that is under way or was interrupted. It stands in both stores from before the first thing that the restore
// writes until all of it is verified: no process of the deployment starts on such stores.
import { collections, durable, type MongoConnection } from '../mongo/mongo.ts';
import { deploymentKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { WrongDeployment } from './deploymentRecord.ts';

export interface RestoreMark {
  /** Id of the backup. */
  readonly backup: string;
  /** `verified`: everything is in place, only marks are left to be removed. */
  readonly phase: 'writing' | 'verified';
}

interface MarkDocument extends RestoreMark {
  readonly _id: 'restore';
  readonly schema: 1;
}

/** Of the mark's document in `settings`. */
export const RESTORE_ID = 'restore';

/** @throws {WrongDeployment} when there is a mark */
export function requireFinished(mark: RestoreMark | undefined): void {
  if (mark === undefined) return;
  throw new WrongDeployment(
    `A restore of backup ${mark.backup} into these stores is unfinished: run bin/admin restore again, then start the roles.`,
  );
}

export async function readRedisRestore(redis: Redis): Promise<RestoreMark | undefined> {
  const { backup, phase } = await redis.hgetall(deploymentKeys.restore);
  return backup === undefined ? undefined : { backup, phase: phase === 'verified' ? phase : 'writing' };
}

export async function readMongoRestore(mongo: MongoConnection): Promise<RestoreMark | undefined> {
  const found = await marksOf(mongo).findOne({ _id: RESTORE_ID });
  return found === null ? undefined : { backup: found.backup, phase: found.phase };
}

export async function markRedis(redis: Redis, { backup, phase }: RestoreMark): Promise<void> {
  await redis.hset(deploymentKeys.restore, { backup, phase });
}

/** Resolves when it is there for good, and everything that was written before it. */
export async function markMongo(mongo: MongoConnection, { backup, phase }: RestoreMark): Promise<void> {
  await marksOf(mongo).updateOne({ _id: RESTORE_ID }, { $set: { schema: 1, backup, phase } }, { upsert: true });
}

export async function unmarkRedis(redis: Redis): Promise<void> {
  await redis.del(deploymentKeys.restore);
}

export async function unmarkMongo(mongo: MongoConnection): Promise<void> {
  await marksOf(mongo).deleteOne({ _id: RESTORE_ID });
}

const marksOf = (mongo: MongoConnection) => mongo.db.collection<MarkDocument>(collections.settings, durable);
