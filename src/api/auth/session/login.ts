// POST /v1/auth/login `{email, password}`: gives an access token. Neither the text nor the time of a refusal shows
// whether the address or the password was wrong.
import { RequestError } from '../../../shared/errors.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/answerJson.ts';
import { countAccount, countAddress } from '../attemptLimits.ts';
import type { AuthParts, AuthRouter } from '../authParts.ts';
import { compileCredentials, PasswordText } from '../credentialsBody.ts';
import { LoginAnswer, toLoginAnswer } from '../loginAnswer.ts';
import { recordAudit } from '../recordAudit.ts';

const readBody = compileCredentials(PasswordText);

export const loginEndpoint = endpoint({
  id: 'login',
  method: 'post',
  path: '/v1/auth/login',
  tag: 'Accounts',
  summary: 'An access token for a password.',
  credential: 'none',
  body: { schema: readBody.schema, examples: { bot: { email: 'bot@example.com', password: 'a good password' } } },
  answer: { about: 'An access token.', schema: LoginAnswer },
  errors: { 401: ['invalid_credentials'], 503: ['busy'] },
});

export function mountLogin(router: AuthRouter, parts: AuthParts): void {
  const { users, passwords, tokens, background } = parts;
  router.post(loginEndpoint.path, async (ctx) => {
    const { email, password } = readBody(await parts.readBody(ctx));
    await countAddress(ctx, parts, 'password');
    await countAccount(ctx, parts, 'password', email);
    const user = await users.findByEmail(email);
    const isRight = await passwords.verify(password, user?.passwordHash);
    if (user === null || !isRight) {
      // The answer does not wait for the row: it would come later for a known user than for an unknown one.
      if (user !== null) {
        const failed = { userId: user._id, action: 'login', outcome: 'refused', actor: 'anonymous' } as const;
        const run = (): Promise<void> => recordAudit(ctx, parts, failed);
        background.start({ name: 'noting a failed login', requestId: ctx.state.request.requestId, run });
      }
      throw new RequestError(401, 'invalid_credentials', 'The e-mail address or the password is wrong.');
    }
    await recordAudit(ctx, parts, { userId: user._id, action: 'login', outcome: 'ok' });
    answerJson(ctx, await toLoginAnswer(user, tokens));
  });
}
