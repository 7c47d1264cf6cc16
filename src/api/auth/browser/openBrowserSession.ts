// POST /v1/auth/session `{email, password, code?}`: logs a browser in. The page gets an access token for minutes, which it
// keeps in memory; the session lives on in a cookie that no script can read. It is always a new session: a cookie that came
// along, however it got into the browser, ends its own.
import type { RouteContext } from '../../access/requestContext.ts';
import { exactly } from '../../contract/answerValues.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/answerJson.ts';
import { createOriginCheck } from '../../http/browser/sameOrigin.ts';
import type { AuthParts, AuthRouter } from '../authParts.ts';
import { LoginAnswer, tokenSeconds, toLoginAnswer } from '../loginAnswer.ts';
import { recordAudit } from '../recordAudit.ts';
import { SECOND_FACTOR_ERRORS } from '../secondFactor/requireSecondFactor.ts';
import { beginSession } from '../session/beginSession.ts';
import { passLogin, readLogin } from '../session/passLogin.ts';
import { CROSS_SITE, ExpiresIn, OurPage } from './browserContract.ts';
import { findShown, giveCookie, shownBy } from './browserCookie.ts';
import { firstCookie } from './refreshCookies.ts';

export const openBrowserSessionEndpoint = endpoint({
  id: 'openBrowserSession',
  method: 'post',
  path: '/v1/auth/session',
  tag: 'Users',
  summary: 'Logs a browser in: an access token, and a cookie that renews it.',
  description: 'For pages of this deployment. Programs use `/v1/auth/login`. A session that the browser had ends.',
  credential: 'none',
  headers: OurPage,
  body: { schema: readLogin.schema, examples: { page: { email: 'bot@example.com', password: 'a good password' } } },
  answer: {
    about: 'An access token of a new session.',
    schema: exactly({ ...LoginAnswer.properties, expires_in: ExpiresIn }),
    setsCookie: true,
  },
  errors: { 401: ['invalid_credentials', ...SECOND_FACTOR_ERRORS], 403: CROSS_SITE, 503: ['busy'] },
});

export function mountOpenBrowserSession(router: AuthRouter, parts: AuthParts): void {
  const { config, now } = parts;
  const requireOurPage = createOriginCheck(config);
  router.post(openBrowserSessionEndpoint.path, async (ctx) => {
    requireOurPage(ctx);
    const { user, guesser, secondFactorAt } = await passLogin(ctx, parts, 'browser');
    const cookie = firstCookie(now());
    const session = await beginSession(ctx, parts, user, { cookie, ...(secondFactorAt && { secondFactorAt }) });
    await endEarlier(ctx, parts);
    await giveCookie(ctx, parts, session);
    const answer = await toLoginAnswer(user, session, parts, guesser.deviceId);
    answerJson(ctx, { ...answer, expires_in: tokenSeconds(session, parts) });
  });
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
