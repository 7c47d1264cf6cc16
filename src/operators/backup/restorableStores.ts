// Whether a restore may write into these stores: both are empty, or have nothing but what an unfinished restore has left, and no
// process of the deployment lives.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { readMongoRestore, readRedisRestore } from '../../shared/deployment/deploymentRecord.ts';
import { liveProcesses } from '../../shared/deployment/liveProcesses.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { deploymentKeys } from '../../shared/redis/keys.ts';
import { mastersOf, type Redis } from '../../shared/redis/redis.ts';
import { Refused } from '../acts/operatorParts.ts';

interface Stores {
  readonly redis: Redis;
  readonly mongo: MongoConnection;
}

/**
 * @param backup id of the backup that is to be restored
 * @returns `finish`: a restore of this backup was interrupted after everything was verified
 * @throws {Refused} when the stores may not be written
 */
export async function requireRestorable({ redis, mongo }: Stores, backup: string): Promise<'begin' | 'finish'> {
  const processes = await liveProcesses(redis);
  if (processes.length > 0) {
    const names = processes.map(({ name, roles }) => `${name} (${roles.join(', ')})`).join(', ');
    throw new Refused(`Processes of the deployment run on this Redis: ${names}. Stop them first.`);
  }
  const [inRedis, inMongo] = await Promise.all([readRedisRestore(redis), readMongoRestore(mongo)]);
  if (inMongo?.phase === 'verified' && inMongo.backup === backup && (await redis.exists(deploymentKeys.record)) === 1)
    return 'finish';
  const keys = inRedis === undefined ? await keysIn(redis) : 0;
  if (keys > 0) throw new Refused(`Redis is not empty, it has ${keys} keys: a restore goes into empty stores only.`);
  const collection = inMongo === undefined ? await firstNotEmpty(mongo) : undefined;
  if (collection !== undefined)
    throw new Refused(`MongoDB is not empty, ${collection} has documents: a restore goes into empty stores only.`);
  return 'begin';
}

/** Without the mark of the process that asks. */
async function keysIn(redis: Redis): Promise<number> {
  const [own, ...sizes] = await Promise.all([
    redis.exists(deploymentKeys.restorer),
    ...mastersOf(redis).map((master) => master.dbsize()),
  ]);
  return sizes.reduce((sum, size) => sum + size, 0) - own;
}

async function firstNotEmpty({ db }: MongoConnection): Promise<string | undefined> {
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (!name.startsWith('system.') && (await db.collection(name).findOne({}, { projection: { _id: 1 } })) !== null) return name;
  }
  return undefined;
}

/** Life of the mark in Redis which says that a restore is at work, ms: it ends soon after a process that was killed. */
const LIFE_MS = 5000;
const RENEW_MS = 1000;
const LOOK_AGAIN_MS = 100;

/** One restore at a time. @throws {Refused} when another restore is at work on this Redis */
export async function asOnlyRestore<Result>(redis: Redis, work: () => Promise<Result>): Promise<Result> {
  const own = randomBytes(8).toString('hex');
  await take(redis, own);
  const renewing = setInterval(() => void redis.pexpire(deploymentKeys.restorer, LIFE_MS).catch(() => undefined), RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    // While Redis is away the mark ends by itself.
    if (redis.status === 'ready') await redis.del(deploymentKeys.restorer);
  }
}

/** The mark of a restore that was killed is waited for: nobody renews it. */
async function take(redis: Redis, own: string): Promise<void> {
  for (const since = performance.now(); ; await pause(LOOK_AGAIN_MS)) {
    if ((await redis.set(deploymentKeys.restorer, own, 'PX', LIFE_MS, 'NX')) === 'OK') return;
    if (performance.now() - since > LIFE_MS + RENEW_MS) throw new Refused('Another restore is at work on this Redis.');
  }
}
