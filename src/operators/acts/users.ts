// Finds the user that an operator names: by e-mail address, user id, the address of one of the user's accounts, or the id of one of the
// user's keys.
import { accountAddresses, subAccountAddresses } from '../../shared/access/subAccountAddress.ts';
import { paidUntilOf } from '../../shared/access/subscription.ts';
import { subscriptionStateOf } from '../../shared/domain/billing/subscription.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { SecondFactorStore } from '../../shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../../shared/mongo/sessionStore.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { type OperatorParts, Unknown, UsageError } from './operatorParts.ts';
import { type AdminCommand, columns } from './terminal.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** @throws {Unknown} when no user has that name */
export async function findUser(name: string | undefined, { mongo }: Pick<OperatorParts, 'mongo'>): Promise<User> {
  if (name === undefined) throw new UsageError('Which user? An e-mail address, user_…, 0x… or key_….');
  const wanted = name.trim().toLowerCase();
  const users = mongo.db.collection<User>(collections.users);
  const key = wanted.startsWith('key_')
    ? await mongo.db.collection<{ _id: string; userId: string }>(collections.apiKeys).findOne({ _id: wanted })
    : null;
  const named = await users.findOne({ $or: [{ _id: key?.userId ?? wanted }, { email: wanted }, { address: wanted }] });
  const found = named ?? (ADDRESS.test(wanted) ? await ownerOfSubAccount(mongo, wanted) : undefined);
  if (found === undefined) throw new Unknown(`There is no user ${name}.`);
  return found;
}

/** The user of whom the address is an account: the master's, or a sub-account's, which takes a millisecond for each dozen users. */
export async function ownerOfAccount(mongo: MongoConnection, address: string): Promise<User | undefined> {
  return (await mongo.db.collection<User>(collections.users).findOne({ address })) ?? ownerOfSubAccount(mongo, address);
}

/** No master's address follows from that of a sub-account: those of all users who have any are computed. */
async function ownerOfSubAccount({ db }: MongoConnection, address: string): Promise<User | undefined> {
  for await (const user of db.collection<User>(collections.users).find({ subAccountsMade: { $gt: 0 } }))
    if (accountAddresses(user).includes(address)) return user;
  return undefined;
}

// What an operator needs to know about a user who asks for help. It has no password hash and no key.

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

// `bin/admin user`: shows what an operator needs to know about a user who asks for help.

export const showUser: AdminCommand = {
  name: 'user',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'shows a user with plan, dates, roles, keys and sessions',
  async run([name, ...more], parts) {
    if (more.length > 0) throw new UsageError(`user takes one name, and not also "${more.join(' ')}".`);
    const data = await describeUser(parts, await findUser(name, parts));
    const { api_keys, sessions, roles, sub_accounts, ...fields } = data;
    const lines = columns([
      ...Object.entries(fields).map(([field, value]): [string, string] => [field, String(value ?? '-')]),
      ['roles', roles.join(', ') || '-'],
      ['sub-accounts', sub_accounts.join(', ') || '-'],
    ]);
    const keyLines = api_keys.map(
      ({ id, key_prefix, name, account, last_used_at }) =>
        `key  ${id}  ${key_prefix}…  "${name}"${account === null ? '' : `  for ${account} alone`}  used ${last_used_at ?? 'never'}`,
    );
    const sessionLines = sessions.map(({ id, last_used_at, address }) => `session  ${id}  ${address}  used ${last_used_at}`);
    return { data, lines: [...lines, ...keyLines, ...sessionLines] };
  },
};
