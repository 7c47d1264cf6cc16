// The queues of turns. Mails, chats, and webhooks that have taken nothing yet, or whose last turn has failed or was slow, have places of
// their own: a mail server that is away, or a thousand receivers that hang, hold up each other and no webhook that answers. The id of a
// job is that of a place of a user, so a user has no more places than these, and an endpoint, which is always at the same one, one turn
// at a time.
import { type ConnectionOptions, type Job, Queue, Worker } from 'bullmq';
import type { DueEndpoint } from '../../../shared/alerts/alertEndpoints.ts';
import { JOB_QUEUE_PREFIX } from '../../../shared/jobQueue.ts';
import type { Logger } from '../../../shared/logger.ts';
import { TurnPlaces } from './turnPlaces.ts';

/**
 * Turns at the same time, by queue: those that have a place of a process, those that go on beside them because they have lasted
 * (turnPlaces.ts), and those that one user has in all processes together. The endpoints of a user share them, also those that are removed
 * and made anew: a hundred receivers of one user hold two places.
 */
const PLACES = {
  webhooks: { ofProcess: 100, aside: 200, ofUser: 2 },
  failing: { ofProcess: 50, aside: 50, ofUser: 2 },
  mail: { ofProcess: 8, aside: 0, ofUser: 1 },
  telegram: { ofProcess: 8, aside: 0, ofUser: 1 },
} as const;
/** A turn that lasts longer gives its place to the next, ms. */
const PLACE_MS = 1000;
type QueueName = keyof typeof PLACES;
const NAMES = Object.keys(PLACES) as QueueName[];
/** What a process that has died had under way is taken over after this, ms, which is looked for so often. */
const TAKEN_OVER_MS = 15_000;
const LOOK_FOR_DEAD_MS = 5000;

export interface TurnQueues {
  /** Gives each a turn, unless one waits or runs. */
  give(due: readonly DueEndpoint[]): Promise<void>;
  /** Resolves when no turn runs any more. */
  stop(): Promise<void>;
}

/** A user's place has its turns one after the other. */
interface TurnJob {
  readonly endpoints: readonly string[];
}

export function startTurns(parts: {
  readonly connection: ConnectionOptions;
  readonly log: Logger;
  readonly turn: (endpoint: string) => Promise<void>;
}): TurnQueues {
  const { connection, log, turn } = parts;
  const options = { connection, prefix: JOB_QUEUE_PREFIX };
  let isStopping = false;
  const run = async (job: Job): Promise<void> => {
    for (const endpoint of (job.data as TurnJob).endpoints) {
      if (isStopping) return;
      await turn(endpoint).catch((error: Error) => log.warn(failedLine({ job: job.name, endpoint }, error), 'alerts wait'));
    }
  };
  const running = NAMES.map((name) => {
    const queue = new Queue(`alerts-${name}`, options);
    const times = { lockDuration: TAKEN_OVER_MS, stalledInterval: LOOK_FOR_DEAD_MS };
    const { ofProcess, aside } = PLACES[name];
    const places = new TurnPlaces({ places: ofProcess, aside, placeMs: PLACE_MS });
    const worker = new Worker(queue.name, (job: Job) => places.run(() => run(job)), {
      ...options,
      ...times,
      concurrency: ofProcess + aside,
    });
    queue.on('error', (error) => log.warn({ reason: error.message }, 'a queue of the alerts is unwell'));
    worker.on('error', (error) => log.warn({ reason: error.message }, 'a worker of the alerts is unwell'));
    worker.on('failed', (job, error) => log.warn(failedLine({ job: job?.name }, error), 'alerts wait'));
    return { name, queue, worker };
  });
  return {
    give: async (due) => {
      for (const { name, queue } of running) {
        const jobs = jobsOf(
          due.filter((endpoint) => queueOf(endpoint) === name),
          PLACES[name].ofUser,
        );
        if (jobs.length > 0) await queue.addBulk(jobs);
      }
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(running.map(({ worker }) => worker.close()));
      await Promise.all(running.map(({ queue }) => queue.close()));
    },
  };
}

const queueOf = ({ channel, isFailing }: DueEndpoint): QueueName => {
  if (channel !== 'webhook') return channel;
  return isFailing ? 'failing' : 'webhooks';
};

/** One for each place of a user, whose id it has: a place that is taken has no second one. */
function jobsOf(due: readonly DueEndpoint[], placesOfUser: number) {
  const byPlace = new Map<string, string[]>();
  for (const { id, userId, number } of due) {
    const place = `${userId}-${number % placesOfUser}`;
    byPlace.set(place, [...(byPlace.get(place) ?? []), id]);
  }
  return [...byPlace].map(([jobId, endpoints]) => ({
    name: 'turn',
    data: { endpoints } satisfies TurnJob,
    opts: { jobId, removeOnComplete: true, removeOnFail: true },
  }));
}

/** Ids alone: an error of MongoDB has whole documents in it, and so messages of users. */
export function failedLine(what: { readonly job?: string | undefined; readonly endpoint?: string }, error: Error): object {
  const { code } = error as { code?: unknown };
  return { ...what, error: error.name, ...((typeof code === 'number' || typeof code === 'string') && { code }) };
}
