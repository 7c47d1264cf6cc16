// The user behind an access token: the profile, and the end of user and accounts.

import { Type } from '@sinclair/typebox';
import { accountAddresses } from '../../shared/access/subAccountAddress.ts';
import { paidUntilOf } from '../../shared/access/subscription.ts';
import { expiryOf, subscriptionStateOf } from '../../shared/domain/billing/subscription.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { RouteContext } from '../access/requestContext.ts';
import {
  Address,
  type AnswerFor,
  exactly,
  IsoTime,
  Message,
  orNull,
  PlanName,
  SubscriptionStatus,
  UserId,
  UserRoleName,
} from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import { compileReader } from '../http/requestReader.ts';
import { CodeText, PasswordText } from './acts/credentialsBody.ts';
import { sendNotice } from './acts/notices.ts';
import { isVerified, requireLiveUser, requirePassword, requireSecondFactor, requireUser } from './acts/userChecks.ts';
import type { AuthParts } from './parts/authParts.ts';

// GET /v1/auth/me: the profile of the token's user, with the account's address and how far it is paid for.

const Profile = named(
  'Profile',
  exactly({
    id: UserId,
    email: Type.String({ examples: ['bot@example.com'] }),
    email_verified: described(Type.Boolean(), 'A link in a mail to the address was opened.'),
    plan: PlanName,
    address: described(Address, 'Address of the trading account.'),
    subscription_status: SubscriptionStatus,
    trial_expires_at: IsoTime,
    subscription_expires_at: orNull(IsoTime),
    trading_ends_at: described(
      IsoTime,
      'From then on the account is read only, unless something is paid: with the grace after paid time.',
    ),
    payment_required: Type.Boolean(),
    roles: described(Type.Array(UserRoleName), 'What the user may do beside being one.'),
    created_at: IsoTime,
  }),
);

export const meEndpoint = endpoint({
  id: 'showProfile',
  method: 'get',
  path: '/v1/auth/me',
  tag: 'Users',
  summary: 'The user behind an access token.',
  credential: 'token',
  price: CHEAP,
  answer: { about: 'The profile.', schema: Profile },
  handle: (parts: AuthParts) => async (ctx) => {
    answerJson(ctx, toProfile(await requireUser(ctx, parts), parts));
  },
});

function toProfile(user: User, { config, now }: AuthParts): AnswerFor<typeof Profile> {
  const paidUntil = paidUntilOf(user, config);
  const status = subscriptionStateOf(paidUntil, now());
  return {
    id: user._id,
    email: user.email,
    email_verified: isVerified(user),
    plan: user.plan,
    address: user.address,
    subscription_status: status,
    trial_expires_at: user.trialExpiresAt.toISOString(),
    subscription_expires_at: user.subscriptionExpiresAt?.toISOString() ?? null,
    trading_ends_at: new Date(expiryOf(paidUntil)).toISOString(),
    payment_required: status === 'expired' || status === 'past_due',
    roles: [...(user.roles ?? [])],
    created_at: user.createdAt.toISOString(),
  };
}

// DELETE /v1/auth/account `{password, code?}`: removes the user with all keys and tokens and closes all trading accounts; the
// e-mail address may register again, without a trial. The audit log and the payments stay; the job `retention` removes keys and
// history. Each step may be repeated, and the user's document goes last: after an error the user can still log in and repeat
// the request.

/** Accounts of a user that are closed at the same time. */
const CLOSED_AT_ONCE = 10;

const readBody = compileReader(Type.Object({ password: PasswordText, code: Type.Optional(CodeText) }, { expected: 'an object' }));

export const deleteAccountEndpoint = endpoint({
  id: 'deleteAccount',
  method: 'delete',
  path: '/v1/auth/account',
  tag: 'Users',
  summary: 'Deletes the user and closes the trading accounts.',
  credential: 'token',
  asks: ['password', 'secondFactor'],
  price: CHEAP,
  body: { schema: readBody.schema, examples: { confirmed: { password: 'a good password' } } },
  answer: { about: 'The user is gone.', schema: Message },
  errors: { 503: ['busy'] },
  reachesAccount: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const { users, trials, deletedUsers, keys, sessions, secondFactors, credentials, accounts, now } = parts;
    const live = await requireLiveUser(ctx, parts);
    const { user } = live;
    const { password, code } = readBody(await parts.readBody(ctx));
    await requirePassword(ctx, parts, { user, password, action: 'account.deleted' });
    await requireSecondFactor(ctx, parts, { ...live, code });
    const { _id: userId } = user;
    const digests = await keys.revokeAll(userId, new Date(now()));
    await credentials.announceChange(userId, digests);
    // Requests that were admitted before may make one more.
    const counted = (await users.findById(userId)) ?? user;
    await closeAll(ctx, accounts, accountAddresses(counted));
    await recordAudit(ctx, parts, { userId, action: 'account.deleted', outcome: 'ok' });
    await trials.keep(user, new Date(now()));
    await deletedUsers.note(counted, new Date(now()));
    const removed = await users.remove(userId);
    if (removed !== null) await deletedUsers.note(removed, new Date(now()));
    await sessions.removeAllOf([userId]);
    await secondFactors.remove(userId);
    await credentials.announceChange(userId, []);
    // Who registers another person's address and deletes it, again and again, must not fill that mailbox.
    if (isVerified(user)) sendNotice(ctx, parts, { user, kind: 'account.deleted' });
    answerJson(ctx, { message: 'The account is deleted.' });
  },
});

/** Some at a time. One that was never opened stays so. @throws {RequestError} as the gateway does */
async function closeAll(ctx: RouteContext, accounts: AuthParts['accounts'], addresses: readonly string[]): Promise<void> {
  const { requestId, trace } = ctx.state.request;
  for (let i = 0; i < addresses.length; i += CLOSED_AT_ONCE) {
    const closing = addresses.slice(i, i + CLOSED_AT_ONCE);
    const options = { requestId, trace, staysUnopened: true } as const;
    await Promise.all(closing.map((address) => accounts.send(address, { type: 'closeAccount' }, options)));
  }
}
