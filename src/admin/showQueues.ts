// `bin/admin queues`: shows every job with its next run, the processes that run jobs, and the runs that failed for
// good.
import { DEAD_LETTERS_MAX, listDeadLetters, openJobQueue } from '../shared/jobQueue.ts';
import { workerKeys } from '../shared/redis/keys.ts';
import type { AdminCommand } from './adminCommand.ts';

/** How many dead letters the text shows; `--json` has all. */
const SHOWN_MAX = 10;

export const showQueues: AdminCommand = {
  name: 'queues',
  takes: '',
  does: 'shows the jobs with their next runs, and the dead letters: runs that were given up',
  async run(_args, { redis }) {
    const queue = openJobQueue(redis);
    const schedulers = await queue.getJobSchedulers();
    const counts = await queue.getJobCounts('active', 'waiting', 'delayed', 'failed');
    const letters = await listDeadLetters(queue, DEAD_LETTERS_MAX);
    const workers = Object.keys(await redis.hgetall(workerKeys.workers));
    await queue.close();
    const jobs = schedulers.map(({ key, every, next }) => ({
      job: key,
      every_ms: Number(every),
      next_run: next === undefined ? null : new Date(next).toISOString(),
    }));
    const deadLetters = letters.map(({ job, dueMs, failedMs, attempts, reason }) => ({
      ...{ job, due_at: new Date(dueMs).toISOString(), failed_at: new Date(failedMs).toISOString(), attempts, reason },
    }));
    const width = Math.max(0, ...jobs.map(({ job }) => job.length));
    return {
      data: { workers, counts, jobs, dead_letters: deadLetters },
      lines: [
        `processes: ${workers.join(', ') || 'none'}`,
        `runs: ${counts['active']} active, ${counts['waiting']} waiting, ${counts['delayed']} scheduled`,
        ...jobs.map(
          ({ job, every_ms, next_run }) => `  ${job.padEnd(width)}  every ${every_ms / 1000} s, next ${next_run ?? '-'}`,
        ),
        `dead letters: ${letters.length}`,
        ...deadLetters
          .slice(0, SHOWN_MAX)
          .map(({ job, failed_at, attempts, reason }) => `  ${failed_at}  ${job}  after ${attempts} attempts: ${reason}`),
      ],
    };
  },
};
