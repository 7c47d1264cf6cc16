// POST /v1/auth/reset-password `{token, new_password}`: a valid token of a password mail sets a new password, once,
// and ends every access token of the user. API keys live on.
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import { digestOf } from '../../access/credentials.ts';
import { Message } from '../../contract/answerValues.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/answerJson.ts';
import { compileReader } from '../../http/requestReader.ts';
import { countAddress } from '../attemptLimits.ts';
import type { AuthParts, AuthRouter } from '../authParts.ts';
import { NewPassword } from '../credentialsBody.ts';
import { recordAudit } from '../recordAudit.ts';

const readBody = compileReader(
  Type.Object(
    { token: Type.String({ minLength: 1, maxLength: 256, expected: 'the token of the link' }), new_password: NewPassword },
    { expected: 'an object' },
  ),
);

export const resetPasswordEndpoint = endpoint({
  id: 'resetPassword',
  method: 'post',
  path: '/v1/auth/reset-password',
  tag: 'Accounts',
  summary: 'Sets a new password with the token of the mail, and ends every access token.',
  credential: 'none',
  body: {
    schema: readBody.schema,
    examples: { link: { token: 'the token of the link in the mail', new_password: 'a better password' } },
  },
  answer: { about: 'The new password is set.', schema: Message },
  errors: { 400: ['invalid_reset_token'], 503: ['busy'] },
});

export function mountResetPassword(router: AuthRouter, parts: AuthParts): void {
  const { users, passwords, credentials, now } = parts;
  router.post(resetPasswordEndpoint.path, async (ctx) => {
    const { token, new_password: newPassword } = readBody(await parts.readBody(ctx));
    await countAddress(ctx, parts, 'reset');
    const digest = digestOf(token);
    if (!(await users.hasResetToken(digest, new Date(now())))) throw invalidToken();
    const passwordHash = await passwords.hash(newPassword);
    const user = await users.resetPassword({ digest, passwordHash, at: new Date(now()) });
    if (user === null) throw invalidToken();
    await credentials.announceChange(user._id, []);
    await recordAudit(ctx, parts, { userId: user._id, action: 'password.reset', outcome: 'ok', actor: 'reset link' });
    answerJson(ctx, { message: 'The new password is set. Log in with it.' });
  });
}

const invalidToken = (): RequestError =>
  new RequestError(400, 'invalid_reset_token', 'This link is not valid, was used before, or is older than 30 minutes.');
