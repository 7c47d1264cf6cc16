// Keeps every job on BullMQ's schedule for as long as a job process lives. Redis holds the schedule and may lose it
// (emptied by hand, replaced without its data), or have it from a machine whose clock was ahead. Accounts heal
// themselves then; the jobs must come back too, and do so here.
import type { Queue } from 'bullmq';
import type { RepeatableJob } from '../shared/deployment/job.ts';
import type { Logger } from '../shared/logger.ts';
import { DEAD_LETTERS_MAX } from '../shared/redis/jobQueue.ts';

/** What a schedule knows of a job. */
type ScheduledJob = Pick<RepeatableJob, 'name' | 'everyMs'>;

const ATTEMPTS = 5;
/** Milliseconds before the first repetition of a failed run; doubles with each. */
const BACKOFF_MS = 1000;
/** Finished runs that are kept for operators to look at. */
const KEPT_COMPLETED = 100;
/** A next run may be later than one interval from now by this, ms; later ones were scheduled by a clock that was ahead. */
export const AHEAD_MS_MAX = 5000;
/** How often a process checks that the schedule is still there, ms. */
const LOOK_EVERY_MS = 10_000;

/**
 * Schedules every job once, at its interval, and again when the schedule was lost. A job that an earlier version scheduled
 * and this one does not know is removed.
 * @throws when the first attempt fails
 */
export async function keepSchedule(
  queue: Queue,
  jobs: readonly ScheduledJob[],
  { log, lookEveryMs = LOOK_EVERY_MS }: { log: Logger; lookEveryMs?: number },
): Promise<{ stop(): void }> {
  await schedule(queue, jobs);
  let stopped = false;
  const look = async (): Promise<void> => {
    await scheduleIfLost(queue, jobs, log);
    if (!stopped) timer = setTimeout(() => void look(), lookEveryMs);
  };
  let timer = setTimeout(() => void look(), lookEveryMs);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function schedule(queue: Queue, jobs: readonly ScheduledJob[]): Promise<void> {
  for (const { key } of await queue.getJobSchedulers()) {
    if (!jobs.some((job) => job.name === key)) await queue.removeJobScheduler(key);
  }
  for (const { name, everyMs } of jobs) {
    const opts = {
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: BACKOFF_MS },
      removeOnComplete: { count: KEPT_COMPLETED },
      removeOnFail: { count: DEAD_LETTERS_MAX },
    };
    await queue.upsertJobScheduler(name, { every: everyMs }, { name, opts });
  }
}

async function scheduleIfLost(queue: Queue, jobs: readonly ScheduledJob[], log: Logger): Promise<void> {
  try {
    const scheduled = await queue.getJobSchedulers();
    const tooFar = scheduled.filter(({ every = 0, next = 0 }) => next > Date.now() + every + AHEAD_MS_MAX);
    if (scheduled.length >= jobs.length && tooFar.length === 0) return;
    if (tooFar.length > 0)
      log.warn({ jobs: tooFar.map(({ key }) => key) }, 'a clock was ahead: jobs that wait for it are scheduled again');
    else log.error('Redis has lost the schedule of the jobs; they are scheduled again');
    for (const { key } of tooFar) await queue.removeJobScheduler(key);
    await schedule(queue, jobs);
  } catch (error) {
    log.warn(
      { reason: error instanceof Error ? error.message : String(error) },
      'the schedule of the jobs could not be looked at',
    );
  }
}
