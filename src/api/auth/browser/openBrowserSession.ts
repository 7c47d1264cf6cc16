// POST /v1/auth/session `{email, password, code?}`: logs a browser in. The page gets an access token for minutes, which it
// keeps in memory; the session lives on in a cookie that no script can read.

import { CHEAP } from '../../domain/requestPrice.ts';
import { createOriginCheck } from '../../http/browser.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { AuthParts } from '../authParts.ts';
import { SECOND_FACTOR_ERRORS } from '../secondFactor/requireSecondFactor.ts';
import { passLogin, readLogin } from '../session/passLogin.ts';
import { answerNewSession, newSessionAnswer } from './answerNewSession.ts';
import { CROSS_SITE, OurPage } from './browserContract.ts';

export const openBrowserSessionEndpoint = endpoint({
  id: 'openBrowserSession',
  method: 'post',
  path: '/v1/auth/session',
  tag: 'Users',
  summary: 'Logs a browser in: an access token, and a cookie that renews it.',
  description: 'For pages of this deployment. Programs use `/v1/auth/login`. A session that the browser had ends.',
  credential: 'none',
  price: CHEAP,
  headers: OurPage,
  body: { schema: readLogin.schema, examples: { page: { email: 'bot@example.com', password: 'a good password' } } },
  answer: newSessionAnswer,
  errors: { 401: ['invalid_credentials', ...SECOND_FACTOR_ERRORS], 403: CROSS_SITE, 503: ['busy'] },
  handle: (parts: AuthParts) => {
    const requireOurPage = createOriginCheck(parts.config);
    return async (ctx) => {
      requireOurPage(ctx);
      const { user, guesser, secondFactorAt } = await passLogin(ctx, parts, 'browser');
      await answerNewSession(ctx, parts, { user, deviceId: guesser.deviceId, secondFactorAt });
    };
  },
});
