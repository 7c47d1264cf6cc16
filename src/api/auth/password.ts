// The password of a user: the endpoints that change it, mail a link for a forgotten one, and set a new one by that link.

import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { MINUTE_MS } from '../../shared/domain/units.ts';
import { RequestError } from '../../shared/errors.ts';
import { compareAndSet } from '../../shared/mongo/compareAndSet.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { requireToken } from '../access/callerChecks.ts';
import { digestOf } from '../access/credentials.ts';
import { networkOf, type RouteContext } from '../access/requestContext.ts';
import { Message } from '../contract/answerValues.ts';
import { mayNot } from '../contract/whoMay.ts';
import { HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import { compileReader } from '../http/requestReader.ts';
import { countAccount, countAddress } from './acts/attemptLimits.ts';
import { EmailText, LinkToken, NewPassword, PasswordText, toEmail } from './acts/credentialsBody.ts';
import { sendNotice } from './acts/notices.ts';
import { isVerified, requireLiveUser, requirePassword } from './acts/userChecks.ts';
import { linkOf } from './linkPages.ts';
import type { AuthParts } from './parts/authParts.ts';
import { refuseWeakPassword } from './parts/passwords.ts';
import { keepSession, LoginAnswer, refreshSession, sessionsBusy, toLoginAnswer } from './sessionLife.ts';

// POST /v1/auth/change-password `{current_password, new_password}`: ends every session but the one that asks, and answers like
// login. API keys live on.

/** How often the user is read again whose sessions were ended by other requests meanwhile. */
const TRIES = 30;

const readChange = compileReader(
  Type.Object({ current_password: PasswordText, new_password: NewPassword }, { expected: 'an object' }),
);

export const changePasswordEndpoint = endpoint({
  id: 'changePassword',
  method: 'post',
  path: '/v1/auth/change-password',
  tag: 'Users',
  summary: 'Sets a new password and ends every other session.',
  credential: 'token',
  asks: ['password'],
  price: HEAVY,
  body: {
    schema: readChange.schema,
    examples: { change: { current_password: 'a good password', new_password: 'a better password' } },
  },
  answer: { about: 'An access token.', schema: LoginAnswer },
  errors: { 400: ['weak_password'], 409: ['password_changed'], 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { passwords } = parts;
    const { user } = await requireLiveUser(ctx, parts);
    const { current_password: password, new_password: newPassword } = readChange(await parts.readBody(ctx));
    await requirePassword(ctx, parts, { user, password, action: 'password.change' });
    refuseWeakPassword(newPassword, user.email);
    const passwordHash = await passwords.hash(newPassword, { subject: user._id, isKnown: true });
    const changed = await change(ctx, parts, { user, passwordHash });
    const { session: kept } = await keepSession(ctx, parts, changed);
    const session = kept && (await refreshSession(ctx, parts, changed, kept));
    // Hashing takes a while, in which another request may have ended the session that asks.
    if (session === null) throw mayNot('invalid_token', 'This session has ended: log in.');
    await recordAudit(ctx, parts, { userId: user._id, action: 'password.change', outcome: 'ok' });
    sendNotice(ctx, parts, { user, kind: 'password.change' });
    answerJson(ctx, await toLoginAnswer(changed, session, parts));
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
  return compareAndSet({ tries: TRIES, busy: sessionsBusy }, async () => {
    const { user } = await requireLiveUser(ctx, parts);
    if (user.passwordHash !== from)
      throw new RequestError(409, 'password_changed', 'The password has just been changed by another request.');
    const knownNetworks = [await parts.networks.digestOf(user, networkOf(ctx))];
    return parts.users.changePassword(user, { passwordHash, keptTokenId: requireToken(ctx).id, knownNetworks });
  });
}

// POST /v1/auth/forgot-password `{email}`: sends a mail with a link to set a new password, if a user has that address. The
// answer is the same for any address. It does not wait for the work that depends on the address: the look-up, the token, the
// mail. A user has a few links in force at most, and while there are so many no other is mailed: strangers can neither fill a
// mailbox nor use up what its owner may ask for, because a link that works is in it.

const TOKEN_BYTES = 32;
const TOKEN_TTL_MINUTES = 30;

const readForgotten = compileReader(Type.Object({ email: EmailText }, { expected: 'an object' }));

export const forgotPasswordEndpoint = endpoint({
  id: 'forgotPassword',
  method: 'post',
  path: '/v1/auth/forgot-password',
  tag: 'Users',
  summary: 'A mail with a link to set a new password, if somebody has this address.',
  credential: 'none',
  price: HEAVY,
  body: { schema: readForgotten.schema, examples: { bot: { email: 'bot@example.com' } } },
  answer: { about: 'The same for any address.', schema: Message },
  errors: { 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const email = toEmail(readForgotten(await parts.readBody(ctx)).email);
    await countAddress(ctx, parts, 'forgot');
    await countAccount(ctx, parts, 'forgot', email);
    const isTaken = parts.background.start({
      ...{ name: 'a link to reset a password', requestId: ctx.state.request.requestId },
      run: () => sendLink(ctx, parts, email),
    });
    if (!isTaken) {
      throw new RequestError(503, 'busy', 'Too many requests at the moment. Try again in a few seconds.', { 'Retry-After': '3' });
    }
    answerJson(ctx, { message: 'If somebody has this address here, a mail with a link to set a new password is on its way.' });
  },
});

/** A token that never arrived does no harm: it is known to no client and expires. */
async function sendLink(ctx: RouteContext, parts: AuthParts, email: string): Promise<void> {
  const { users, mails, config, log, now } = parts;
  const user = await users.findByEmail(email);
  if (user === null) return;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expiresAt = new Date(now() + TOKEN_TTL_MINUTES * MINUTE_MS);
  const { requestId } = ctx.state.request;
  if (!(await users.addResetToken(user._id, { digest: digestOf(token), expiresAt }, new Date(now())))) {
    log.info({ requestId, userId: user._id }, 'no further link is mailed: several that were mailed are still in force');
    return;
  }
  const act = { userId: user._id, action: 'password.reset_requested', actor: 'anonymous', once: requestId } as const;
  await recordAudit(ctx, parts, { ...act, outcome: 'ok' });
  const text = mailText(linkOf(config.PASSWORD_RESET_URL, token));
  mails.send({ to: user.email, subject: 'Set a new password', text }, { name: 'a mail to reset a password', requestId });
}

const mailText = (link: string): string => `Somebody, hopefully you, has asked for a new password for the account of this address.
To set one, open this link within ${TOKEN_TTL_MINUTES} minutes. It works once:

${link}

If it was not you, do nothing: your password stays as it is.`;

// POST /v1/auth/reset-password `{token, new_password, revoke_keys}`: a valid token of a password mail sets a new password,
// once, and ends every access token of the user. API keys live on, unless they are to be revoked, or the address was never
// verified: the account may then be that of a stranger who registered with it, and its second factor goes too. Who reads the
// mail has the address, so it is verified afterwards.

const readReset = compileReader(
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
    schema: readReset.schema,
    examples: { link: { token: 'the token of the link in the mail', new_password: 'a better password' } },
  },
  answer: { about: 'The new password is set.', schema: Message },
  errors: { 400: ['invalid_reset_token', 'weak_password'], 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { users, sessions, passwords, credentials, now } = parts;
    const { token, new_password: newPassword, revoke_keys: asksToRevoke = false } = readReset(await parts.readBody(ctx));
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

// Revokes the keys of a user whose password was reset, those that existed by then. The reset itself has raised the user's epoch
// of keys, so that none of them works from that moment on; this gives their places back. A process that dies in between leaves
// a mark: the next login ends the work.

/** Does nothing for a user without the mark. */
export async function revokeMarkedKeys(
  ctx: RouteContext,
  parts: Pick<AuthParts, 'keys' | 'users' | 'credentials' | 'audit' | 'log' | 'now'>,
  user: User,
): Promise<void> {
  if (user.keysToRevoke !== true) return;
  const { keys, users, credentials, now } = parts;
  const digests = await keys.revokeAll(user._id, new Date(now()), user.keyEpoch ?? 0);
  await users.keysRevoked(user);
  await credentials.announceChange(user._id, digests);
  const act = { userId: user._id, action: 'api_key.revoked', actor: 'reset link', detail: `all (${digests.length})` } as const;
  if (digests.length > 0) await recordAudit(ctx, parts, { ...act, outcome: 'ok' });
}
