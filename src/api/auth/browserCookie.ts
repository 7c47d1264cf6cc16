// The cookie of a browser's session: how requests show it, and the endpoint that exchanges it for the next one.

import { setTimeout as pause } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import type { SessionDocument } from '../../shared/mongo/sessionStore.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { endMs } from '../access/accessTokens.ts';
import { addressOf, networkOf, type RouteContext } from '../access/requestContext.ts';
import { exactly, words } from '../contract/answerValues.ts';
import { described } from '../contract/named.ts';
import { mayNot } from '../contract/whoMay.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { cookieHeader, createOriginCheck, OUR_PAGE, readCookie } from '../http/browser.ts';
import { endpoint } from '../http/endpoint.ts';
import { requireRoom } from './acts/attemptLimits.ts';
import type { AuthParts } from './parts/authParts.ts';
import { readShown, type ShownCookie } from './parts/refreshCookies.ts';
import { loginFields, tokenSeconds, toTokenAnswer, usedFrom } from './sessionLife.ts';

/** What the contracts of the endpoints by cookie have in common. */
export const OurPage = Type.Object({
  'X-Requested-With': described(
    words(OUR_PAGE),
    'Said by pages of this deployment. `Origin` has to be that of PUBLIC_URL, or absent with `Sec-Fetch-Site: same-origin`.',
  ),
});

export const ExpiresIn = Type.Integer({ minimum: 1, description: 'Life of the access token, seconds.', examples: [900] });

// The cookie of a request and of its answer, and what its endpoints ask of every request: that it comes from a page of ours,
// and that its network has not tried too often.

/** A session as its cookie has shown it. */
interface ShownSession {
  readonly shown: ShownCookie;
  readonly session: SessionDocument;
}

/** Counts one request by cookie of a network. @throws {RequestError} 429 */
export function countCookie(ctx: RouteContext, parts: AuthParts): Promise<void> {
  const { config, rateLimit } = parts;
  const charge = { subject: `cookie:${networkOf(ctx)}`, cap: config.AUTH_ADDRESS_LOGINS_PER_MINUTE, cost: 1 };
  return requireRoom(ctx, parts, rateLimit, [charge]);
}

/** What the request's cookie says. @returns undefined without a cookie of the form that ours have */
export const shownBy = (ctx: RouteContext, { config }: Pick<AuthParts, 'config'>): ShownCookie | undefined =>
  readShown(readCookie(config, ctx.req.headers.cookie));

/** The session of a cookie that was made here, be it the newest or not. @returns undefined for any other */
export async function findShown(
  shown: ShownCookie,
  { sessions, cookies }: Pick<AuthParts, 'sessions' | 'cookies'>,
): Promise<ShownSession | undefined> {
  const session = await sessions.findById(shown.sessionId);
  return session !== null && (await cookies.isGenuine(shown, session)) ? { shown, session } : undefined;
}

/** Gives the browser the session's newest cookie, for as long as the session lasts without being used. */
export async function giveCookie(
  ctx: RouteContext,
  { config, cookies, now }: Pick<AuthParts, 'config' | 'cookies' | 'now'>,
  { _id, cookie, createdAt, usedAt }: SessionDocument,
): Promise<void> {
  if (cookie === undefined) return;
  const lastsMs = endMs(config, { createdAtMs: createdAt.getTime(), usedAtMs: usedAt.getTime() }) - now();
  const seconds = Math.max(1, Math.ceil(lastsMs / 1000));
  ctx.set('Set-Cookie', cookieHeader(config, await cookies.newest(_id, cookie), seconds));
}

/** Has the browser forget its cookie. */
export function takeCookie(ctx: RouteContext, { config }: Pick<AuthParts, 'config'>): void {
  ctx.set('Set-Cookie', cookieHeader(config, '', 0));
}

export const noSession = (): RequestError => mayNot('invalid_session', 'This browser has no session, or it has ended: log in.');

// POST /v1/auth/session/refresh: a new access token for the cookie of a browser, and the cookie's next value. The value before
// is good for some seconds more, and gives the newest one again: an answer may be lost, and two pages may ask at once. An older
// one has been used already, so two hold the cookie: the session ends. A value that was not made here ends nothing, or anyone
// could end what they can name.

/** How long the value before the newest is good, ms. */
const BEFORE_MS = 30_000;
/** How often, and after which pause, ms, a refresh looks again that another request was quicker than. */
const TRIES = 20;
const LOOK_AGAIN_MS = 25;

