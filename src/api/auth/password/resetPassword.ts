// POST /v1/auth/reset-password `{token, new_password, revoke_keys}`: a valid token of a password mail sets a new
// password, once, and ends every access token of the user. API keys live on, unless they are to be revoked, or the
// address was never verified: the account may then be that of a stranger who registered with it, and its second factor
// goes too. Who reads the mail has
// the address, so it is verified afterwards.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { digestOf } from '../../access/credentials.ts';
import { networkOf, type RouteContext } from '../../access/requestContext.ts';
import { Message } from '../../contract/answerValues.ts';
import { HEAVY } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { compileReader } from '../../http/requestReader.ts';
import { sendNotice } from '../../mail/notices.ts';
import { countAddress } from '../attemptLimits.ts';
import type { AuthParts } from '../authParts.ts';
import { LinkToken, NewPassword } from '../credentialsBody.ts';
import { isVerified } from '../email/requireVerified.ts';
import { revokeMarkedKeys } from './revokeKeys.ts';
import { refuseWeakPassword } from './weakPasswords.ts';

const readBody = compileReader(
  Type.Object(
    {
      token: LinkToken,
      new_password: NewPassword,
      revoke_keys: Type.Optional(Type.Boolean({ expected: 'true or false', description: 'Revokes all API keys.' })),
    },
    { expected: 'an object' },
  ),
);

export const resetPasswordEndpoint = endpoint({
  id: 'resetPassword',
  method: 'post',
  path: '/v1/auth/reset-password',
  tag: 'Users',
  summary: 'Sets a new password with the token of the mail, and ends every access token.',
  description: 'API keys are revoked with `revoke_keys`, and always where the e-mail address was not verified before. It is now.',
  credential: 'none',
  price: HEAVY,
  body: {
    schema: readBody.schema,
    examples: { link: { token: 'the token of the link in the mail', new_password: 'a better password' } },
  },
  answer: { about: 'The new password is set.', schema: Message },
  errors: { 400: ['invalid_reset_token', 'weak_password'], 503: ['busy'] },
  handle: (parts: AuthParts) => {
    const { users, sessions, passwords, credentials, now } = parts;
    return async (ctx) => {
      const { token, new_password: newPassword, revoke_keys: asksToRevoke = false } = readBody(await parts.readBody(ctx));
      await countAddress(ctx, parts, 'reset');
      const digest = digestOf(token);
      const owner = await users.findByResetToken(digest, new Date(now()));
      if (owner === null) throw invalidToken();
      refuseWeakPassword(newPassword, owner.email);
      const passwordHash = await passwords.hash(newPassword, { subject: owner._id, isKnown: true });
      const revokesKeys = asksToRevoke || !isVerified(owner);
      const reset = { digest, passwordHash, at: new Date(now()), verifies: !isVerified(owner), revokesKeys };
      // Before and after: a reset whose process dies leaves no factor, and none is confirmed while it is at work.
      await endStrangersFactor(ctx, parts, owner);
      const user = await users.resetPassword(reset);
      if (user === null) throw invalidToken();
      await endStrangersFactor(ctx, parts, owner);
      await sessions.keepOnly(user._id, undefined, user.tokenGeneration ?? 0);
      await credentials.announceChange(user._id, []);
      await recordAudit(ctx, parts, { userId: user._id, action: 'password.reset', outcome: 'ok', actor: 'reset link' });
      await revokeMarkedKeys(ctx, parts, user);
      await parts.networks.add(user, networkOf(ctx));
      sendNotice(ctx, parts, { user, kind: 'password.reset', subject: revokesKeys ? 'all revoked' : 'they work on' });
      const keys = revokesKeys ? 'All API keys are revoked.' : 'API keys work on.';
      answerJson(ctx, { message: `The new password is set. Log in with it. ${keys}` });
    };
  },
});

/** Who turned a second factor on before the address was verified may be a stranger: the owner of the address could not log in. */
async function endStrangersFactor(ctx: RouteContext, parts: AuthParts, user: User): Promise<void> {
  const { _id: userId, emailVerifiedAt } = user;
  if (emailVerifiedAt !== null || !(await parts.secondFactors.remove(userId))) return;
  const act = {
    userId,
    action: 'second_factor.off',
    outcome: 'ok',
    actor: 'reset link',
    detail: 'address was not verified',
  } as const;
  await recordAudit(ctx, parts, act);
  sendNotice(ctx, parts, { user, kind: 'second_factor.off' });
}

const invalidToken = (): RequestError =>
  new RequestError(400, 'invalid_reset_token', 'This link is not valid, was used before, or is older than 30 minutes.');
