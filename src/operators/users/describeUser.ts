// What an operator needs to know about a user who asks for help. It has no password hash and no key.
import { subAccountAddresses } from '../../shared/access/subAccountAddress.ts';
import { paidUntilOf } from '../../shared/access/subscription.ts';
import { subscriptionStateOf } from '../../shared/domain/billing/subscription.ts';
import { SecondFactorStore } from '../../shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../../shared/mongo/sessionStore.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { OperatorParts } from '../operatorParts.ts';

/** A user in a list. */
export function summaryOf({ config, now }: OperatorParts['billing'], user: User) {
  return {
    id: user._id,
    email: user.email,
    address: user.address,
    plan: user.plan,
    status: subscriptionStateOf(paidUntilOf(user, config), now()),
    roles: [...(user.roles ?? [])],
    created_at: user.createdAt.toISOString(),
    trial_expires_at: user.trialExpiresAt.toISOString(),
    subscription_expires_at: user.subscriptionExpiresAt?.toISOString() ?? null,
  };
}

/** A user with keys and sessions. */
export async function describeUser({ billing, mongo }: OperatorParts, user: User) {
  const [active, sessions, factor] = await Promise.all([
    billing.keys.listActive(user._id),
    new SessionStore(mongo).listOf(user._id),
    new SecondFactorStore(mongo).find(user._id),
  ]);
  return {
    ...summaryOf(billing, user),
    sub_accounts: subAccountAddresses(user.address, user.subAccountsMade ?? 0),
    expired_at: user.expiredAt?.toISOString() ?? null,
    closed_at: user.closedAt?.toISOString() ?? null,
    email_verified: user.emailVerifiedAt instanceof Date,
    second_factor: factor?.confirmedAt !== undefined,
    api_keys: active.map((key) => ({
      id: key._id,
      name: key.name,
      key_prefix: key.prefix,
      account: key.account ?? null,
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
    })),
    sessions: sessions.map(({ _id: id, createdAt, usedAt, address, agent }) => ({
      ...{ id, created_at: createdAt.toISOString(), last_used_at: usedAt.toISOString(), address, agent },
    })),
  };
}
