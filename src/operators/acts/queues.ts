// Jobs as operators see them: every job with its next run, the processes that run jobs, and the runs that failed for good.

import { Type } from '@sinclair/typebox';
import { Count, exactly, IsoTime, orNull } from '../../api/contract/answerValues.ts';
import { named } from '../../api/contract/named.ts';
import { operatorLook } from './operatorAct.ts';
import type { readQueues } from './readQueues.ts';

/** Runs that failed for good: as many as the text of the terminal shows, and as an answer of the API shows. */
const SHOWN_MAX = 10;
const ANSWERED_MAX = 100;

type Queues = Awaited<ReturnType<typeof readQueues>>;

export const showQueues = operatorLook<number | undefined, Queues>({
  look: async ({ redis }, lettersMax) => {
    // BullMQ is loaded by API nodes that are asked for it only.
    const { readQueues } = await import('./readQueues.ts');
    return readQueues(redis, lettersMax);
  },
  command: {
    name: 'queues',
    takes: '',
    does: 'shows the jobs with their next runs, and the dead letters: runs that were given up',
    lines: linesOf,
  },
  endpoint: {
    id: 'listJobQueues',
    path: '/v1/admin/queues',
    summary: 'The jobs with their next runs, the processes that run them, and the newest runs that were given up.',
    answer: named(
      'JobQueues',
      exactly({
        workers: Type.Array(Type.String()),
        counts: named('RunCounts', exactly({ active: Count, waiting: Count, delayed: Count, failed: Count })),
        jobs: Type.Array(named('Job', exactly({ job: Type.String(), every_ms: Count, next_run: orNull(IsoTime) }))),
        dead_letters: Type.Array(
          named(
            'FailedRun',
            exactly({ job: Type.String(), due_at: IsoTime, failed_at: IsoTime, attempts: Count, reason: Type.String() }),
          ),
        ),
      }),
    ),
    ask: () => ANSWERED_MAX,
  },
});

function linesOf({ workers, counts, jobs, dead_letters: deadLetters }: Queues): string[] {
  const width = Math.max(0, ...jobs.map(({ job }) => job.length));
  return [
    `processes: ${workers.join(', ') || 'none'}`,
    `runs: ${counts.active} active, ${counts.waiting} waiting, ${counts.delayed} scheduled`,
    ...jobs.map(({ job, every_ms, next_run }) => `  ${job.padEnd(width)}  every ${every_ms / 1000} s, next ${next_run ?? '-'}`),
    `dead letters: ${deadLetters.length}`,
    ...deadLetters
      .slice(0, SHOWN_MAX)
      .map(({ job, failed_at, attempts, reason }) => `  ${failed_at}  ${job}  after ${attempts} attempts: ${reason}`),
  ];
}
