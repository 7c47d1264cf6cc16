// How far an account is paid for, judged by the clock alone: nobody has to mark an account for its trial to be over, so
// every node refuses at the same moment whatever the jobs do.

export type SubscriptionState = 'trial' | 'active' | 'past_due' | 'expired';

/** Times in ms since the epoch. */
export interface PaidUntil {
  readonly trialExpiresAtMs: number;
  /** End of what is paid for; null = never paid. */
  readonly subscriptionExpiresAtMs: number | null;
  /** How long one may go on after what was paid for, ms. A trial has no grace. */
  readonly graceMs: number;
}

/** `past_due`: what was paid for is over and the grace is not. Only `expired` may not trade. */
export function subscriptionStateOf(
  { trialExpiresAtMs, subscriptionExpiresAtMs, graceMs }: PaidUntil,
  nowMs: number,
): SubscriptionState {
  if (subscriptionExpiresAtMs !== null && nowMs < subscriptionExpiresAtMs) return 'active';
  if (nowMs < trialExpiresAtMs) return 'trial';
  return subscriptionExpiresAtMs !== null && nowMs < subscriptionExpiresAtMs + graceMs ? 'past_due' : 'expired';
}

/** When the account becomes, or became, `expired` unless somebody pays, ms since the epoch. */
export function expiryOf({ trialExpiresAtMs, subscriptionExpiresAtMs, graceMs }: PaidUntil): number {
  return subscriptionExpiresAtMs === null ? trialExpiresAtMs : Math.max(trialExpiresAtMs, subscriptionExpiresAtMs + graceMs);
}
