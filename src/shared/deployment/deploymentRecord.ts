// The facts of a deployment that never change or only rise, recorded at its first start: the number of shards, and
// the generation of stored forms that may be written. The record stands in both stores, because each can be lost or
// restored alone: the one that is there wins, and the generation is the higher of the two.
import { collections, durable, type MongoConnection } from '../mongo/mongo.ts';
import { isDuplicate } from '../mongo/userStore.ts';
import { deploymentKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { Script } from '../redis/script.ts';

export interface DeploymentRecord {
  readonly shards: number;
  /** The newest generation that may be written. */
  readonly formats: number;
}

/** The process does not belong to the deployment whose stores it was given; the text is for operators. */
export class WrongDeployment extends Error {
  override name = 'WrongDeployment';
}

interface RecordDocument extends DeploymentRecord {
  readonly _id: 'deployment';
  readonly schema: 1;
}

const RECORD_ID = 'deployment';

const claimScript = new Script(
  'claimDeployment',
  `
-- Writes the record down unless there is one, and raises its generation to the given one.
-- KEYS  record.
-- ARGV  number of shards, generation.
-- Answers {shards, generation} as they are now.
-- Atomic because processes of one deployment start at once: the first one's number of shards holds for all.
redis.call('HSETNX', KEYS[1], 'shards', ARGV[1])
if tonumber(redis.call('HGET', KEYS[1], 'formats') or '0') < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'formats', ARGV[2])
end
return redis.call('HMGET', KEYS[1], 'shards', 'formats')
`,
  { whenFull: 'runs' },
);

export async function readRedisRecord(redis: Redis): Promise<DeploymentRecord | undefined> {
  const { shards, formats } = await redis.hgetall(deploymentKeys.record);
  return shards === undefined || formats === undefined ? undefined : { shards: Number(shards), formats: Number(formats) };
}

export async function readMongoRecord(mongo: MongoConnection): Promise<DeploymentRecord | undefined> {
  const found = await recordsOf(mongo).findOne({ _id: RECORD_ID });
  return found === null ? undefined : { shards: found.shards, formats: found.formats };
}

/** Writes the record where there is none, and raises its generation. @returns the record as it is now */
export async function raiseRedisRecord(redis: Redis, { shards, formats }: DeploymentRecord): Promise<DeploymentRecord> {
  const [nowShards, nowFormats] = (await claimScript.run(redis, [deploymentKeys.record], [shards, formats])) as [string, string];
  return { shards: Number(nowShards), formats: Number(nowFormats) };
}

/** As `raiseRedisRecord`, in MongoDB. */
export async function raiseMongoRecord(mongo: MongoConnection, { shards, formats }: DeploymentRecord): Promise<DeploymentRecord> {
  const update = { $setOnInsert: { schema: 1, shards } as const, $max: { formats } };
  const raise = () => recordsOf(mongo).updateOne({ _id: RECORD_ID }, update, { upsert: true });
  await raise().catch((error: unknown) => {
    // Two first writers: the second finds the document of the first.
    if (!isDuplicate(error)) throw error;
    return raise();
  });
  return (await readMongoRecord(mongo)) ?? { shards, formats };
}

const recordsOf = (mongo: MongoConnection) => mongo.db.collection<RecordDocument>(collections.settings, durable);
