// How far a user is paid for, from the user's document and the configuration together.
import type { Config } from '../config/config.ts';
import type { PaidUntil } from '../domain/billing/subscription.ts';
import { DAY_MS } from '../domain/units.ts';
import type { User } from '../mongo/userStore.ts';

/** The grace after the paid time, ms. */
export const graceMsOf = ({ SUBSCRIPTION_GRACE_DAYS }: Pick<Config, 'SUBSCRIPTION_GRACE_DAYS'>): number =>
  SUBSCRIPTION_GRACE_DAYS * DAY_MS;

export function paidUntilOf(
  { trialExpiresAt, subscriptionExpiresAt }: Pick<User, 'trialExpiresAt' | 'subscriptionExpiresAt'>,
  config: Pick<Config, 'SUBSCRIPTION_GRACE_DAYS'>,
): PaidUntil {
  return {
    trialExpiresAtMs: trialExpiresAt.getTime(),
    subscriptionExpiresAtMs: subscriptionExpiresAt?.getTime() ?? null,
    graceMs: graceMsOf(config),
  };
}
