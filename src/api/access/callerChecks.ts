// The checks of what a caller may do: whether an API key has the scope of the endpoint, and whether the account is paid for.

import { type PaidUntil, subscriptionStateOf } from '../../shared/domain/billing/subscription.ts';
import { RequestError } from '../../shared/errors.ts';
import { USER_SCOPES } from '../../shared/mongo/keyStore.ts';
import type { NeededScope } from '../contract/endpoint.ts';
import { addressNotAllowed, hasScope, requireScope } from './keyRecord.ts';
import type { RouteContext } from './requestContext.ts';

/** @throws {RequestError} 403 */
export function requireKeyAccess(ctx: RouteContext, scope: NeededScope): void {
  const { key, isKeyElsewhere } = ctx.state.request;
  if (isKeyElsewhere) throw addressNotAllowed();
  if (key === undefined) return;
  if (scope !== 'any') requireScope(key, scope);
  else if (!USER_SCOPES.some((one) => hasScope(key, one))) requireScope(key, 'read');
}

export const isExpired = (until: PaidUntil, nowMs: number): boolean => subscriptionStateOf(until, nowMs) === 'expired';

/**
 * The check before everything that trades or changes an account: the trial or the paid time must not be over, judged by the clock of
 * this node. Reading history, and paying, stay open to every user.
 * @throws {RequestError} 403 `trial_expired` when nothing was ever paid, else `subscription_expired` after the grace
 */
export function requirePaid(until: PaidUntil, nowMs: number): void {
  if (!isExpired(until, nowMs)) return;
  if (until.subscriptionExpiresAtMs === null)
    throw new RequestError(403, 'trial_expired', 'The trial has ended. Subscribe to go on trading.');
  throw new RequestError(403, 'subscription_expired', 'The subscription has expired. Renew it to go on trading.');
}
