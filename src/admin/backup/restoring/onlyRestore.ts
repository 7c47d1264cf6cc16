// One restore at a time. A mark in Redis says that one is at work; it ends soon after a process that was killed.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Refused } from '../../../operators/operatorParts.ts';
import { deploymentKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';

const LIFE_MS = 5000;
const RENEW_MS = 1000;
const LOOK_AGAIN_MS = 100;

/** @throws {Refused} when another restore is at work on this Redis */
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
