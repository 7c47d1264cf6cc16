// The checks that an endpoint makes of the user behind an access token, each with its refusal.

import type { Config } from '../../../shared/config/config.ts';
import { MINUTE_MS } from '../../../shared/domain/units.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { AuditAction } from '../../../shared/mongo/auditLog.ts';
import { ADMIN_SCOPES, type KeyScope } from '../../../shared/mongo/keyStore.ts';
import type { SessionDocument } from '../../../shared/mongo/sessionStore.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { isTokenInForce } from '../../access/accessTokens.ts';
import { requireToken } from '../../access/callerChecks.ts';
import { networkOf, type RouteContext } from '../../access/requestContext.ts';
import { mayNot } from '../../contract/whoMay.ts';
import { recordAudit } from '../../http/audited.ts';
import type { AuthParts } from '../parts/authParts.ts';
import type { CodeSender, CodeUse } from '../parts/secondFactors.ts';
import { countHolder, type Guesser } from './attemptLimits.ts';
import { sendNotice } from './notices.ts';

/** The user behind the request's access token. @throws {RequestError} 401 without a token, or when the user is gone */
export async function requireUser(ctx: RouteContext, { users }: Pick<AuthParts, 'users'>): Promise<User> {
  const user = await users.findById(requireToken(ctx).userId);
  if (user === null) throw mayNot('invalid_token', 'The user of this access token no longer exists.');
  return user;
}

/**
 * The user behind an access token, for acts that give power: new tokens, keys, passwords, an end to other sessions. What a node
 * has cached of an owner may be a quarter of a second old. In that time a token that was just ended must not be made into
 * anything that lives on, so these acts read user and session anew.
 */
export interface LiveUser {
  readonly user: User;
  readonly session: SessionDocument;
}

/** @throws {RequestError} 401 when the token, its session or its user is no longer there */
export async function requireLiveUser(
  ctx: RouteContext,
  { users, sessions }: Pick<AuthParts, 'users' | 'sessions'>,
): Promise<LiveUser> {
  const claims = requireToken(ctx);
  const { userId, sessionId } = claims;
  // The session before the user: it is taken along after the user's generation has risen, so it is never ahead of this user.
  const session = await sessions.find(userId, sessionId);
  const user = await users.findById(userId);
  if (user === null) throw mayNot('invalid_token', 'The user of this access token no longer exists.');
  const { tokenGeneration: generation = 0, keptTokenId } = user;
  if (session === null || !isTokenInForce(claims, { generation, keptTokenId }, session))
    throw mayNot('invalid_token', 'This access token has ended: log in.');
  return { user, session };
}

// Who is an operator, and whether the session has shown the password a moment ago: what changes something for others, and what
// makes a key that may, asks for both. A stolen token alone changes nothing.

/** How long a confirmation holds, ms. */
export const CONFIRMED_MS = 15 * MINUTE_MS;

const isOperator = ({ roles }: Pick<User, 'roles'>): boolean => roles?.includes('operator') === true;

/** @throws {RequestError} 403; it is the same whatever was asked for */
export function requireRole(user: Pick<User, 'roles'>): void {
  if (!isOperator(user)) throw mayNot('not_operator', 'Only operators may do this.');
}

