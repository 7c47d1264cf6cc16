// The checks of a caller by what a request shows: its access token or API key, the scope of the key, and the paid time, by the
// rules of contract/whoMay.ts.

import { type PaidUntil, subscriptionStateOf } from '../../shared/domain/billing/subscription.ts';
import type { RequestError } from '../../shared/errors.ts';
import { type KeyScope, USER_SCOPES } from '../../shared/mongo/keyStore.ts';
import { type Access, mayNot, type NeededScope } from '../contract/whoMay.ts';
import type { TokenClaims } from './accessTokens.ts';
import { hasScope, type KeyLimitRecord, type KeyRecord } from './keyRecord.ts';
import type { RouteContext } from './requestContext.ts';

/** @throws {RequestError} 401 when the request came without a valid access token */
export function requireToken(ctx: RouteContext): TokenClaims {
  const { token } = ctx.state.request;
  if (token === undefined) throw mayNot('invalid_token', 'A valid access token is required: log in.');
  return token;
}

/**
 * For whom a request trades or asks: the owner of its API key, or else of its access token.
 * @throws {RequestError} 401 without either
 */
export function requireTrader(ctx: RouteContext): KeyRecord {
  const { key, holder } = ctx.state.request;
  const trader = key ?? holder;
  if (trader !== undefined) return trader;
  // A page learns by it that its token is over.
  if (!ctx.get('authorization').startsWith('Bearer ')) throw mayNot('invalid_api_key', 'A valid API key is required.');
  throw mayNot('invalid_credential', 'A valid API key or access token is required.');
}

/** @throws {RequestError} 403 */
export function requireScope(key: KeyLimitRecord, scope: KeyScope): void {
  if (!hasScope(key, scope)) throw mayNot('insufficient_scope', `This API key lacks the scope "${scope}".`);
}

/** It tells nothing of the account behind the key. */
export const addressNotAllowed = (): RequestError =>
  mayNot('address_not_allowed', 'This API key may not be used from this address.');

/**
 * The server's check before each endpoint. An endpoint that takes tokens and keys asks for either of them itself: its refusal has headers
 * of its own.
 * @throws {RequestError} 401 without the access token that it needs, 403 for a key that may not
 */
export function requireCredential(ctx: RouteContext, { credential, scope }: Access): void {
  if (credential === 'token') requireToken(ctx);
  if (scope !== undefined) requireKeyAccess(ctx, scope);
}

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
  if (until.subscriptionExpiresAtMs === null) throw mayNot('trial_expired', 'The trial has ended. Subscribe to go on trading.');
  throw mayNot('subscription_expired', 'The subscription has expired. Renew it to go on trading.');
}
