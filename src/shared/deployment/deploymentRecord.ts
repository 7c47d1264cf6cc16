// The records of a deployment in both stores: its facts, and the mark of an unfinished restore.
// The facts of a deployment that never change or only rise, recorded at its first start: the line of forms, the number of shards,
// and the generation of stored forms that may be written. A record without the line is of an unreleased build, and refused.
// The record stands in both stores, because each can be lost or
// restored alone: the one that is there wins, and the generation is the higher of the two.
import { FORMS_LINE, NEWEST_FORMAT } from '../domain/formats.ts';
import { collections, durable, type MongoConnection, upserted } from '../mongo/mongo.ts';
import { deploymentKeys, marketKeys, podKeys, shardKeys, workerKeys } from '../redis/keys.ts';
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

const UNRELEASED = 'holds an exchange of an unreleased build, whose stored forms no release reads';
const FRESH = 'give the service fresh stores, as "bin/start --data NEW_FOLDER" makes them';

const unreleasedRedis = (): WrongDeployment => new WrongDeployment(`The database of REDIS_URL ${UNRELEASED}: ${FRESH}.`);

const unreleasedMongo = ({ db }: MongoConnection): WrongDeployment =>
  new WrongDeployment(`The database "${db.databaseName}" of MongoDB ${UNRELEASED}: ${FRESH}.`);

interface RecordDocument extends DeploymentRecord {
  readonly _id: 'deployment';
  readonly forms: string;
  readonly schema: 1;
}

const RECORD_ID = 'deployment';

const claimScript = new Script(
  'claimDeployment',
  `
-- Writes the record down unless there is one, and raises its generation to the given one.
-- KEYS  record.
-- ARGV  number of shards, generation, line of forms.
-- Answers {shards, generation, line} as they are now. A record of another line, or of none, is left as it is.
-- Atomic because processes of one deployment start at once: the first one's number of shards holds for all.
if redis.call('HSETNX', KEYS[1], 'shards', ARGV[1]) == 1 then redis.call('HSET', KEYS[1], 'forms', ARGV[3]) end
if redis.call('HGET', KEYS[1], 'forms') == ARGV[3] and tonumber(redis.call('HGET', KEYS[1], 'formats') or '0') < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'formats', ARGV[2])
end
return redis.call('HMGET', KEYS[1], 'shards', 'formats', 'forms')
`,
  { whenFull: 'runs' },
);

/** @throws {WrongDeployment} when it is of an unreleased build */
export async function readRedisRecord(redis: Redis): Promise<DeploymentRecord | undefined> {
  const { shards, formats, forms } = await redis.hgetall(deploymentKeys.record);
  if (shards === undefined || formats === undefined) return undefined;
  if (forms !== FORMS_LINE) throw unreleasedRedis();
  return { shards: Number(shards), formats: Number(formats) };
}

/** @throws {WrongDeployment} when it is of an unreleased build */
export async function readMongoRecord(mongo: MongoConnection): Promise<DeploymentRecord | undefined> {
  const found = await recordsOf(mongo).findOne({ _id: RECORD_ID });
  if (found === null) return undefined;
  if (found.forms !== FORMS_LINE) throw unreleasedMongo(mongo);
  return { shards: found.shards, formats: found.formats };
}

/**
 * Writes the record where there is none, and raises its generation.
 * @returns the record as it is now
 * @throws {WrongDeployment} when there is one of an unreleased build
 */
export async function raiseRedisRecord(redis: Redis, { shards, formats }: DeploymentRecord): Promise<DeploymentRecord> {
  const told = await claimScript.run(redis, [deploymentKeys.record], [shards, formats, FORMS_LINE]);
  const [nowShards, nowFormats, line] = told as [string, string, string | null];
  if (line !== FORMS_LINE) throw unreleasedRedis();
  return { shards: Number(nowShards), formats: Number(nowFormats) };
}

/** As `raiseRedisRecord`, in MongoDB. */
export async function raiseMongoRecord(mongo: MongoConnection, { shards, formats }: DeploymentRecord): Promise<DeploymentRecord> {
  await readMongoRecord(mongo);
  const update = { $setOnInsert: { schema: 1, forms: FORMS_LINE, shards } as const, $max: { formats } };
  await upserted(() => recordsOf(mongo).updateOne({ _id: RECORD_ID }, update, { upsert: true }));
  return (await readMongoRecord(mongo)) ?? { shards, formats };
}

const recordsOf = (mongo: MongoConnection) => mongo.db.collection<RecordDocument>(collections.settings, durable);

// Checks stores without a deployment record. Those of a new deployment are empty. Others were begun by an unreleased build, which wrote
// no record: what their forms say of themselves cannot be trusted.

/** The most shards that a deployment can have (config.ts). */
const SHARDS_MAX = 100;

/**
 * The record of a new deployment, or of another process that has begun it meanwhile.
 * @throws {WrongDeployment} when one of the stores is not empty and has no record
 */
export async function recordOfStores(
  { redis, mongo }: { readonly redis: Redis; readonly mongo: MongoConnection },
  shards: number,
): Promise<DeploymentRecord> {
  await requireEmptyMongo(mongo);
  const ofShards = Array.from({ length: SHARDS_MAX }, (_, shard) => [shardKeys.head(shard), shardKeys.live(shard)]).flat();
  const signs = [podKeys.pods, marketKeys.state, workerKeys.workers, ...ofShards];
  const there = await Promise.all(signs.map((key) => redis.exists(key)));
  const begun = await readRedisRecord(redis);
  if (there.includes(1) && begun === undefined) throw unreleasedRedis();
  return begun ?? { shards, formats: NEWEST_FORMAT };
}

/**
 * Looks for accounts where MongoDB had no record. Processes of a new deployment start at once, and the first may have begun it meanwhile. A
 * process writes the record before accounts, so the record is read after them.
 * @throws {WrongDeployment} when MongoDB has accounts and no record
 */
export async function requireEmptyMongo(mongo: MongoConnection): Promise<void> {
  const projection = { projection: { _id: 1 } };
  const first = (name: string) => mongo.db.collection(name).findOne({}, projection);
  const found = await Promise.all([collections.shards, collections.accounts].map(first));
  if (found.every((document) => document === null)) return;
  if ((await readMongoRecord(mongo)) === undefined) throw unreleasedMongo(mongo);
}

// The mark of a restore that is under way or was interrupted. It stands in both stores from before the first thing that the restore
// writes until all of it is verified: no process of the deployment starts on such stores.

interface RestoreMark {
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
