// How far a user has paid, as the user sees it.

import { Type } from '@sinclair/typebox';
import { paidUntilOf } from '../../shared/access/subscription.ts';
import { subscriptionOf } from '../../shared/billing/subscriptionStore.ts';
import type { Config } from '../../shared/config/config.ts';
import { subscriptionAt, subscriptionStateOf } from '../../shared/domain/billing/subscription.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { type AnswerFor, exactly, IsoTime, orNull, PlanName, SubscriptionStatus } from '../contract/answerValues.ts';
import { named } from '../contract/named.ts';

export const SubscriptionAnswer = named(
  'Subscription',
  exactly({
    plan: PlanName,
    status: SubscriptionStatus,
    trial_expires_at: IsoTime,
    current_period_end: orNull(IsoTime),
    cancel_at_period_end: Type.Boolean(),
  }),
);

export function toSubscriptionAnswer(user: User, config: Config, nowMs: number): AnswerFor<typeof SubscriptionAnswer> {
  return {
    plan: subscriptionAt(subscriptionOf(user), nowMs).plan,
    status: subscriptionStateOf(paidUntilOf(user, config), nowMs),
    trial_expires_at: user.trialExpiresAt.toISOString(),
    current_period_end: user.subscriptionExpiresAt?.toISOString() ?? null,
    cancel_at_period_end: user.cancelAtPeriodEnd === true,
  };
}
