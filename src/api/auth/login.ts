// POST /v1/auth/login `{email, password}`: an access token. Whether the address or the password was wrong shows neither in
// the text nor in the time.
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import { answerJson } from '../jsonAnswer.ts';
import type { AuthParts, AuthRouter } from './authParts.ts';
import { compileCredentials } from './credentialsBody.ts';
import { toLoginAnswer } from './loginAnswer.ts';

const readBody = compileCredentials(Type.String({ minLength: 1, maxLength: 128, expected: 'a text of at most 128 characters' }));

export function mountLogin(router: AuthRouter, parts: AuthParts): void {
  const { users, passwords, tokens } = parts;
  router.post('/v1/auth/login', async (ctx) => {
    const { email, password } = readBody(await parts.readBody(ctx));
    const user = await users.findByEmail(email);
    const isRight = await passwords.verify(password, user?.passwordHash);
    if (user === null || !isRight)
      throw new RequestError(401, 'invalid_credentials', 'The e-mail address or the password is wrong.');
    answerJson(ctx, await toLoginAnswer(user, tokens));
  });
}
