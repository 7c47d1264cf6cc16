// The check before everything that trades or changes an account: the trial or the paid time must not be over, judged
// by the clock of this node. Reading history, and paying, stay open to every user.
import { type PaidUntil, subscriptionStateOf } from '../../shared/domain/billing/subscription.ts';
import { RequestError } from '../../shared/errors.ts';

export const isExpired = (until: PaidUntil, nowMs: number): boolean => subscriptionStateOf(until, nowMs) === 'expired';

/** @throws {RequestError} 403 `trial_expired` when nothing was ever paid, else `subscription_expired` after the grace */
export function requirePaid(until: PaidUntil, nowMs: number): void {
  if (!isExpired(until, nowMs)) return;
  if (until.subscriptionExpiresAtMs === null)
    throw new RequestError(403, 'trial_expired', 'The trial has ended. Subscribe to go on trading.');
  throw new RequestError(403, 'subscription_expired', 'The subscription has expired. Renew it to go on trading.');
}
