// The cookie of a request and of its answer, and what its endpoints ask of every request: that it comes from a page of ours,
// and that its network has not tried too often.
import { RequestError } from '../../../shared/errors.ts';
import type { SessionDocument } from '../../../shared/mongo/sessionStore.ts';
import { endMs } from '../../access/accessTokens.ts';
import { networkOf, type RouteContext } from '../../access/requestContext.ts';
import { cookieHeader, readCookie } from '../../http/browser.ts';
import { requireRoom } from '../attemptLimits.ts';
import type { AuthParts } from '../authParts.ts';
import { readShown, type ShownCookie } from './refreshCookies.ts';

/** A session as its cookie has shown it. */
export interface ShownSession {
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

export const noSession = (): RequestError =>
  new RequestError(401, 'invalid_session', 'This browser has no session, or it has ended: log in.');
