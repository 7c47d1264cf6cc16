// Alerts in the role `jobs`: a queue of their own in BullMQ. Every second the outbox is filled and each endpoint with something due gets a
// turn (turnQueues.ts); every few seconds the accounts are looked at for what no event tells, and Telegram for chats that are to be bound.
// Which turns there are stands in MongoDB, so a queue that is lost loses nothing.
import { type Job, Queue, type QueueOptions, Worker } from 'bullmq';
import { Counter, type Registry } from 'prom-client';
import { DeploymentSecrets } from '../../shared/access/deploymentSecrets.ts';
import { KeptSecret } from '../../shared/access/keptSecret.ts';
import { AlertEndpoints } from '../../shared/alerts/alertEndpoints.ts';
import { readNetworks, readPorts } from '../../shared/alerts/publicAddress.ts';
import type { Config } from '../../shared/config.ts';
import { ALERT_CHANNELS } from '../../shared/domain/alerts/alertKinds.ts';
import { HOUR_MS } from '../../shared/domain/units.ts';
import { JOB_QUEUE_PREFIX } from '../../shared/jobQueue.ts';
import { createMailer } from '../../shared/mail/mailer.ts';
import type { Closing, RoleParts } from '../../shared/role.ts';
import { waitAtMost } from '../../shared/waitAtMost.ts';
import { keepSchedule } from '../running/schedule.ts';
import { deliverTurn } from './deliver/deliverTurn.ts';
import type { TurnParts } from './deliver/turnParts.ts';
import { failedLine, startTurns } from './deliver/turnQueues.ts';
import { fillOutbox } from './fillOutbox.ts';
import type { WatchParts } from './lookParts.ts';
import { MarginAccounts } from './marginAccounts.ts';
import { removeOld } from './removeOld.ts';
import { lookAtChats } from './telegram/bindChats.ts';
import { TelegramBot } from './telegram/telegramBot.ts';
import { watchAccounts } from './watchAccounts.ts';

export const ALERT_QUEUE = 'alerts';
/** How often the history is looked at, ms. */
const LOOK_MS = 1000;
/** How often margins and silences are looked at, ms. */
const WATCH_MS = 5000;
/** How often Telegram is asked what was sent to the bot, while an endpoint waits for its chat, ms. */
const CHATS_MS = 3000;
/** Longest a stop waits for turns, ms: what they have sent and not noted is sent again. */
const STOP_MS_MAX = 5000;
const [LOOK, WATCH, CHATS] = ['alert-outbox', 'alert-watch', 'alert-chats'];
const LOOKS = [
  { name: LOOK, everyMs: LOOK_MS },
  { name: WATCH, everyMs: WATCH_MS },
  { name: CHATS, everyMs: CHATS_MS },
];

export async function startAlerts(parts: RoleParts): Promise<Closing> {
  const { config, log, mongo, redis, now, realNow, registry } = parts;
  const connection = parts.subscriberFactory('alerts');
  const options = { connection: connection as QueueOptions['connection'], prefix: JOB_QUEUE_PREFIX };
  const queue = new Queue(ALERT_QUEUE, options);
  const bot = botOf(config, realNow);
  const turnParts: TurnParts = {
    ...{ mongo, log, realNow, bot, onTry: countTries(registry), publicUrl: config.PUBLIC_URL },
    secrets: new DeploymentSecrets(config, new KeptSecret(mongo)),
    network: { allowed: readNetworks(config.WEBHOOK_NETWORKS), closedPorts: readPorts(config.WEBHOOK_CLOSED_PORTS) },
    mailer: createMailer({ config, log, now: realNow }),
  };
  const turns = startTurns({ connection: options.connection, log, turn: (endpoint) => deliverTurn(turnParts, endpoint) });
  const watchParts: WatchParts = {
    ...{ mongo, redis, now, realNow, accounts: new MarginAccounts(mongo, log), marketMaxAgeMs: config.MARKET_MAX_AGE_MS },
    marketNow: parts.clock?.marketNow ?? now,
  };
  const look = oneAtATime(async () => {
    try {
      await fillOutbox({ config, mongo, log, now, realNow });
    } finally {
      await turns.give(await new AlertEndpoints(mongo).due(new Date(realNow())));
    }
    if (realNow() % HOUR_MS < LOOK_MS) await removeOld(mongo, realNow());
  });
  const looks: Readonly<Record<string, () => Promise<void>>> = {
    [LOOK]: look,
    [WATCH]: oneAtATime(() => watchAccounts(watchParts)),
    [CHATS]: oneAtATime(lookAtChats({ mongo, bot, log, realNow })),
  };
  const run = async (job: Job): Promise<void> => looks[job.name]?.();
  const worker = new Worker(ALERT_QUEUE, run, { ...options, concurrency: LOOKS.length, autorun: false });
  queue.on('error', (error) => log.warn({ reason: error.message }, 'the queue of the alerts is unwell'));
  worker.on('error', (error) => log.warn({ reason: error.message }, 'the worker of the alerts is unwell'));
  worker.on('failed', (job, error) => log.warn(failedLine({ job: job?.name }, error), 'alerts wait'));
  const schedule = await keepSchedule(queue, LOOKS, { log });
  const running = worker.run();
  return {
    async stop() {
      schedule.stop();
      const isOver = (async () => {
        await worker.close();
        await running;
        await turns.stop();
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

/** @returns undefined where the operator has set no token */
const botOf = ({ TELEGRAM_TOKEN: token, TELEGRAM_API_BASE: base }: Config, realNow: () => number): TelegramBot | undefined =>
  token === '' ? undefined : new TelegramBot({ token, base, realNow });

function countTries(registry: Registry): TurnParts['onTry'] {
  const tries = new Counter({
    name: 'alerts_tries_total',
    help: 'Tries of deliveries by channel and outcome; dead = the last try has failed too.',
    labelNames: ['channel', 'outcome'],
    registers: [registry],
  });
  for (const channel of ALERT_CHANNELS) {
    for (const outcome of ['delivered', 'failed', 'dead']) tries.inc({ channel, outcome }, 0);
  }
  return (outcome, channel) => tries.inc({ channel, outcome });
}
