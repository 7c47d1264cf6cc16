// The clock that all processes share, asked for once. On a cluster each node has a clock, and TIME is answered by any: the one that counts
// is that of the node of the deployment's record, by which every process keeps its time (exchangeClock.ts).
import { deploymentKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { Script } from '../redis/script.ts';

const timeScript = new Script(
  'redisTime',
  `
-- Tells the time of the node of a key.
-- KEYS  the deployment's record.
-- Answers seconds since the epoch, microseconds.
-- A script because TIME has no key, and goes to any node.
return redis.call('TIME')
`,
);

/** Ms since the epoch, whole. */
export async function redisTimeMs(redis: Redis): Promise<number> {
  const [seconds, micros] = (await timeScript.run(redis, [deploymentKeys.record], [])) as [string, string];
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