export const refreshBrowserSessionEndpoint = endpoint({
  id: 'refreshBrowserSession',
  method: 'post',
  path: '/v1/auth/session/refresh',
  tag: 'Users',
  summary: 'A new access token for a browser’s cookie, which changes.',
  description:
    'The cookie before is good for 30 seconds more and gives the newest one again. An older one was used already: it ends the session.',
  credential: 'cookie',
  asks: ['ownPage'],
  price: CHEAP,
  headers: OurPage,
  answer: { about: 'An access token.', schema: exactly({ ...loginFields, expires_in: ExpiresIn }), setsCookie: true },
  errors: { 503: ['busy'] },
  handle: (parts: AuthParts) => {
    const requireOurPage = createOriginCheck(parts.config);
    return async (ctx) => {
      requireOurPage(ctx);
      await countCookie(ctx, parts);
      const { user, session } = await refresh(ctx, parts);
      await giveCookie(ctx, parts, session);
      answerJson(ctx, { ...(await toTokenAnswer(user, session, parts)), expires_in: tokenSeconds(session, parts) });
    };
  },
});

interface Refreshing {
  readonly user: User;
  readonly session: SessionDocument;
}

async function refresh(ctx: RouteContext, parts: AuthParts): Promise<Refreshing> {
  const shown = shownBy(ctx, parts);
  if (shown === undefined) throw noSession();
  let isLeftBehind = false;
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await pause(LOOK_AGAIN_MS);
    const found = await findShown(shown, parts);
    if (found === undefined) throw noSession();
    const refreshed = await refreshOnce(ctx, parts, found);
    if (typeof refreshed === 'object') return refreshed;
    isLeftBehind = refreshed === 'leftBehind';
  }
  // The node that ended its generation has died before it removed this session, or took it along.
  if (isLeftBehind) throw noSession();
  throw new RequestError(503, 'busy', 'Your session is being changed by other requests.', { 'Retry-After': '1' });
}

/**
 * @returns `changing` when another request has changed the session meanwhile, `leftBehind` when its user's sessions have been ended and this one
 *   is still there: it is about to be removed, or taken along
 * @throws {RequestError} 401 when the session is over, or ends by this
 */
async function refreshOnce(
  ctx: RouteContext,
  parts: AuthParts,
  found: ShownSession,
): Promise<Refreshing | 'changing' | 'leftBehind'> {
  const { users, sessions, config, now } = parts;
  const { shown, session } = found;
  const { userId, cookie, createdAt, usedAt } = session;
  // The session before the user: it is taken along after the user's generation has risen, so it is never ahead of this user.
  const user = await users.findById(userId);
  const usedAtMs = Math.max(usedAt.getTime(), parts.sessionUsage.lastUse(session._id) ?? 0);
  if (user === null || now() >= endMs(config, { createdAtMs: createdAt.getTime(), usedAtMs })) throw noSession();
  if (cookie === undefined) return 'changing';
  if (session.generation !== (user.tokenGeneration ?? 0)) return 'leftBehind';
  const isBefore = shown.number === cookie.number - 1 && now() - cookie.rotatedAt.getTime() < BEFORE_MS;
  if (isBefore) return { user, session };
  if (shown.number !== cookie.number) return endReused(ctx, parts, session);
  const rotated = await sessions.rotate(session, { ...usedFrom(ctx, now()), generation: session.generation });
  if (rotated === null) return 'changing';
  // A row for each of its refreshes would bury the others; that it goes on somewhere else is worth one.
  const row = { userId, action: 'token.refreshed', outcome: 'ok', detail: 'from another address' } as const;
  if (session.address !== addressOf(ctx)) await recordAudit(ctx, parts, row);
  return { user, session: rotated };
}

/** Two hold the cookie, and which of them is the user cannot be told. */
async function endReused(ctx: RouteContext, parts: AuthParts, session: SessionDocument): Promise<'changing'> {
  if (!(await parts.sessions.endAsRead(session))) return 'changing';
  const { _id, userId } = session;
  await parts.credentials.announceChange(userId, []);
  const reused = { userId, action: 'session.reused', outcome: 'refused', actor: 'anonymous', detail: _id } as const;
  await recordAudit(ctx, parts, reused);
  throw noSession();
}
