// How far a user has paid, as the user sees it.
import { subscriptionOf } from '../../shared/billing/subscriptionStore.ts';
import type { Config } from '../../shared/config.ts';
import { subscriptionAt } from '../../shared/domain/billing/subscription.ts';
import { subscriptionStateOf } from '../../shared/domain/subscriptionState.ts';
import { paidUntilOf } from '../../shared/subscription.ts';
import type { User } from '../../shared/userStore.ts';

export function toSubscriptionAnswer(user: User, config: Config, nowMs: number): Record<string, unknown> {
  return {
    plan: subscriptionAt(subscriptionOf(user), nowMs).plan,
    status: subscriptionStateOf(paidUntilOf(user, config), nowMs),
    trial_expires_at: user.trialExpiresAt.toISOString(),
    current_period_end: user.subscriptionExpiresAt?.toISOString() ?? null,
    cancel_at_period_end: user.cancelAtPeriodEnd === true,
  };
}
