// The gate before everything that trades or changes an account: the trial or what was paid for must not be over, judged by
// the clock at the door. Reading what was, and paying, stay open to everybody.
import { type PaidUntil, subscriptionStateOf } from '../shared/domain/subscriptionState.ts';
import { RequestError } from '../shared/errors.ts';

/** @throws {RequestError} 403 `trial_expired` when nothing was ever paid, else `subscription_expired` after the grace */
export function requirePaid(until: PaidUntil, nowMs: number): void {
  if (subscriptionStateOf(until, nowMs) !== 'expired') return;
  if (until.subscriptionExpiresAtMs === null)
    throw new RequestError(403, 'trial_expired', 'The trial has ended. Subscribe to go on trading.');
  throw new RequestError(403, 'subscription_expired', 'The subscription has expired. Renew it to go on trading.');
}
