// The queues of turns. Mails, chats, and webhooks whose last try has failed have places of their own: a mail server that is away, or a
// thousand receivers that hang, hold up each other and no webhook that answers. The id of a job is the endpoint's, so an endpoint has one
// turn at a time.
import { type ConnectionOptions, type Job, Queue, Worker } from 'bullmq';
import type { DueEndpoint } from '../../../shared/alerts/alertEndpoints.ts';
import { JOB_QUEUE_PREFIX } from '../../../shared/jobQueue.ts';
import type { Logger } from '../../../shared/logger.ts';

/** Turns that a process runs at the same time, by queue. */
const PLACES = { webhooks: 100, failing: 50, mail: 8, telegram: 8 } as const;
type QueueName = keyof typeof PLACES;
const NAMES = Object.keys(PLACES) as QueueName[];

export interface TurnQueues {
  /** Gives each a turn, unless one waits or runs. */
  give(due: readonly DueEndpoint[]): Promise<void>;
  /** Resolves when no turn runs any more. */
  stop(): Promise<void>;
}

export function startTurns(parts: {
  readonly connection: ConnectionOptions;
  readonly log: Logger;
  readonly turn: (endpoint: string) => Promise<void>;
}): TurnQueues {
  const { connection, log, turn } = parts;
  const options = { connection, prefix: JOB_QUEUE_PREFIX };
  const run = (job: Job): Promise<void> => turn((job.data as { endpoint: string }).endpoint);
  const running = NAMES.map((name) => {
    const queue = new Queue(`alerts-${name}`, options);
    const worker = new Worker(queue.name, run, { ...options, concurrency: PLACES[name] });
    queue.on('error', (error) => log.warn({ reason: error.message }, 'a queue of the alerts is unwell'));
    worker.on('error', (error) => log.warn({ reason: error.message }, 'a worker of the alerts is unwell'));
    worker.on('failed', (job, error) => log.warn(failedLine(job, error), 'alerts wait'));
    return { name, queue, worker };
  });
  return {
    give: async (due) => {
      for (const { name, queue } of running) {
        const jobs = due.filter((endpoint) => queueOf(endpoint) === name).map(({ id }) => turnJob(id));
        if (jobs.length > 0) await queue.addBulk(jobs);
      }
    },
    stop: async () => {
      await Promise.all(running.map(({ worker }) => worker.close()));
      await Promise.all(running.map(({ queue }) => queue.close()));
    },
  };
}

const queueOf = ({ channel, isFailing }: DueEndpoint): QueueName => {
  if (channel !== 'webhook') return channel;
  return isFailing ? 'failing' : 'webhooks';
};

const turnJob = (endpoint: string) => ({
  name: 'turn',
  data: { endpoint },
  opts: { jobId: endpoint, removeOnComplete: true, removeOnFail: true },
});

/** Ids alone: an error of MongoDB has whole documents in it, and so messages of users. */
export function failedLine(job: Pick<Job, 'name' | 'data'> | undefined, error: Error): object {
  const { code } = error as { code?: unknown };
  const { endpoint } = (job?.data ?? {}) as { endpoint?: string };
  return {
    job: job?.name,
    ...(endpoint !== undefined && { endpoint }),
    error: error.name,
    ...((typeof code === 'number' || typeof code === 'string') && { code }),
  };
}
