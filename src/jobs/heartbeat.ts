// A job process announces that it lives, so that /health can tell when no process runs the jobs. Times are by Redis's
// clock, as for the actor pods. The other processes remove a silent one; when none is left, the key expires.

import type { Logger } from '../shared/logger.ts';
import { workerKeys } from '../shared/redis/keys.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { Script } from '../shared/redis/script.ts';

const BEAT_MS = 2000;
/** A process that was silent for this long counts as gone, ms. */
export const WORKER_GONE_AFTER_MS = 10_000;

const beatScript = new Script(
  'jobsHeartbeat',
  `
-- Writes a job process's time of life under Redis's clock and forgets those long silent.
-- KEYS  workers. ARGV  node id, silence in ms after which a process is forgotten.
-- Answers 1. Atomic because a process that is forgotten must not have spoken in between.
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', nowMs))
local workers = redis.call('HGETALL', KEYS[1])
for i = 1, #workers, 2 do
  if nowMs - tonumber(workers[i + 1]) > tonumber(ARGV[2]) then redis.call('HDEL', KEYS[1], workers[i]) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`,
  { whenFull: 'runs' },
);

export interface JobHeartbeat {
  /** True when Redis has heard of the process so lately that it counts as alive. */
  isHeard(): boolean;
  stop(): Promise<void>;
}

/**
 * Sends a heartbeat at once and at intervals from then on. Resolves after the first one, also when it failed.
 * @param options.redis a connection for commands; it may be away now and then
 */
export async function startHeartbeat(options: { log: Logger; redis: Redis; nodeId: string }): Promise<JobHeartbeat> {
  const { log, redis, nodeId } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let heardAtMs = Number.NEGATIVE_INFINITY;
  const beat = async (): Promise<void> => {
    try {
      await beatScript.run(redis, [workerKeys.workers], [nodeId, WORKER_GONE_AFTER_MS]);
      heardAtMs = performance.now();
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'job process could not say that it lives');
    }
    if (!stopped) timer = setTimeout(() => void beat(), BEAT_MS);
  };
  await beat();
  return {
    isHeard: () => performance.now() - heardAtMs <= WORKER_GONE_AFTER_MS,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      // Redis is away: the process counts as gone when its last heartbeat is too old.
      if (redis.status === 'ready') await redis.hdel(workerKeys.workers, nodeId);
    },
  };
}
