// POST /v1/auth/change-password `{current_password, new_password}`: ends every access token but the one that came with the
// request, and answers like login. API keys live on.
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import { requireToken } from '../../access/requestContext.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/answerJson.ts';
import { compileReader } from '../../http/requestReader.ts';
import { type AuthParts, type AuthRouter, requireUser } from '../authParts.ts';
import { NewPassword, PasswordText } from '../credentialsBody.ts';
import { LoginAnswer, toLoginAnswer } from '../loginAnswer.ts';
import { recordAudit } from '../recordAudit.ts';
import { requirePassword } from './requirePassword.ts';

const readBody = compileReader(
  Type.Object({ current_password: PasswordText, new_password: NewPassword }, { expected: 'an object' }),
);

export const changePasswordEndpoint = endpoint({
  id: 'changePassword',
  method: 'post',
  path: '/v1/auth/change-password',
  tag: 'Accounts',
  summary: 'Sets a new password and ends every other access token.',
  credential: 'token',
  body: {
    schema: readBody.schema,
    examples: { change: { current_password: 'a good password', new_password: 'a better password' } },
  },
  answer: { about: 'An access token.', schema: LoginAnswer },
  errors: { 401: ['invalid_credentials'], 409: ['password_changed'], 503: ['busy'] },
});

export function mountChangePassword(router: AuthRouter, parts: AuthParts): void {
  const { users, passwords, credentials, tokens } = parts;
  router.post(changePasswordEndpoint.path, async (ctx) => {
    const user = await requireUser(ctx, parts);
    const { current_password: password, new_password: newPassword } = readBody(await parts.readBody(ctx));
    await requirePassword(ctx, parts, { user, password, action: 'password.change' });
    const passwordHash = await passwords.hash(newPassword);
    const keptTokenId = requireToken(ctx).id;
    const changed = await users.changePassword(user, { passwordHash, keptTokenId });
    if (changed === null)
      throw new RequestError(409, 'password_changed', 'The password has just been changed by another request.');
    await credentials.announceChange(user._id, []);
    await recordAudit(ctx, parts, { userId: user._id, action: 'password.change', outcome: 'ok' });
    answerJson(ctx, await toLoginAnswer(changed, tokens));
  });
}
