// Who is an operator, and whether the session has shown the password a moment ago: what changes something for others, and what makes a key
// that may, asks for both. A stolen token alone changes nothing.
import { MINUTE_MS } from '../../../shared/domain/units.ts';
import { RequestError } from '../../../shared/errors.ts';
import { ADMIN_SCOPES, type KeyScope } from '../../../shared/mongo/keyStore.ts';
import type { SessionDocument } from '../../../shared/mongo/sessionStore.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import type { LiveUser } from '../session/requireLiveUser.ts';

/** How long a confirmation holds, ms. */
export const CONFIRMED_MS = 15 * MINUTE_MS;

/** The error codes of what needs a confirmation. */
export const OPERATOR_ERRORS = ['not_operator', 'confirmation_required'] as const;

export const isOperator = ({ roles }: Pick<User, 'roles'>): boolean => roles?.includes('operator') === true;

/** @throws {RequestError} 403; it is the same whatever was asked for */
export function requireRole(user: Pick<User, 'roles'>): void {
  if (!isOperator(user)) throw new RequestError(403, 'not_operator', 'Only operators may do this.');
}

/** @throws {RequestError} 403 */
export function requireConfirmed(session: SessionDocument, nowMs: number): void {
  const sinceMs = nowMs - (session.operatorConfirmedAt?.getTime() ?? Number.NEGATIVE_INFINITY);
  if (sinceMs >= 0 && sinceMs < CONFIRMED_MS) return;
  throw new RequestError(403, 'confirmation_required', 'Confirm the password first: POST /v1/admin/confirm.');
}

/**
 * Before a key gets, or is shown with, these scopes.
 * @throws {RequestError} 403 when some of them are operators' and the user is none, or has not confirmed the password
 */
export function requireGrantable({ user, session }: LiveUser, scopes: readonly KeyScope[] | undefined, nowMs: number): void {
  if (scopes?.some((scope) => ADMIN_SCOPES.some((one) => one === scope)) !== true) return;
  requireRole(user);
  requireConfirmed(session, nowMs);
}
