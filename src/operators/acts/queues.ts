// `bin/admin queues`: shows every job with its next run, the processes that run jobs, and the runs that failed for
// good.

import { DEAD_LETTERS_MAX } from '../../shared/redis/jobQueue.ts';
import { readQueues } from './readQueues.ts';
import type { AdminCommand } from './terminal.ts';

/** How many dead letters the text shows; `--json` has all. */
const SHOWN_MAX = 10;

export const showQueues: AdminCommand = {
  name: 'queues',
  takes: '',
  does: 'shows the jobs with their next runs, and the dead letters: runs that were given up',
  async run(_args, { redis }) {
    const data = await readQueues(redis, DEAD_LETTERS_MAX);
    const { workers, counts, jobs, dead_letters: deadLetters } = data;
    const width = Math.max(0, ...jobs.map(({ job }) => job.length));
    return {
      data,
      lines: [
        `processes: ${workers.join(', ') || 'none'}`,
        `runs: ${counts.active} active, ${counts.waiting} waiting, ${counts.delayed} scheduled`,
        ...jobs.map(
          ({ job, every_ms, next_run }) => `  ${job.padEnd(width)}  every ${every_ms / 1000} s, next ${next_run ?? '-'}`,
        ),
        `dead letters: ${deadLetters.length}`,
        ...deadLetters
          .slice(0, SHOWN_MAX)
          .map(({ job, failed_at, attempts, reason }) => `  ${failed_at}  ${job}  after ${attempts} attempts: ${reason}`),
      ],
    };
  },
};
