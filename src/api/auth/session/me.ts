// GET /v1/auth/me: the profile of the token's user, with the account's address and how far it is paid for.

import { Type } from '@sinclair/typebox';
import { paidUntilOf } from '../../../shared/access/subscription.ts';
import { expiryOf, subscriptionStateOf } from '../../../shared/domain/billing/subscription.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import {
  Address,
  type AnswerFor,
  exactly,
  IsoTime,
  orNull,
  PlanName,
  SubscriptionStatus,
  UserId,
  UserRoleName,
} from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { named } from '../../contract/named.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { endpoint } from '../../http/endpoint.ts';
import { type AuthParts, requireUser } from '../authParts.ts';
import { isVerified } from '../email/requireVerified.ts';

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
