// The sessions of browsers: the endpoints that log a browser in by a password or a one-time link, and log it out.

import { Type } from '@sinclair/typebox';
import { takeLoginLink } from '../../shared/access/loginLinks.ts';
import { reachedByOthers } from '../../shared/config/schema.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { exactly, Message } from '../contract/answerValues.ts';
import { named } from '../contract/named.ts';
import { mayNot } from '../contract/whoMay.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { createOriginCheck } from '../http/browser.ts';
import { endpoint } from '../http/endpoint.ts';
import { compileReader } from '../http/requestReader.ts';
import { LinkToken } from './acts/credentialsBody.ts';
import { countCookie, ExpiresIn, findShown, giveCookie, noSession, OurPage, shownBy, takeCookie } from './browserCookie.ts';
import { passLogin, readLogin } from './login.ts';
import type { AuthParts } from './parts/authParts.ts';
import { firstCookie } from './parts/refreshCookies.ts';
import { beginSession, LoginAnswer, tokenSeconds, toLoginAnswer } from './sessionLife.ts';

// A browser's new session: its cookie, and the answer with the first access token. It is always a new session: a cookie that
// came along, however it got into the browser, ends its own.

const newSessionAnswer = {
  about: 'An access token of a new session.',
  schema: named('BrowserSession', exactly({ ...LoginAnswer.properties, expires_in: ExpiresIn })),
  setsCookie: true,
} as const;

interface NewSession {
  readonly user: User;
  /** Of the device that is known already. */
  readonly deviceId?: string | undefined;
  readonly secondFactorAt?: Date | undefined;
}

/** Begins the session and answers it. */
async function answerNewSession(
  ctx: RouteContext,
  parts: AuthParts,
  { user, deviceId, secondFactorAt }: NewSession,
): Promise<void> {
  const cookie = firstCookie(parts.now());
  const session = await beginSession(ctx, parts, user, { cookie, ...(secondFactorAt && { secondFactorAt }) });
  await endEarlier(ctx, parts);
  await giveCookie(ctx, parts, session);
  const answer = await toLoginAnswer(user, session, parts, deviceId);
  answerJson(ctx, { ...answer, expires_in: tokenSeconds(session, parts) });
}

/** Ends the session of the cookie that the new one replaces in the browser. */
async function endEarlier(ctx: RouteContext, parts: AuthParts): Promise<void> {
  const shown = shownBy(ctx, parts);
  const found = shown && (await findShown(shown, parts));
  if (found === undefined) return;
  const { _id, userId } = found.session;
  if (!(await parts.sessions.end(userId, _id))) return;
  await parts.credentials.announceChange(userId, []);
  await recordAudit(ctx, parts, { userId, action: 'session.ended', outcome: 'ok', detail: `${_id} by a new login` });
}

/**
 * POST /v1/auth/session `{email, password, code?}`: logs a browser in. The page gets an access token for minutes, which it
 * keeps in memory; the session lives on in a cookie that no script can read.
 */
export const openBrowserSessionEndpoint = endpoint({
  id: 'openBrowserSession',
  method: 'post',
  path: '/v1/auth/session',
  tag: 'Users',
  summary: 'Logs a browser in: an access token, and a cookie that renews it.',
  description: 'For pages of this deployment. Programs use `/v1/auth/login`. A session that the browser had ends.',
  credential: 'none',
  asks: ['ownPage', 'password', 'secondFactor'],
  price: CHEAP,
  headers: OurPage,
  body: { schema: readLogin.schema, examples: { page: { email: 'bot@example.com', password: 'a good password' } } },
  answer: newSessionAnswer,
  errors: { 503: ['busy'] },
  handle: (parts: AuthParts) => {
    const requireOurPage = createOriginCheck(parts.config);
    return async (ctx) => {
      requireOurPage(ctx);
      const { user, guesser, secondFactorAt } = await passLogin(ctx, parts, 'browser');
      await answerNewSession(ctx, parts, { user, deviceId: guesser.deviceId, secondFactorAt });
    };
  },
});

// POST /v1/auth/session/link `{link_token}`: logs a browser of this machine in by a link that bin/start or an operator's
// command has printed. A link is good once and for an hour, only where no other machine reaches the exchange, and not for a
// user with a second factor: it stands for a password alone.

const readBody = compileReader(Type.Object({ link_token: LinkToken }, { expected: 'an object' }));

export const openLinkedSessionEndpoint = endpoint({
  id: 'openLinkedSession',
  method: 'post',
  path: '/v1/auth/session/link',
  tag: 'Users',
  summary: 'Logs a browser of this machine in by a one-time link.',
  description:
    '`bin/start` prints such a link for the demo account, `bin/admin user login-link` one for any user without a second factor. It is good once, for an hour, and only where no other machine reaches the exchange.',
  credential: 'none',
  asks: ['ownPage', 'ownMachine', 'link'],
  price: CHEAP,
  headers: OurPage,
  body: { schema: readBody.schema, examples: { link: { link_token: 'the token of the link' } } },
  answer: newSessionAnswer,
  handle: (parts: AuthParts) => {
    const { config, redis } = parts;
    const requireOurPage = createOriginCheck(config);
    const reached = reachedByOthers(config);
    return async (ctx) => {
      requireOurPage(ctx);
      const { link_token: token } = readBody(await parts.readBody(ctx));
      if (reached !== undefined) throw mayNot('only_on_this_machine', `Links log in on one machine only, and ${reached}.`);
      await countCookie(ctx, parts);
      const user = await ownerOf(await takeLoginLink(redis, token), parts);
      await recordAudit(ctx, parts, { userId: user._id, action: 'login', outcome: 'ok', actor: 'login link', detail: 'browser' });
      await answerNewSession(ctx, parts, { user });
    };
  },
});

/** @throws {RequestError} 401 for a link that opens nothing */
async function ownerOf(userId: string | undefined, { users, secondFactors }: AuthParts): Promise<User> {
  const user = userId === undefined ? null : await users.findById(userId);
  if (user !== null && (await secondFactors.find(user._id)) === undefined) return user;
  throw mayNot('invalid_link', 'This link is not valid, was used before, or is older than an hour.');
}

/**
 * DELETE /v1/auth/session: logs a browser out by its cookie, also where its access token is over. Any value that was ever given
 * for the session does: to end it is all that it can still do.
 */
export const endBrowserSessionEndpoint = endpoint({
  id: 'endBrowserSession',
  method: 'delete',
  path: '/v1/auth/session',
  tag: 'Users',
  summary: 'Logs a browser out.',
  credential: 'cookie',
  asks: ['ownPage'],
  price: CHEAP,
  headers: OurPage,
  answer: { about: 'The session has ended, with all of its access tokens.', schema: Message, setsCookie: true },
  handle: (parts: AuthParts) => {
    const { config, sessions, credentials } = parts;
    const requireOurPage = createOriginCheck(config);
    return async (ctx) => {
      requireOurPage(ctx);
      await countCookie(ctx, parts);
      takeCookie(ctx, parts);
      const shown = shownBy(ctx, parts);
      const found = shown && (await findShown(shown, parts));
      if (found === undefined) throw noSession();
      const { _id, userId } = found.session;
      if (!(await sessions.end(userId, _id))) throw noSession();
      await credentials.announceChange(userId, []);
      await recordAudit(ctx, parts, { userId, action: 'logout', outcome: 'ok' });
      answerJson(ctx, { message: 'You are logged out.' });
    };
  },
});
