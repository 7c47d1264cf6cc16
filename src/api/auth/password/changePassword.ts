// POST /v1/auth/change-password `{current_password, new_password}`: ends every session but the one that asks, and answers
// like login. API keys live on.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { networkOf, type RouteContext, requireToken } from '../../access/requestContext.ts';
import { HEAVY } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { compileReader } from '../../http/requestReader.ts';
import { sendNotice } from '../../mail/notices.ts';
import type { AuthParts } from '../authParts.ts';
import { NewPassword, PasswordText } from '../credentialsBody.ts';
import { LoginAnswer, toLoginAnswer } from '../loginAnswer.ts';
import { refreshSession } from '../session/beginSession.ts';
import { keepSession } from '../session/keepSession.ts';
import { requireLiveUser } from '../session/requireLiveUser.ts';
import { requirePassword } from './requirePassword.ts';
import { refuseWeakPassword } from './weakPasswords.ts';

/** How often the user is read again whose sessions were ended by other requests meanwhile. */
const TRIES = 30;

const readBody = compileReader(
  Type.Object({ current_password: PasswordText, new_password: NewPassword }, { expected: 'an object' }),
);

export const changePasswordEndpoint = endpoint({
  id: 'changePassword',
  method: 'post',
  path: '/v1/auth/change-password',
  tag: 'Users',
  summary: 'Sets a new password and ends every other session.',
  credential: 'token',
  price: HEAVY,
  body: {
    schema: readBody.schema,
    examples: { change: { current_password: 'a good password', new_password: 'a better password' } },
  },
  answer: { about: 'An access token.', schema: LoginAnswer },
  errors: { 400: ['weak_password'], 401: ['invalid_credentials'], 409: ['password_changed'], 503: ['busy'] },
  handle: (parts: AuthParts) => {
    const { passwords } = parts;
    return async (ctx) => {
      const { user } = await requireLiveUser(ctx, parts);
      const { current_password: password, new_password: newPassword } = readBody(await parts.readBody(ctx));
      await requirePassword(ctx, parts, { user, password, action: 'password.change' });
      refuseWeakPassword(newPassword, user.email);
      const passwordHash = await passwords.hash(newPassword, { subject: user._id, isKnown: true });
      const changed = await change(ctx, parts, { user, passwordHash });
      const { session: kept } = await keepSession(ctx, parts, changed);
      const session = kept && (await refreshSession(ctx, parts, changed, kept));
      // Hashing takes a while, in which another request may have ended the session that asks.
      if (session === null) throw new RequestError(401, 'invalid_token', 'This session has ended: log in.');
      await recordAudit(ctx, parts, { userId: user._id, action: 'password.change', outcome: 'ok' });
      sendNotice(ctx, parts, { user, kind: 'password.change' });
      answerJson(ctx, await toLoginAnswer(changed, session, parts));
    };
  },
});

/**
 * Hashing takes a while, in which the session that asks may have been ended: then it changes nothing.
 * @throws {RequestError} 401 then, 409 when another request has changed the password
 */
async function change(
  ctx: RouteContext,
  parts: AuthParts,
  { user: { passwordHash: from }, passwordHash }: { user: User; passwordHash: string },
): Promise<User> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { user } = await requireLiveUser(ctx, parts);
    if (user.passwordHash !== from)
      throw new RequestError(409, 'password_changed', 'The password has just been changed by another request.');
    const knownNetworks = [await parts.networks.digestOf(user, networkOf(ctx))];
    const changed = await parts.users.changePassword(user, { passwordHash, keptTokenId: requireToken(ctx).id, knownNetworks });
    if (changed !== null) return changed;
  }
  throw new RequestError(503, 'busy', 'Your sessions are being ended by other requests.', { 'Retry-After': '1' });
}
