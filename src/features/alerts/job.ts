// Alerts in the role `jobs`. Each process looks twice a second: the process with the lease of the outbox fills it, and every process
// gives turns to the endpoints that have something due (turns.ts). Every few seconds one process looks at accounts for what no event tells, and
// one asks Telegram for chats that are to be bound. All of what is to be done stands in MongoDB.
import { randomUUID } from 'node:crypto';
import { Counter, type Registry } from 'prom-client';
import { DeploymentSecrets, KeptSecret } from '../../shared/access/secrets.ts';
import type { Config } from '../../shared/config/config.ts';
import { readNetworks, readPorts } from '../../shared/config/publicAddress.ts';
import type { Closing, RoleParts } from '../../shared/deployment/role.ts';
import { DAY_MS, HOUR_MS } from '../../shared/domain/units.ts';
import { createMailer } from '../../shared/mailer.ts';
import { Leases } from '../../shared/mongo/leases.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { pause, waitAtMost } from '../../shared/waiting.ts';
import { deliverTurn } from './deliver/deliverTurn.ts';
import { lookAtChats, TelegramBot } from './deliver/telegram.ts';
import type { TurnParts } from './deliver/turnParts.ts';
import { failedLine, Turns } from './deliver/turns.ts';
import { fillOutbox } from './look/fillOutbox.ts';
import { JournalFollower, type JournalPositions } from './look/followJournals.ts';
import { watchAccounts } from './look/watchAccounts.ts';
import { MarginAccounts, type WatchParts } from './look/watchParts.ts';
import { ALERT_CHANNELS } from './rules/alertKinds.ts';
import { AlertDeliveries } from './store/alertDeliveries.ts';
import { AlertEndpoints } from './store/alertEndpoints.ts';

/** Between the beginnings of two looks, ms. */
const LOOK_MS = 500;
/** The outbox of a process that has died is taken over after this, ms. */
const OUTBOX_LEASE_MS = 5000;
/** How often margins and silences are looked at, ms. */
const WATCH_MS = 5000;
/** How often Telegram is asked what was sent to the bot, while an endpoint waits for its chat, ms. */
const CHATS_MS = 3000;
/** Longest a stop waits for turns, ms: what they have sent and not noted is sent again. */
const STOP_MS_MAX = 5000;

export async function startAlerts(parts: RoleParts): Promise<Closing> {
  const { config, log, mongo, redis, now, realNow, registry } = parts;
  const bot = botOf(config, realNow);
  const turnParts: TurnParts = {
    ...{ mongo, log, realNow, bot, onTry: countTries(registry), publicUrl: config.PUBLIC_URL },
    secrets: new DeploymentSecrets(config, new KeptSecret(mongo)),
    network: { allowed: readNetworks(config.WEBHOOK_NETWORKS), closedPorts: readPorts(config.WEBHOOK_CLOSED_PORTS) },
    mailer: createMailer({ config, log, now: realNow }),
  };
  const leases = new Leases(mongo, { holder: `${config.NODE_ID}:${randomUUID()}`, realNow });
  const turns = new Turns({ leases, log, realNow, turn: (endpoint) => deliverTurn(turnParts, endpoint) });
  const watchParts: WatchParts = {
    ...{ mongo, redis, now, realNow, accounts: new MarginAccounts(mongo, log), marketMaxAgeMs: config.MARKET_MAX_AGE_MS },
    marketNow: parts.clock?.marketNow ?? now,
  };
  const outbox = new Outbox(parts, leases);
  const looks = [
    repeat({ name: 'outbox', everyMs: LOOK_MS, log }, async () => {
      try {
        await outbox.fill();
      } finally {
        turns.give(await new AlertEndpoints(mongo).due(new Date(realNow())));
      }
    }),
    ...[
      { name: 'watch', everyMs: WATCH_MS, work: () => watchAccounts(watchParts) },
      { name: 'chats', everyMs: CHATS_MS, work: lookAtChats({ mongo, bot, log, realNow }) },
      { name: 'old', everyMs: HOUR_MS, work: () => Promise.all([removeOld(mongo, realNow()), leases.removeForgotten()]) },
    ].map(({ name, everyMs, work }) =>
      repeat({ name, everyMs, log }, async () => {
        if (await leases.take(`alerts:${name}`, everyMs)) await work();
      }),
    ),
  ];
  return {
    async stop() {
      await waitAtMost(STOP_MS_MAX, Promise.all(looks.map((look) => look.stop())));
      await turns.stop(STOP_MS_MAX);
      await outbox.leave();
    },
  };
}

/** The outbox as one process fills it while it has the lease. */
class Outbox {
  readonly #parts: RoleParts;
  readonly #leases: Leases;
  /** While the lease is this process's. */
  #journals: JournalFollower | undefined;

  constructor(parts: RoleParts, leases: Leases) {
    this.#parts = parts;
    this.#leases = leases;
  }

  async fill(): Promise<void> {
    const lease = await this.#leases.take('alerts:outbox', OUTBOX_LEASE_MS, this.#journals?.positions);
    this.#journals = lease && (this.#journals ?? new JournalFollower(this.#parts, (lease.note ?? {}) as JournalPositions));
    if (this.#journals !== undefined) await fillOutbox(this.#parts, this.#journals);
  }

  /** Another process goes on. */
  async leave(): Promise<void> {
    if (this.#journals === undefined) return;
    await this.#leases.take('alerts:outbox', OUTBOX_LEASE_MS, this.#journals.positions);
    await this.#leases.free('alerts:outbox');
  }
}

/** Does the work again and again, one after the other. What fails is logged and done again. */
function repeat(
  { name, everyMs, log }: { readonly name: string; readonly everyMs: number; readonly log: RoleParts['log'] },
  work: () => Promise<unknown>,
): Closing {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const next = pause(everyMs, stopping.signal);
      await work().catch((error: Error) => log.warn(failedLine({ work: name }, error), 'alerts wait'));
      await next;
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
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

// Removes deliveries after their time: what arrived, dead letters, and what waits for an endpoint that is gone. A look that has read an
// endpoint may write deliveries after the endpoint has been removed with all that it had.

/** Deliveries are kept for so long, to be looked at. */
const DELIVERED_KEPT_MS = 3 * DAY_MS;
const DEAD_KEPT_MS = 30 * DAY_MS;
/** Endpoints that are asked for at once. */
const STEP = 1000;

/** Repeatable. */
export async function removeOld(mongo: MongoConnection, nowMs: number): Promise<void> {
  const [deliveries, endpoints] = [new AlertDeliveries(mongo), new AlertEndpoints(mongo)];
  const [delivered, dead] = [new Date(nowMs - DELIVERED_KEPT_MS), new Date(nowMs - DEAD_KEPT_MS)];
  await deliveries.removeOld({ delivered, dead });
  const waitedFor = await deliveries.waitingFor();
  for (let from = 0; from < waitedFor.length; from += STEP)
    for (const gone of await endpoints.goneOf(waitedFor.slice(from, from + STEP))) await deliveries.removeOf(gone);
}

/** Removes the endpoints and deliveries of users who are deleted. */
export const forgetAlerts = async (mongo: MongoConnection, userIds: readonly string[]): Promise<void> => {
  await new AlertEndpoints(mongo).removeAllOf(userIds);
  await new AlertDeliveries(mongo).removeAllOf(userIds);
};
