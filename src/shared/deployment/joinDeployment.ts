// What a process does before its first role starts: it compares itself with the deployment's record and announces
// that it lives. From then on it knows which generation of stored forms may be written.

import { MongoError } from 'mongodb';
import { type FormatSource, NEWEST_FORMAT } from '../domain/formats.ts';
import { RetryableError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { MongoConnection } from '../mongo/mongo.ts';
import type { Redis } from '../redis/redis.ts';
import { retry } from '../retrying.ts';
import { withTimeout } from '../waiting.ts';
import { readKeptClock, restoreClock } from './clockRecord.ts';
import {
  type DeploymentRecord,
  raiseMongoRecord,
  raiseRedisRecord,
  readMongoRecord,
  readMongoRestore,
  readRedisRecord,
  readRedisRestore,
  recordOfStores,
  requireEmptyMongo,
  requireFinished,
  WrongDeployment,
} from './deploymentRecord.ts';
import type { ClockWatch, ExchangeClock } from './exchangeClock.ts';
import { Membership } from './membership.ts';

export interface JoinParts extends DeploymentParts {
  readonly clock: ExchangeClock;
  readonly clockWatch: ClockWatch;
  readonly nodeId: string;
  readonly roles: readonly string[];
}

export interface JoinedDeployment {
  readonly formats: FormatSource;
  stop(): Promise<void>;
}

/**
 * @param parts.onRefused the process has to end, with this error, although it has joined
 * @throws {WrongDeployment} when it may not join
 */
export async function joinDeployment(parts: JoinParts): Promise<JoinedDeployment> {
  const { roles, onRefused } = parts;
  await refuseClusterNode(parts.redis);
  const claim = await claimDeployment(parts);
  const { formats } = claim.record;
  if (formats > NEWEST_FORMAT && !canStandBy(roles)) throw leftBehind(formats);
  const membership = new Membership(
    {
      ...parts,
      onReplaced: onRefused,
      onLeftBehind: (recorded) => {
        if (!canStandBy(roles)) onRefused(leftBehind(recorded));
      },
    },
    claim.record,
  );
  try {
    await membership.start();
  } catch (error) {
    claim.stop();
    throw error;
  }
  return {
    formats: membership,
    stop: () => {
      claim.stop();
      return membership.stop();
    },
  };
}

/** Actor pods alone take no shard and wait; every other role would work on what it cannot read. */
const canStandBy = (roles: readonly string[]): boolean => roles.every((role) => role === 'actors');

const leftBehind = (recorded: number): WrongDeployment =>
  new WrongDeployment(
    `This deployment writes stored forms of generation ${recorded} and this build reads up to ${NEWEST_FORMAT}: run a newer build.`,
  );

/**
 * A node of a Redis Cluster that is given like a server of its own answers some commands and refuses others: a process would half work.
 * @throws {WrongDeployment} when the connection is to one server, and that is a node of a cluster
 */
async function refuseClusterNode(redis: Redis): Promise<void> {
  if (redis.isCluster || !/cluster_enabled:1/.test(await redis.info('cluster'))) return;
  throw new WrongDeployment(
    'REDIS_URL names a node of a Redis Cluster like a server of its own. Write redis+cluster://host:port, or several of its nodes with commas between them.',
  );
}

// Compares a process with its deployment before any of its roles starts: with another number of shards it would open
// empty accounts in place of the real ones. Redis's record is enough to begin with; while MongoDB is away, its record
// is compared when it answers.

/** How long a start that has Redis's record waits for MongoDB's, ms. */
const MONGO_MS_MAX = 1000;
const RETRY_MS = 1000;

interface DeploymentParts {
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly log: Logger;
  readonly shards: number;
  /** MongoDB, which was away at the start, has another record: this process must end. */
  readonly onRefused: (error: Error) => void;
}

interface Claim {
  readonly record: DeploymentRecord;
  /** Asks MongoDB no more. */
  stop(): void;
}

/**
 * Writes the record down at the first start, and compares it at every other. Waits for Redis, and for MongoDB when Redis
 * has no record.
 * @throws {WrongDeployment} when the process does not belong to the deployment
 */
export async function claimDeployment(parts: DeploymentParts): Promise<Claim> {
  const { redis, mongo, shards } = parts;
  requireFinished(await readRedisRestore(redis));
  const inRedis = await readRedisRecord(redis);
  if (inRedis !== undefined) {
    requireShards(shards, inRedis, 'Redis');
    return await claimWithRedis(parts, inRedis);
  }
  const known = await untilMongoAnswers(parts, async () => {
    requireFinished(await readMongoRestore(mongo));
    return (await readMongoRecord(mongo)) ?? recordOfStores(parts, shards);
  });
  requireShards(shards, known, 'MongoDB');
  // Before the record: a start that finds one takes the clock for whole.
  await restoreClock(redis, await untilMongoAnswers(parts, () => readKeptClock(mongo)));
  const claimed = await raiseRedisRecord(redis, known);
  requireShards(shards, claimed, 'Redis');
  const record = await untilMongoAnswers(parts, () => agree(parts, claimed));
  return { record, stop: () => undefined };
}

/** Redis has the record: MongoDB gets a moment, and is asked again later when it does not answer. */
async function claimWithRedis(parts: DeploymentParts, inRedis: DeploymentRecord): Promise<Claim> {
  const { log, onRefused } = parts;
  let isStopped = false;
  const agreed = untilMongoAnswers(
    parts,
    () => agree(parts, inRedis),
    () => isStopped,
  );
  let isLate = false;
  agreed.catch((error: unknown) => {
    if (isLate && !isStopped) onRefused(error instanceof Error ? error : new Error(String(error)));
  });
  const stop = (): void => {
    isStopped = true;
  };
  try {
    return { record: await withTimeout(MONGO_MS_MAX, 'MongoDB', agreed), stop };
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    isLate = true;
    log.warn({ reason: error.message }, 'MongoDB’s record of the deployment is looked at later');
    return { record: inRedis, stop };
  }
}

/**
 * The record in both stores, with the higher generation of the two.
 * @throws {WrongDeployment} when they are of two deployments, one is of an unreleased build, or a restore of MongoDB is unfinished
 */
async function agree({ redis, mongo }: DeploymentParts, inRedis: DeploymentRecord): Promise<DeploymentRecord> {
  requireFinished(await readMongoRestore(mongo));
  if ((await readMongoRecord(mongo)) === undefined) await requireEmptyMongo(mongo);
  const inMongo = await raiseMongoRecord(mongo, inRedis);
  if (inMongo.shards !== inRedis.shards) {
    throw new WrongDeployment(
      `Redis says that this deployment has ${inRedis.shards} shards, MongoDB says ${inMongo.shards}: start with two stores of one deployment.`,
    );
  }
  return inMongo.formats > inRedis.formats ? await raiseRedisRecord(redis, inMongo) : inRedis;
}

/** @param isStopped called after each failure: true when the answer is no longer needed */
async function untilMongoAnswers<Result>(
  { log }: DeploymentParts,
  ask: () => Promise<Result>,
  isStopped: () => boolean = () => false,
): Promise<Result> {
  return retry(ask, {
    ...{ of: 'deployment_record', firstMs: RETRY_MS },
    onFailure: (error, attempt) => {
      if (isStopped() || !(error instanceof MongoError)) throw error;
      if (attempt === 1) log.warn({ reason: error.message }, 'waiting for MongoDB: it may have the record of the deployment');
    },
  });
}

/** @throws {WrongDeployment} */
function requireShards(shards: number, record: DeploymentRecord, store: string): void {
  if (record.shards === shards) return;
  throw new WrongDeployment(
    `SHARDS is ${shards}, but ${store} says that this deployment has ${record.shards}: start with SHARDS=${record.shards}, or with empty stores.`,
  );
}

/**
 * Operators' commands refuse stores of an unreleased build, as the roles do, before they read or write anything else. While MongoDB
 * is away, Redis's record is enough.
 * @throws {WrongDeployment}
 */
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
