// How many users have which plan, and what they may do: for those who run the service as a business. MongoDB counts, a few times an hour.
import type { Collection, Filter } from 'mongodb';
import type { Config } from '../shared/config.ts';
import { type Plan, plans } from '../shared/domain/plan.ts';
import type { SubscriptionState } from '../shared/domain/subscriptionState.ts';
import { collections, type MongoConnection } from '../shared/mongo/mongo.ts';
import type { User } from '../shared/mongo/userStore.ts';
import { graceMsOf } from '../shared/subscription.ts';

export interface UserCount {
  readonly plan: Plan;
  readonly state: SubscriptionState;
  readonly users: number;
}

/** Every plan with every state, as `subscriptionStateOf` judges it. */
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
