// The life of a session: how it begins, goes on and outlives the others, and the answer with its access token.

import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import { compareAndSet } from '../../shared/mongo/compareAndSet.ts';
import type { SessionDocument, SessionOrigin } from '../../shared/mongo/sessionStore.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { latestEndMs } from '../access/accessTokens.ts';
import { requireToken } from '../access/callerChecks.ts';
import { addressOf, type RouteContext } from '../access/requestContext.ts';
import { type AnswerFor, exactly, PlanName, UserId } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { requireLiveUser } from './acts/userChecks.ts';
import type { AuthParts } from './parts/authParts.ts';
import { deviceOf } from './parts/devices.ts';

// Begins the session of a login or of a registration, and notes where it goes on.

/** What a list shows of a client's own name, characters. */
const AGENT_LENGTH_MAX = 120;

/**
 * Resolves when every node can find the session.
 * @param more.secondFactorAt when a second factor was checked for it
 * @param more.cookie where a browser keeps it
 */
export async function beginSession(
  ctx: RouteContext,
  { sessions, credentials, now }: Pick<AuthParts, 'sessions' | 'credentials' | 'now'>,
  user: User,
  more: Pick<SessionDocument, 'secondFactorAt' | 'cookie'> = {},
): Promise<SessionDocument> {
  const at = new Date(now());
  const session: SessionDocument = {
    ...{ _id: `ses_${randomBytes(12).toString('hex')}`, userId: user._id, generation: user.tokenGeneration ?? 0 },
    ...{ createdAt: at, refreshedAt: at, usedAt: at, ...originOf(ctx), ...more, schema: 1 },
  };
  if (await sessions.begin(session)) await credentials.announceChange(user._id, []);
  return session;
}

/** Notes that a session gives another access token. @returns the session as it is now, or null when it has ended meanwhile */
export function refreshSession(
  ctx: RouteContext,
  { sessions, now }: Pick<AuthParts, 'sessions' | 'now'>,
  { tokenGeneration: generation = 0 }: User,
  session: SessionDocument,
): Promise<SessionDocument | null> {
  return sessions.refresh(session, { ...usedFrom(ctx, now()), generation });
}

/** What a refresh at this time notes of where it comes from. */
export function usedFrom(ctx: RouteContext, timeMs: number): SessionOrigin & Pick<SessionDocument, 'refreshedAt' | 'usedAt'> {
  const at = new Date(timeMs);
  return { ...originOf(ctx), refreshedAt: at, usedAt: at };
}

/** Where a request comes from, as its user sees it in the list of sessions. */
function originOf(ctx: RouteContext): SessionOrigin {
  const agent = ctx.get('user-agent').replace(/[^\x20-\x7e]/g, '');
  return { address: addressOf(ctx), agent: agent.length > AGENT_LENGTH_MAX ? `${agent.slice(0, AGENT_LENGTH_MAX)}…` : agent };
}

// Ends every session and access token of a user but the one that asks.

/** How often the user is read again whose sessions were ended by another request meanwhile: of requests at once one succeeds each time. */
const TRIES = 30;

type Parts = Pick<AuthParts, 'users' | 'sessions' | 'credentials'>;

interface Kept {
  /** The session that goes on; null when it was ended at the same moment. */
  readonly session: SessionDocument | null;
  /** Sessions that have ended. */
  readonly ended: number;
}

/**
 * Ends the others. Of two requests at once each ends the other's session unless it is ended first.
 * @throws {RequestError} 401 when the session that asks has ended meanwhile
 */
export async function endAllOthers(ctx: RouteContext, parts: Parts): Promise<Kept> {
  const { id } = requireToken(ctx);
  const changed = await compareAndSet({ tries: TRIES, busy: sessionsBusy }, async () => {
    const { user } = await requireLiveUser(ctx, parts);
    return parts.users.endTokens(user, id);
  });
  return keepSession(ctx, parts, changed);
}

export const sessionsBusy = (): RequestError =>
  new RequestError(503, 'busy', 'Your sessions are being ended by other requests.', { 'Retry-After': '1' });

/**
 * Takes the session that asks along to the user's new generation, and removes those that the generation has ended.
 * @param user as it is after the generation has risen
 */
export async function keepSession(ctx: RouteContext, { sessions, credentials }: Parts, user: User): Promise<Kept> {
  const { sessionId } = requireToken(ctx);
  const { _id: userId, tokenGeneration: generation = 0 } = user;
  const ended = await sessions.keepOnly(userId, sessionId, generation);
  await credentials.announceChange(userId, []);
  return { session: await sessions.find(userId, sessionId), ended };
}

// The answer of login, register, refresh and a change of password (specification 4.3).

/** Of the answer of register too, which has no device token: the network of a registration is known from then on. */
export const loginFields = {
  access_token: described(
    Type.String(),
    'A JWT for `Authorization: Bearer …`; it ends after 24 hours (of a browser’s session: in minutes), and with its session.',
  ),
  token_type: Type.Literal('bearer'),
  user: named('UserSummary', exactly({ id: UserId, email: Type.String({ examples: ['bot@example.com'] }), plan: PlanName })),
};

export const LoginAnswer = named(
  'LoginAnswer',
  exactly({
    ...loginFields,
    device_token: described(
      Type.String(),
      'Goes into the next login from this device: guesses of others do not count there. Ends with a new password, or after a year.',
    ),
  }),
);

type TokenSession = Pick<SessionDocument, '_id' | 'createdAt' | 'cookie'>;
type TokenParts = Pick<AuthParts, 'tokens' | 'config' | 'now'>;

/** Issues an access token of the session, with a device token. @param deviceId of the device that is known already */
export async function toLoginAnswer(
  user: User,
  session: TokenSession,
  parts: TokenParts & Pick<AuthParts, 'devices'>,
  deviceId = deviceOf(session._id),
): Promise<AnswerFor<typeof LoginAnswer>> {
  const deviceToken = await parts.devices.issue(user, deviceId);
  return { ...(await toTokenAnswer(user, session, parts)), device_token: deviceToken };
}

/** Issues an access token of the session. */
export async function toTokenAnswer(user: User, session: TokenSession, parts: TokenParts): Promise<TokenAnswer> {
  const { _id: id, email, plan, tokenGeneration: generation = 0 } = user;
  const claims = { userId: id, plan, generation, sessionId: session._id, secondsMax: tokenSeconds(session, parts) };
  return { access_token: await parts.tokens.issue(claims), token_type: 'bearer', user: { id, email, plan } };
}

type TokenAnswer = Omit<AnswerFor<typeof LoginAnswer>, 'device_token'>;

/**
 * How long an access token that the session gives now lives: no longer than the session at the most. Of a browser's session it
 * is short, for its cookie gives the next.
 */
export function tokenSeconds({ createdAt, cookie }: TokenSession, { config, now }: Omit<TokenParts, 'tokens'>): number {
  const leftSeconds = Math.max(1, Math.ceil((latestEndMs(config, createdAt.getTime()) - now()) / 1000));
  const ofBrowser = cookie === undefined ? Number.POSITIVE_INFINITY : config.SESSION_TOKEN_SECONDS;
  return Math.min(config.JWT_TTL_SECONDS, ofBrowser, leftSeconds);
}
