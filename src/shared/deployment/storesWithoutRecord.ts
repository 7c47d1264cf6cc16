// Checks stores without a deployment record. Those of a new deployment are empty. Others were begun by an unreleased build, which wrote
// no record: what their forms say of themselves cannot be trusted.
import { NEWEST_FORMAT } from '../domain/formats.ts';
import { collections, type MongoConnection } from '../mongo/mongo.ts';
import { marketKeys, podKeys, shardKeys, workerKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { type DeploymentRecord, unreleasedMongo, unreleasedRedis } from './deploymentRecord.ts';

/** The most shards that a deployment can have (config.ts). */
const SHARDS_MAX = 100;

/** The record of a new deployment. @throws {WrongDeployment} when one of the stores is not empty */
export async function recordOfStores(
  { redis, mongo }: { readonly redis: Redis; readonly mongo: MongoConnection },
  shards: number,
): Promise<DeploymentRecord> {
  await requireEmptyMongo(mongo);
  const begun = Array.from({ length: SHARDS_MAX }, (_, shard) => [shardKeys.head(shard), shardKeys.live(shard)]).flat();
  const signs = [podKeys.pods, marketKeys.state, workerKeys.workers, ...begun];
  const there = await Promise.all(signs.map((key) => redis.exists(key)));
  if (there.includes(1)) throw unreleasedRedis();
  return { shards, formats: NEWEST_FORMAT };
}

/** @throws {WrongDeployment} when MongoDB, which has no record, has accounts */
export async function requireEmptyMongo(mongo: MongoConnection): Promise<void> {
  const projection = { projection: { _id: 1 } };
  const first = (name: string) => mongo.db.collection(name).findOne({}, projection);
  const found = await Promise.all([collections.shards, collections.accounts].map(first));
  if (found.some((document) => document !== null)) throw unreleasedMongo(mongo);
}
