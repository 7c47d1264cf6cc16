// POST /v1/auth/login `{email, password, code?}`: begins a session and gives an access token of it, for programs. Pages log
// in by POST /v1/auth/session.

import { HEAVY } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { AuthParts } from '../authParts.ts';
import { LoginAnswer, toLoginAnswer } from '../loginAnswer.ts';
import { SECOND_FACTOR_ERRORS } from '../secondFactor/requireSecondFactor.ts';
import { beginSession } from './beginSession.ts';
import { passLogin, readLogin } from './passLogin.ts';

export const loginEndpoint = endpoint({
  id: 'login',
  method: 'post',
  path: '/v1/auth/login',
  tag: 'Users',
  summary: 'An access token for a password.',
  description: 'With the `device_token` of an earlier answer, wrong guesses of others do not use up this device’s attempts.',
  credential: 'none',
  price: HEAVY,
  body: { schema: readLogin.schema, examples: { bot: { email: 'bot@example.com', password: 'a good password' } } },
  answer: { about: 'An access token.', schema: LoginAnswer },
  errors: { 401: ['invalid_credentials', ...SECOND_FACTOR_ERRORS], 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { user, guesser, secondFactorAt } = await passLogin(ctx, parts);
    const session = await beginSession(ctx, parts, user, secondFactorAt && { secondFactorAt });
    answerJson(ctx, await toLoginAnswer(user, session, parts, guesser.deviceId));
  },
});
