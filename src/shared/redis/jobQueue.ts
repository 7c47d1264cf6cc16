// The queue of the jobs, for the processes that run it and for those that only look at it. Runs that used up their
// attempts stay in its failed set, the dead-letter list, until newer ones push them out.
import { type Job, Queue, type QueueOptions } from 'bullmq';
import type { Redis } from './redis.ts';

/** The hash tag keeps all keys of the queue in one slot of a Redis Cluster. */
export const JOB_QUEUE_PREFIX = '{bull}';
export const JOB_QUEUE = 'jobs';
/** How many dead letters are kept. */
export const DEAD_LETTERS_MAX = 1000;

/** A run that failed for good. */
export interface DeadRun {
  readonly job: string;
  /** When the run was due, and when it failed for good, ms since the epoch. */
  readonly dueMs: number;
  readonly failedMs: number;
  readonly attempts: number;
  readonly reason: string;
}

/** @param connection the caller's own; the caller closes it after the queue */
export const openJobQueue = (connection: Redis): Queue =>
  new Queue(JOB_QUEUE, { connection: connection as QueueOptions['connection'], prefix: JOB_QUEUE_PREFIX });

/** The newest dead letters, newest first. */
export async function listDeadLetters(queue: Queue, limit: number): Promise<DeadRun[]> {
  const runs = await queue.getFailed(0, limit - 1);
  return runs.map((run) => ({
    job: run.name,
    dueMs: dueMsOf(run),
    failedMs: run.finishedOn ?? run.timestamp,
    attempts: run.attemptsMade,
    reason: run.failedReason ?? '',
  }));
}

/**
 * When a run was due, ms: BullMQ names the runs of a scheduler `repeat:<scheduler>:<ms>`, and a repetition keeps the name.
 * @see https://docs.bullmq.io/guide/job-schedulers
 */
export function dueMsOf({ id = '', timestamp }: Pick<Job, 'id' | 'timestamp'>): number {
  const dueMs = Number(id.slice(id.lastIndexOf(':') + 1));
  return Number.isSafeInteger(dueMs) ? dueMs : timestamp;
}
