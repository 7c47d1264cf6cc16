// Every job with its next run, the processes that run jobs, and the runs that failed for good.
import { DEAD_LETTERS_MAX, listDeadLetters, openJobQueue } from '../../shared/redis/jobQueue.ts';
import { workerKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';

/** @param lettersMax how many of the runs that failed, the newest first */
export async function readQueues(redis: Redis, lettersMax = DEAD_LETTERS_MAX) {
  const queue = openJobQueue(redis);
  try {
    const schedulers = await queue.getJobSchedulers();
    const {
      active = 0,
      waiting = 0,
      delayed = 0,
      failed = 0,
    } = await queue.getJobCounts('active', 'waiting', 'delayed', 'failed');
    const letters = await listDeadLetters(queue, lettersMax);
    return {
      workers: Object.keys(await redis.hgetall(workerKeys.workers)),
      counts: { active, waiting, delayed, failed },
      jobs: schedulers.map(({ key, every, next }) => ({
        job: key,
        every_ms: Number(every),
        next_run: next === undefined ? null : new Date(next).toISOString(),
      })),
      dead_letters: letters.map(({ job, dueMs, failedMs, attempts, reason }) => ({
        ...{ job, due_at: new Date(dueMs).toISOString(), failed_at: new Date(failedMs).toISOString(), attempts, reason },
      })),
    };
  } finally {
    await queue.close();
  }
}
