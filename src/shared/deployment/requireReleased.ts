// Operators' commands refuse stores of an unreleased build, as the roles do, before they read or write anything else.
import { MongoError } from 'mongodb';
import type { MongoConnection } from '../mongo/mongo.ts';
import type { Redis } from '../redis/redis.ts';
import { readMongoRecord, readRedisRecord } from './deploymentRecord.ts';
import { recordOfStores, requireEmptyMongo } from './storesWithoutRecord.ts';
import { readMongoRestore, readRedisRestore } from './unfinishedRestore.ts';

/** A MongoDB that is away is asked by nobody: Redis's record is enough then. @throws {WrongDeployment} */
export async function requireReleased(stores: { readonly redis: Redis; readonly mongo: MongoConnection }): Promise<void> {
  const { redis, mongo } = stores;
  const inRedis = await readRedisRecord(redis);
  try {
    const isUnfinished = (await readRedisRestore(redis)) ?? (await readMongoRestore(mongo));
    if ((await readMongoRecord(mongo)) !== undefined || isUnfinished !== undefined) return;
    if (inRedis === undefined) await recordOfStores(stores, 1);
    else await requireEmptyMongo(mongo);
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
  }
}
