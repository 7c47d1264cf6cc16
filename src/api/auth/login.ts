// A program logs in, refreshes its access token and logs out. The check of a login is shared with browsers.

import { RequestError } from '../../shared/errors.ts';
import type { SessionDocument } from '../../shared/mongo/sessionStore.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { requireToken } from '../access/callerChecks.ts';
import { networkOf, type RouteContext } from '../access/requestContext.ts';
import { Message } from '../contract/answerValues.ts';
import { mayNot } from '../contract/whoMay.ts';
import { CHEAP, HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import { countLogin, type Guesser } from './acts/attemptLimits.ts';
import { compileLogin } from './acts/credentialsBody.ts';
import { sendNotice } from './acts/notices.ts';
import { checkLogin, type LiveUser, requireLiveUser } from './acts/userChecks.ts';
import type { AuthParts } from './parts/authParts.ts';
import { revokeMarkedKeys } from './password.ts';
import { beginSession, LoginAnswer, refreshSession, toLoginAnswer } from './sessionLife.ts';

// What every login asks for: the password, and the second factor of users who have one. Neither the text nor the time of a
// refusal shows whether the address or the password was wrong. A code is asked for after the password was right.

/** The body of a login. */
export const readLogin = compileLogin();

/** Who has logged in. */
interface PassedLogin {
  readonly user: User;
  readonly guesser: Guesser;
  /** When a second factor was checked; absent for users without one. */
  readonly secondFactorAt?: Date;
}

/**
 * Reads the body and checks it.
 * @param detail of the audit row
 * @throws {RequestError} 401, 429
 */
export async function passLogin(ctx: RouteContext, parts: AuthParts, detail?: string): Promise<PassedLogin> {
  const { passwords, background } = parts;
  const { email, password, device_token: deviceToken, code } = readLogin(await parts.readBody(ctx));
  const { user, guesser } = await countLogin(ctx, parts, { email, deviceToken });
  const isRight = await passwords.verify(password, user?.passwordHash, guesser.place);
  if (user === null || !isRight) {
    // The answer does not wait for the row: it would come later for a known user than for an unknown one.
    if (user !== null) {
      const failed = { userId: user._id, action: 'login', outcome: 'refused', actor: 'anonymous' } as const;
      const run = (): Promise<void> => recordAudit(ctx, parts, failed);
      background.start({ name: 'noting a failed login', requestId: ctx.state.request.requestId, run });
    }
    throw mayNot('invalid_credentials', 'The e-mail address or the password is wrong.');
  }
  const secondFactorAt = await checkLogin(ctx, parts, { user, code, guesser });
  await recordAudit(ctx, parts, { userId: user._id, action: 'login', outcome: 'ok', ...(detail !== undefined && { detail }) });
  await revokeMarkedKeys(ctx, parts, user);
  await noteLogin(ctx, parts, { user, guesser });
  return { user, guesser, ...(secondFactorAt && { secondFactorAt }) };
}

// After a password was right: the network is known from now on, and a user who has come from elsewhere so far is told.

/** A user of whom no network is known yet is not told: it would be all of them. */
async function noteLogin(
  ctx: RouteContext,
  parts: AuthParts,
  { user, guesser }: { user: User; guesser: Pick<Guesser, 'isKnown'> },
): Promise<void> {
  const isNew = !guesser.isKnown && user.knownNetworks !== undefined;
  // The row makes the alert (src/features/alerts/look/fillOutbox.ts), so the row has to exist before the network counts as known.
  if (isNew) await recordAudit(ctx, parts, { userId: user._id, action: 'login.new_device', outcome: 'ok' });
  await parts.networks.add(user, networkOf(ctx));
  if (isNew) sendNotice(ctx, parts, { user, kind: 'login.new_device' });
}

/**
 * POST /v1/auth/login `{email, password, code?}`: begins a session and gives an access token of it, for programs. Pages log in
 * by POST /v1/auth/session.
 */
export const loginEndpoint = endpoint({
  id: 'login',
  method: 'post',
  path: '/v1/auth/login',
  tag: 'Users',
  summary: 'An access token for a password.',
  description: 'With the `device_token` of an earlier answer, wrong guesses of others do not use up this device’s attempts.',
  credential: 'none',
  asks: ['password', 'secondFactor'],
  price: HEAVY,
  body: { schema: readLogin.schema, examples: { bot: { email: 'bot@example.com', password: 'a good password' } } },
  answer: { about: 'An access token.', schema: LoginAnswer },
  errors: { 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { user, guesser, secondFactorAt } = await passLogin(ctx, parts);
    const session = await beginSession(ctx, parts, user, secondFactorAt && { secondFactorAt });
    answerJson(ctx, await toLoginAnswer(user, session, parts, guesser.deviceId));
  },
});

/**
 * POST /v1/auth/refresh: gives a new access token of the same session for a valid one, which stays valid until its own end.
 * Answers like login. A browser's session is refreshed by its cookie alone: who has stolen one of its tokens must not make it
 * last. No token of a session outlives it: ending the session ends them all, however they were had.
 */
export const refreshEndpoint = endpoint({
  id: 'refreshSession',
  method: 'post',
  path: '/v1/auth/refresh',
  tag: 'Users',
  summary: 'A new access token of the same session for one that is in force.',
  credential: 'token',
  price: CHEAP,
  answer: { about: 'An access token.', schema: LoginAnswer },
  errors: { 409: ['refreshed_by_cookie'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const live = await requireLiveUser(ctx, parts);
    const { user } = live;
    const session = await sessionOf(ctx, parts, live);
    await recordAudit(ctx, parts, { userId: user._id, action: 'token.refreshed', outcome: 'ok' });
    answerJson(ctx, await toLoginAnswer(user, session, parts));
  },
});

/** The token's session. @throws {RequestError} 401 when it has just ended */
async function sessionOf(ctx: RouteContext, parts: AuthParts, { user, session }: LiveUser): Promise<SessionDocument> {
  if (session.cookie !== undefined) {
    throw new RequestError(409, 'refreshed_by_cookie', 'The cookie refreshes this session: POST /v1/auth/session/refresh.');
  }
  const refreshed = await refreshSession(ctx, parts, user, session);
  if (refreshed === null) throw mayNot('invalid_token', 'The session of this access token has ended: log in.');
  return refreshed;
}

/**
 * POST /v1/auth/logout: ends the session of the access token that comes with it, at once here and within a second everywhere:
 * this token, and every other that was refreshed in the session. The user's other sessions live on.
 */
export const logoutEndpoint = endpoint({
  id: 'logout',
  method: 'post',
  path: '/v1/auth/logout',
  tag: 'Users',
  summary: 'Ends the session of the access token that comes with it.',
  credential: 'token',
  price: CHEAP,
  answer: { about: 'The session’s tokens are good for nothing any more.', schema: Message },
  handle: (parts: AuthParts) => async (ctx) => {
    const { sessions, credentials } = parts;
    const { userId, sessionId } = requireToken(ctx);
    await sessions.end(userId, sessionId);
    await credentials.announceChange(userId, []);
    await recordAudit(ctx, parts, { userId, action: 'logout', outcome: 'ok' });
    answerJson(ctx, { message: 'You are logged out.' });
  },
});
