// `bin/admin user`: shows what an operator needs to know about a user who asks for help. It shows no password hash
// and no key.
import { subscriptionStateOf } from '../shared/domain/subscriptionState.ts';
import { paidUntilOf } from '../shared/subscription.ts';
import { type AdminCommand, columns, UsageError } from './adminCommand.ts';
import { findUser } from './findUser.ts';

export const showUser: AdminCommand = {
  name: 'user',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'shows a user with plan, dates and keys',
  async run([name, ...more], parts) {
    if (more.length > 0) throw new UsageError(`user takes one name, and not also "${more.join(' ')}".`);
    const { config, keys, now } = parts.billing;
    const user = await findUser(name, parts);
    const active = await keys.listActive(user._id);
    const data = {
      id: user._id,
      email: user.email,
      address: user.address,
      plan: user.plan,
      status: subscriptionStateOf(paidUntilOf(user, config), now()),
      created_at: user.createdAt.toISOString(),
      trial_expires_at: user.trialExpiresAt.toISOString(),
      subscription_expires_at: user.subscriptionExpiresAt?.toISOString() ?? null,
      expired_at: user.expiredAt?.toISOString() ?? null,
      closed_at: user.closedAt?.toISOString() ?? null,
      api_keys: active.map((key) => ({
        id: key._id,
        name: key.name,
        key_prefix: key.prefix,
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
      })),
    };
    const { api_keys, ...fields } = data;
    const lines = columns(Object.entries(fields).map(([field, value]) => [field, value ?? '-']));
    const keyLines = api_keys.map(
      (key) => `key  ${key.id}  ${key.key_prefix}…  "${key.name}"  used ${key.last_used_at ?? 'never'}`,
    );
    return { data, lines: [...lines, ...keyLines] };
  },
};
