// Whether an account is paid for, judged by the clock alone. No process has to mark an account when its trial ends,
// so every node refuses it at the same moment, whether the jobs run or not.

export type SubscriptionState = 'trial' | 'active' | 'past_due' | 'expired';

/** Times in ms since the epoch. */
export interface PaidUntil {
  readonly trialExpiresAtMs: number;
  /** End of the paid time; null = never paid. */
  readonly subscriptionExpiresAtMs: number | null;
  /** How long an account may trade after the paid time, ms. A trial has no grace. */
  readonly graceMs: number;
}

/** `past_due`: the paid time is over and the grace is not. Only `expired` may not trade. */
export function subscriptionStateOf(
  { trialExpiresAtMs, subscriptionExpiresAtMs, graceMs }: PaidUntil,
  nowMs: number,
): SubscriptionState {
  if (subscriptionExpiresAtMs !== null && nowMs < subscriptionExpiresAtMs) return 'active';
  if (nowMs < trialExpiresAtMs) return 'trial';
  return subscriptionExpiresAtMs !== null && nowMs < subscriptionExpiresAtMs + graceMs ? 'past_due' : 'expired';
}

/** When the account becomes, or became, `expired` without a further payment, ms since the epoch. */
export function expiryOf({ trialExpiresAtMs, subscriptionExpiresAtMs, graceMs }: PaidUntil): number {
  return subscriptionExpiresAtMs === null ? trialExpiresAtMs : Math.max(trialExpiresAtMs, subscriptionExpiresAtMs + graceMs);
}
