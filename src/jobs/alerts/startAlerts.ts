// Alerts in the role `jobs`: a queue of their own in BullMQ. Every second the outbox is filled and each endpoint with something due gets a
// turn; every five seconds the accounts are looked at for what no event tells. Which turns there are stands in MongoDB, so a queue that is
// lost loses nothing. Each endpoint has one place among those that work at a time: a slow receiver holds up itself.
import { type Job, Queue, type QueueOptions, Worker } from 'bullmq';
import { Counter, type Registry } from 'prom-client';
import { DeploymentSecrets } from '../../shared/access/deploymentSecrets.ts';
import { KeptSecret } from '../../shared/access/keptSecret.ts';
import { AlertDeliveries } from '../../shared/alerts/alertDeliveries.ts';
import { AlertEndpoints } from '../../shared/alerts/alertEndpoints.ts';
import { readNetworks } from '../../shared/alerts/publicAddress.ts';
import { JOB_QUEUE_PREFIX } from '../../shared/jobQueue.ts';
import type { Closing, RoleParts } from '../../shared/role.ts';
import { waitAtMost } from '../../shared/waitAtMost.ts';
import { keepSchedule } from '../running/schedule.ts';
import { deliverTurn, type TurnParts } from './deliverTurn.ts';
import { fillOutbox } from './fillOutbox.ts';
import type { WatchParts } from './lookParts.ts';
import { MarginAccounts } from './marginAccounts.ts';
import { watchAccounts } from './watchAccounts.ts';

export const ALERT_QUEUE = 'alerts';
/** How often the history is looked at, ms. */
const LOOK_MS = 1000;
/** How often margins and silences are looked at, ms. */
const WATCH_MS = 5000;
/** Turns that a process runs at the same time. */
const TURNS_AT_ONCE = 100;
/** Longest a stop waits for turns, ms: what they have sent and not noted is sent again. */
const STOP_MS_MAX = 5000;
const HOUR_MS = 3_600_000;
/** Deliveries are kept for so long, to be looked at. */
const DELIVERED_KEPT_MS = 3 * 24 * HOUR_MS;
const DEAD_KEPT_MS = 30 * 24 * HOUR_MS;
const [LOOK, WATCH, TURN] = ['alert-outbox', 'alert-watch', 'turn'];
const LOOKS = [
  { name: LOOK, everyMs: LOOK_MS },
  { name: WATCH, everyMs: WATCH_MS },
];
/** Looks come first: turns that wait do not hold them up. */
const TURN_PRIORITY = 1;

export async function startAlerts(parts: RoleParts): Promise<Closing> {
  const { config, log, mongo, redis, now, realNow, registry } = parts;
  const connection = parts.subscriberFactory('alerts');
  const options = { connection: connection as QueueOptions['connection'], prefix: JOB_QUEUE_PREFIX };
  const queue = new Queue(ALERT_QUEUE, options);
  const turnParts: TurnParts = {
    ...{ mongo, log, realNow, onTry: countTries(registry) },
    secrets: new DeploymentSecrets(config, new KeptSecret(mongo)),
    network: { allowed: readNetworks(config.WEBHOOK_NETWORKS) },
  };
  const watchParts: WatchParts = {
    ...{ mongo, redis, now, realNow, accounts: new MarginAccounts(mongo, log), marketMaxAgeMs: config.MARKET_MAX_AGE_MS },
    marketNow: parts.clock?.marketNow ?? now,
  };
  const look = oneAtATime(async () => {
    await fillOutbox({ config, mongo, now, realNow });
    await giveTurns(queue, mongo, realNow());
    if (realNow() % HOUR_MS < LOOK_MS) await removeOld(mongo, realNow());
  });
  const watch = oneAtATime(() => watchAccounts(watchParts));
  const run = (job: Job): Promise<void> => {
    if (job.name === TURN) return deliverTurn(turnParts, (job.data as { endpoint: string }).endpoint);
    return job.name === WATCH ? watch() : look();
  };
  const worker = new Worker(ALERT_QUEUE, run, { ...options, concurrency: TURNS_AT_ONCE, autorun: false });
  queue.on('error', (error) => log.warn({ reason: error.message }, 'the queue of the alerts is unwell'));
  worker.on('error', (error) => log.warn({ reason: error.message }, 'the worker of the alerts is unwell'));
  worker.on('failed', (job, error) => log.warn({ job: job?.name, err: error }, 'alerts wait'));
  const schedule = await keepSchedule(queue, LOOKS, { log });
  const running = worker.run();
  return {
    async stop() {
      schedule.stop();
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

/** A look that finds the one before it at work does nothing. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isAtWork = false;
  return async () => {
    if (isAtWork) return;
    isAtWork = true;
    try {
      await work();
    } finally {
      isAtWork = false;
    }
  };
}

/** An endpoint whose turn waits or runs gets no second one: the id of the job is the endpoint's. */
async function giveTurns(queue: Queue, mongo: RoleParts['mongo'], nowMs: number): Promise<void> {
  const due = await new AlertEndpoints(mongo).due(new Date(nowMs));
  await queue.addBulk(
    due.map((endpoint) => ({
      name: TURN,
      data: { endpoint },
      opts: { jobId: endpoint, priority: TURN_PRIORITY, removeOnComplete: true, removeOnFail: true },
    })),
  );
}

async function removeOld(mongo: RoleParts['mongo'], nowMs: number): Promise<void> {
  const [delivered, dead] = [new Date(nowMs - DELIVERED_KEPT_MS), new Date(nowMs - DEAD_KEPT_MS)];
  await new AlertDeliveries(mongo).removeOld({ delivered, dead });
}

function countTries(registry: Registry): TurnParts['onTry'] {
  const tries = new Counter({
    name: 'alerts_tries_total',
    help: 'Tries of deliveries to webhooks by outcome; dead = the last try has failed too.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['delivered', 'failed', 'dead']) tries.inc({ outcome }, 0);
  return (outcome) => tries.inc({ outcome });
}