/** @throws {RequestError} 403 */
export function requireConfirmed(session: SessionDocument, nowMs: number): void {
  const sinceMs = nowMs - (session.operatorConfirmedAt?.getTime() ?? Number.NEGATIVE_INFINITY);
  if (sinceMs >= 0 && sinceMs < CONFIRMED_MS) return;
  throw mayNot('confirmation_required', 'Confirm the password first: POST /v1/admin/confirm.');
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

// Whether a user's e-mail address is verified, and the check before a key is made or a second factor turned on: neither may
// keep the address's owner out. Users from before addresses were verified need none.

type Verification = Pick<User, 'emailVerifiedAt'>;

export const isVerified = ({ emailVerifiedAt }: Verification): boolean => emailVerifiedAt instanceof Date;

type Asked = Pick<Config, 'REQUIRE_VERIFIED_EMAIL' | 'SMTP_URL'>;

/** Whether keys and second factors need a verified address here. */
export const asksForVerified = ({ REQUIRE_VERIFIED_EMAIL: asked, SMTP_URL }: Asked): boolean =>
  asked === 'yes' || (asked === '' && SMTP_URL !== '');

/** @throws {RequestError} 403 until the address is verified, where the deployment asks for it */
export function requireVerified({ emailVerifiedAt }: Verification, config: Asked): void {
  if (!asksForVerified(config) || emailVerifiedAt !== null) return;
  const text = 'Verify your e-mail address first: open the link in the mail, or ask for another at /v1/auth/resend-verification.';
  throw mayNot('email_not_verified', text);
}

// Requires the password where an access token alone is not enough. Each session's attempts are counted apart: a stolen token
// must not be a way to guess the password, and guesses of others must not keep the owner from changing it.

/** @throws {RequestError} 401 when the password is wrong, 429 after too many attempts */
export async function requirePassword(
  ctx: RouteContext,
  parts: AuthParts,
  { user, password, action }: { user: User; password: string; action: AuditAction },
): Promise<void> {
  await countHolder(ctx, parts, user._id);
  if (await parts.passwords.verify(password, user.passwordHash, { subject: user._id, isKnown: true })) return;
  await recordAudit(ctx, parts, { userId: user._id, action, outcome: 'refused' });
  throw mayNot('invalid_credentials', 'The password is wrong.');
}

// Asks for the second factor of users who have one: at login, and before acts that a stolen access token must not be enough
// for. A session in which it was checked a moment ago is not asked again.

/** How long a session counts as checked, ms. */
const FRESH_MS = 15 * MINUTE_MS;

/**
 * At login, after the password was right.
 * @returns when the second factor was checked; undefined for a user without one
 * @throws {RequestError} 401 without a code, or with a wrong one; 429 after too many wrong ones
 */
export async function checkLogin(
  ctx: RouteContext,
  parts: AuthParts,
  { user, code, guesser }: { user: User; code: string | undefined; guesser: Pick<Guesser, 'deviceId'> },
): Promise<Date | undefined> {
  if ((await parts.secondFactors.find(user._id)) === undefined) return undefined;
  const refused = { userId: user._id, action: 'login', outcome: 'refused', actor: 'anonymous' } as const;
  if (code === undefined) {
    await recordAudit(ctx, parts, { ...refused, detail: 'no second factor' });
    throw required();
  }
  // A network is known by the link of a password mail too: a thief of the mailbox would have as many as they like.
  const { deviceId } = guesser;
  const sender: CodeSender =
    deviceId === undefined
      ? { subject: `network:${networkOf(ctx)}`, isKnown: false }
      : { subject: `device:${deviceId}`, isKnown: true };
  try {
    await use(ctx, parts, user, await parts.secondFactors.check(user._id, code, sender));
  } catch (error) {
    if (error instanceof RequestError && error.code === 'invalid_second_factor') {
      await recordAudit(ctx, parts, { ...refused, detail: 'second factor' });
      sendNotice(ctx, parts, { user, kind: 'second_factor.refused' });
    }
    throw error;
  }
  return new Date(parts.now());
}

/**
 * Before an act of the holder of an access token.
 * @param always also where the session was checked a moment ago
 * @throws {RequestError} as `checkLogin`
 */
export async function requireSecondFactor(
  ctx: RouteContext,
  parts: AuthParts,
  { user, session, code, always = false }: LiveUser & { code: string | undefined; always?: boolean },
): Promise<void> {
  if ((await parts.secondFactors.find(user._id)) === undefined) return;
  const checkedMs = session.secondFactorAt?.getTime() ?? 0;
  if (!always && parts.now() - checkedMs < FRESH_MS) return;
  if (code === undefined) throw required();
  await use(ctx, parts, user, await parts.secondFactors.check(user._id, code, holderOf(ctx)));
  await parts.sessions.noteSecondFactor(session._id, new Date(parts.now()));
}

/** The guesses of a session count apart from those of others. */
export function holderOf(ctx: RouteContext): CodeSender {
  return { subject: `session:${requireToken(ctx).sessionId}`, isKnown: true };
}

async function use(ctx: RouteContext, parts: AuthParts, user: User, { recoveryLeft }: CodeUse): Promise<void> {
  if (recoveryLeft === undefined) return;
  await recordAudit(ctx, parts, {
    userId: user._id,
    action: 'second_factor.recovery_used',
    outcome: 'ok',
    detail: `${recoveryLeft} left`,
  });
  sendNotice(ctx, parts, { user, kind: 'recovery_code.used', subject: String(recoveryLeft) });
}

const required = (): RequestError =>
  mayNot('second_factor_required', 'Send a code of your authenticator, or a recovery code, as `code`.');
