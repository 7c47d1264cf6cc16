// The metrics of the jobs that operators watch, and the count of users among them, in the process's registry.

import type { Collection, Filter } from 'mongodb';
import { Counter, Gauge, type Registry } from 'prom-client';
import { graceMsOf } from '../shared/access/subscription.ts';
import type { Config } from '../shared/config/config.ts';
import type { SubscriptionState } from '../shared/domain/billing/subscription.ts';
import { type Plan, plans } from '../shared/domain/plan.ts';
import { collections, type MongoConnection } from '../shared/mongo/mongo.ts';
import type { User } from '../shared/mongo/userStore.ts';

/** Users are counted at most once in this time, ms: MongoDB looks at all of them. */
const USERS_KEPT_MS = 600_000;

interface JobMetrics {
  /** `failed`: will be tried again. `dead`: failed for good. */
  onRun(job: string, outcome: 'done' | 'failed' | 'dead'): void;
}

/**
 * @param names of the jobs
 * @param read.deadLetters called at each scrape; a rejection shows as NaN
 * @param read.users called a few times an hour; a rejection shows as no value
 */
export function jobMetrics(
  registry: Registry,
  names: Iterable<string>,
  read: { deadLetters: () => Promise<number>; users: () => Promise<readonly UserCount[]> },
): JobMetrics {
  const registers = [registry];
  const runs = new Counter({
    name: 'jobs_runs_total',
    help: 'Runs of each job by outcome; dead = its attempts are used up, or it can never work.',
    // Not `job`: that is what the monitor calls all of this.
    labelNames: ['name', 'outcome'],
    registers,
  });
  for (const name of names) runs.inc({ name, outcome: 'dead' }, 0); // an alert sees the first one only beside a zero
  new Gauge({
    name: 'jobs_dead_letters',
    help: 'Runs in the dead-letter list: look at them with bin/admin queues.',
    registers,
    async collect() {
      this.set(await read.deadLetters().catch(() => Number.NaN)); // another alarm reports a store that is away
    },
  });
  let countedAtMs = Number.NEGATIVE_INFINITY;
  const users = new Gauge({
    name: 'billing_users',
    help: 'Users by plan and by what they may do (trial, active, past_due, expired); every process of the role says the same, up to ten minutes old.',
    labelNames: ['plan', 'state'],
    registers,
    async collect() {
      if (performance.now() - countedAtMs < USERS_KEPT_MS) return;
      countedAtMs = performance.now();
      const counts = await read.users().catch(() => undefined);
      users.reset();
      for (const { plan, state, users: count } of counts ?? []) users.set({ plan, state }, count);
      if (counts === undefined) countedAtMs = Number.NEGATIVE_INFINITY;
    },
  });
  return { onRun: (name, outcome) => runs.inc({ name, outcome }) };
}

interface UserCount {
  readonly plan: Plan;
  readonly state: SubscriptionState;
  readonly users: number;
}

/**
 * How many users have which plan, and what they may do: for those who run the service as a business. MongoDB counts, a few
 * times an hour.
 * Every plan with every state, as `subscriptionStateOf` judges it.
 */
export async function countUsers(
  { db }: Pick<MongoConnection, 'db'>,
  { config, nowMs }: { config: Pick<Config, 'SUBSCRIPTION_GRACE_DAYS'>; nowMs: number },
): Promise<readonly UserCount[]> {
  const users: Collection<User> = db.collection<User>(collections.users);
  const now = new Date(nowMs);
  const graceBegan = new Date(nowMs - graceMsOf(config));
  const notPaid: Filter<User> = { $or: [{ subscriptionExpiresAt: null }, { subscriptionExpiresAt: { $lte: now } }] };
  const states: Readonly<Record<Exclude<SubscriptionState, 'expired'>, Filter<User>>> = {
    active: { subscriptionExpiresAt: { $gt: now } },
    trial: { trialExpiresAt: { $gt: now }, ...notPaid },
    past_due: { trialExpiresAt: { $lte: now }, subscriptionExpiresAt: { $gt: graceBegan, $lte: now } },
  };
  const ofPlan = async (plan: Plan): Promise<UserCount[]> => {
    const count = (filter: Filter<User>): Promise<number> => users.countDocuments({ plan, ...filter });
    const [all, active, trial, pastDue] = await Promise.all([
      count({}),
      count(states.active),
      count(states.trial),
      count(states.past_due),
    ]);
    return [
      { plan, state: 'active', users: active },
      { plan, state: 'trial', users: trial },
      { plan, state: 'past_due', users: pastDue },
      // The questions are not asked at the same moment: a payment between two of them is no negative number.
      { plan, state: 'expired', users: Math.max(0, all - active - trial - pastDue) },
    ];
  };
  return (await Promise.all((Object.keys(plans) as Plan[]).map(ofPlan))).flat();
}
