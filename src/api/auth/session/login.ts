// POST /v1/auth/login `{email, password, code?}`: begins a session and gives an access token of it. Neither the text nor the
// time of a refusal shows whether the address or the password was wrong. A code is asked for after the password was right.
import { RequestError } from '../../../shared/errors.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/answerJson.ts';
import type { AuthParts, AuthRouter } from '../authParts.ts';
import { compileLogin } from '../credentialsBody.ts';
import { noteLogin } from '../devices/noteLogin.ts';
import { countLogin } from '../guessLimits.ts';
import { LoginAnswer, toLoginAnswer } from '../loginAnswer.ts';
import { revokeMarkedKeys } from '../password/revokeKeys.ts';
import { recordAudit } from '../recordAudit.ts';
import { checkLogin, SECOND_FACTOR_ERRORS } from '../secondFactor/requireSecondFactor.ts';
import { beginSession } from './beginSession.ts';

const readBody = compileLogin();

export const loginEndpoint = endpoint({
  id: 'login',
  method: 'post',
  path: '/v1/auth/login',
  tag: 'Accounts',
  summary: 'An access token for a password.',
  description: 'With the `device_token` of an earlier answer, wrong guesses of others do not use up this device’s attempts.',
  credential: 'none',
  body: { schema: readBody.schema, examples: { bot: { email: 'bot@example.com', password: 'a good password' } } },
  answer: { about: 'An access token.', schema: LoginAnswer },
  errors: { 401: ['invalid_credentials', ...SECOND_FACTOR_ERRORS], 503: ['busy'] },
});

export function mountLogin(router: AuthRouter, parts: AuthParts): void {
  const { passwords, background } = parts;
  router.post(loginEndpoint.path, async (ctx) => {
    const { email, password, device_token: deviceToken, code } = readBody(await parts.readBody(ctx));
    const { user, guesser } = await countLogin(ctx, parts, { email, deviceToken });
    const isRight = await passwords.verify(password, user?.passwordHash, guesser.place);
    if (user === null || !isRight) {
      // The answer does not wait for the row: it would come later for a known user than for an unknown one.
      if (user !== null) {
        const failed = { userId: user._id, action: 'login', outcome: 'refused', actor: 'anonymous' } as const;
        const run = (): Promise<void> => recordAudit(ctx, parts, failed);
        background.start({ name: 'noting a failed login', requestId: ctx.state.request.requestId, run });
      }
      throw new RequestError(401, 'invalid_credentials', 'The e-mail address or the password is wrong.');
    }
    const secondFactorAt = await checkLogin(ctx, parts, { user, code, guesser });
    await recordAudit(ctx, parts, { userId: user._id, action: 'login', outcome: 'ok' });
    await revokeMarkedKeys(ctx, parts, user);
    await noteLogin(ctx, parts, { user, guesser });
    const session = await beginSession(ctx, parts, user, secondFactorAt && { secondFactorAt });
    answerJson(ctx, await toLoginAnswer(user, session, parts, guesser.deviceId));
  });
}
