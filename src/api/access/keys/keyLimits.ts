// Whether an API key may do what it is used for: its end, the address that it comes from, its scopes. The same checks
// hold for requests and for the sockets of the key.

import { RequestError } from '../../../shared/errors.ts';
import { type KeyScope, USER_SCOPES } from '../../../shared/mongo/keyStore.ts';
import { isListed } from './addressList.ts';

/** A key's limits as nodes keep them; an absent field is no limit. */
export interface KeyLimitRecord {
  readonly scopes?: readonly KeyScope[];
  /** Milliseconds since the epoch. */
  readonly expiresAtMs?: number;
  readonly addresses?: readonly string[];
  /** When the key was last made anew, ms; a socket that was opened before it had the key before. */
  readonly rotatedAtMs?: number;
}

/** A key that is over is like one that never was. */
export const isOver = ({ expiresAtMs }: KeyLimitRecord, nowMs: number): boolean =>
  expiresAtMs !== undefined && nowMs >= expiresAtMs;

/** @param address of the client, in its usual form */
export const isAllowedFrom = ({ addresses }: KeyLimitRecord, address: string): boolean =>
  addresses === undefined || isListed(addresses, address);

/** A key without a list has what every user may do, and no more. */
export const hasScope = ({ scopes = USER_SCOPES }: KeyLimitRecord, scope: KeyScope): boolean => scopes.includes(scope);

/** @throws {RequestError} 403 */
export function requireScope(key: KeyLimitRecord, scope: KeyScope): void {
  if (!hasScope(key, scope)) throw new RequestError(403, 'insufficient_scope', `This API key lacks the scope "${scope}".`);
}

/** It tells nothing of the account behind the key. */
export const addressNotAllowed = (): RequestError =>
  new RequestError(403, 'address_not_allowed', 'This API key may not be used from this address.');
