// Runs jobs again and again. BullMQ repeats each job, whatever the number of job processes. A run that fails is tried again with
// backoff. A run that can never work (TerminalError), or that used up its attempts, becomes a dead letter.
import { type Job, type Queue, UnrecoverableError, Worker } from 'bullmq';
import type { RepeatableJob } from '../shared/deployment/job.ts';
import type { Role, RoleParts } from '../shared/deployment/role.ts';
import { TerminalError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { DEAD_LETTERS_MAX, dueMsOf, JOB_QUEUE, JOB_QUEUE_PREFIX, openJobQueue } from '../shared/redis/jobQueue.ts';
import { codeOf } from '../shared/tracing/tracing.ts';
import { waitAtMost } from '../shared/waiting.ts';
import { startHeartbeat } from './heartbeat.ts';
import { countUsers, jobMetrics } from './jobMetrics.ts';

/** Longest a stop waits for what runs, ms. What is left is stalled then, and another process runs it again. */
const STOP_MS_MAX = 5000;

export async function runJobs(
  parts: RoleParts,
  jobs: readonly RepeatableJob[],
  options: { lookEveryMs?: number } = {},
): Promise<Role> {
  const { config, log, redis, subscriberFactory, registry } = parts;
  const connection = subscriberFactory('jobs');
  const queue = openJobQueue(connection);
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const worker = new Worker(JOB_QUEUE, (run) => runJob(parts, byName, run), {
    connection,
    prefix: JOB_QUEUE_PREFIX,
    concurrency: Math.max(1, jobs.length),
    autorun: false,
  });
  queue.on('error', (error) => log.warn({ reason: error.message }, 'job queue is unwell'));
  worker.on('error', (error) => log.warn({ reason: error.message }, 'job worker is unwell'));
  const metrics = jobMetrics(registry, byName.keys(), {
    deadLetters: () => queue.getFailedCount(),
    users: () => countUsers(parts.mongo, { config, nowMs: parts.realNow() }),
  });
  worker.on('completed', (run) => metrics.onRun(run.name, 'done'));
  worker.on('failed', (run, error) => {
    // A run that will be tried again has not finished.
    const isDead = run === undefined || run.finishedOn !== undefined;
    metrics.onRun(run?.name ?? 'unknown', isDead ? 'dead' : 'failed');
    const failure = { job: run?.name, attempt: run?.attemptsMade, err: error };
    if (isDead) log.error(failure, 'job given up');
    else log.warn(failure, 'job failed');
  });

  const schedule = await keepSchedule(queue, jobs, { log, ...options });
  const running = worker.run();
  const heartbeat = await startHeartbeat({ log, redis, nodeId: config.NODE_ID });
  return {
    whyNotReady: () => [
      ...(worker.isRunning() ? [] : ['The worker of the jobs does not run']),
      ...(heartbeat.isHeard() ? [] : ['Redis has not heard of this jobs process lately']),
    ],
    async stop() {
      await heartbeat.stop();
      schedule.stop();
      // Runs that were begun are finished. A worker that blocked on a node which has failed over may wait for it for ever.
      const isOver = (async () => {
        await worker.close();
        await running;
        await queue.close();
      })();
      await waitAtMost(STOP_MS_MAX, isOver);
      connection.disconnect();
    },
  };
}

async function runJob(parts: RoleParts, byName: ReadonlyMap<string, RepeatableJob>, run: Job): Promise<void> {
  const job = byName.get(run.name);
  if (!job) throw new UnrecoverableError(`No job is named ${run.name}`);
  // BullMQ goes by its machine's clock: a run of the future would make those of the present count as done.
  const nowMs = parts.now();
  const saidMs = dueMsOf(run) + (parts.clock?.offsets.offsetMs ?? 0);
  const dueMs = saidMs > nowMs + AHEAD_MS_MAX ? nowMs : saidMs;
  const trace = parts.tracing.root(`job ${job.name}`, { job: job.name });
  try {
    await job.run({ ...parts, trace }, dueMs - (dueMs % job.everyMs));
    trace?.end();
  } catch (error) {
    trace?.end({ error: codeOf(error) });
    if (error instanceof TerminalError) throw new UnrecoverableError(error.message);
    throw error;
  }
}

// Keeps every job on BullMQ's schedule for as long as a job process lives. Redis holds the schedule and may lose it
// (emptied by hand, replaced without its data), or have it from a machine whose clock was ahead. Accounts heal
// themselves then; the jobs must come back too, and do so here.

/** What a schedule knows of a job. */
type ScheduledJob = Pick<RepeatableJob, 'name' | 'everyMs'>;

const ATTEMPTS = 5;
/** Milliseconds before the first repetition of a failed run; doubles with each. */
const BACKOFF_MS = 1000;
/** Finished runs that are kept for operators to look at. */
const KEPT_COMPLETED = 100;
/** A next run may be later than one interval from now by this, ms; later ones were scheduled by a clock that was ahead. */
const AHEAD_MS_MAX = 5000;
/** How often a process checks that the schedule is still there, ms. */
const LOOK_EVERY_MS = 10_000;

/**
 * Schedules every job once, at its interval, and again when the schedule was lost. A job that an earlier version scheduled
 * and this one does not know is removed.
 * @throws when the first attempt fails
 */
async function keepSchedule(
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
