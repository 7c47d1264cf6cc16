// The jobs role: BullMQ repeats each job, whatever the number of job processes. A job that fails is tried again with
// backoff; one that can never work (TerminalError) or that used up its attempts stays in the queue's failed set.
import { type Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import { TerminalError } from '../shared/errors.ts';
import type { Role, RoleParts } from '../shared/role.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { RepeatableJob } from './job.ts';
import { jobsOf } from './jobs.ts';
import { keepSchedule } from './schedule.ts';

/** The hash tag keeps all keys of the queue in one slot of a Redis Cluster. */
const PREFIX = '{bull}';
const QUEUE = 'jobs';

export async function startJobs(
  parts: RoleParts,
  jobs = jobsOf(parts.config),
  options: { lookEveryMs?: number } = {},
): Promise<Role> {
  const { config, log, redis, subscriberFactory } = parts;
  const connection = subscriberFactory('jobs');
  const queue = new Queue(QUEUE, { connection, prefix: PREFIX });
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const worker = new Worker(QUEUE, (run) => runJob(parts, byName, run), {
    connection,
    prefix: PREFIX,
    concurrency: Math.max(1, jobs.length),
    autorun: false,
  });
  queue.on('error', (error) => log.warn({ reason: error.message }, 'job queue is unwell'));
  worker.on('error', (error) => log.warn({ reason: error.message }, 'job worker is unwell'));
  worker.on('failed', (run, error) => log.error({ job: run?.name, attempt: run?.attemptsMade, err: error }, 'job failed'));

  const schedule = await keepSchedule(queue, jobs, { log, ...options });
  const running = worker.run();
  const heartbeat = await startHeartbeat({ log, redis, nodeId: config.NODE_ID });
  return {
    async stop() {
      await heartbeat.stop();
      schedule.stop();
      await worker.close();
      await running;
      await queue.close();
      connection.disconnect();
    },
  };
}

async function runJob(parts: RoleParts, byName: ReadonlyMap<string, RepeatableJob>, run: Job): Promise<void> {
  const job = byName.get(run.name);
  if (!job) throw new UnrecoverableError(`No job is named ${run.name}`);
  const dueMs = dueTimeOf(run);
  try {
    await job.run(parts, dueMs - (dueMs % job.everyMs));
  } catch (error) {
    if (error instanceof TerminalError) throw new UnrecoverableError(error.message);
    throw error;
  }
}

/**
 * When the run was due, ms: BullMQ names the runs of a scheduler `repeat:<scheduler>:<ms>`, and a repetition keeps the name.
 * @see https://docs.bullmq.io/guide/job-schedulers
 */
function dueTimeOf({ id = '', timestamp }: Job): number {
  const dueMs = Number(id.slice(id.lastIndexOf(':') + 1));
  return Number.isSafeInteger(dueMs) ? dueMs : timestamp;
}
