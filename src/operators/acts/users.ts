// Users as operators see them. An operator names a user by e-mail address, user id, the address of one of the user's accounts, or the id of
// one of the user's keys.

import { type TObject, Type } from '@sinclair/typebox';
import type { RouteContext } from '../../api/access/requestContext.ts';
import {
  Address,
  ApiKeyId,
  exactly,
  IsoTime,
  orNull,
  PlanName,
  SessionId,
  SubscriptionStatus,
  UserId,
  UserRoleName,
} from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { accountAddresses, subAccountAddresses } from '../../shared/access/subAccountAddress.ts';
import { paidUntilOf } from '../../shared/access/subscription.ts';
import { subscriptionStateOf } from '../../shared/domain/billing/subscription.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { SecondFactorStore } from '../../shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../../shared/mongo/sessionStore.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { operatorLook } from './operatorAct.ts';
import { columns, type OperatorParts, Unknown, UsageError } from './operatorParts.ts';
import { MAY_BE_UNKNOWN, PAGE_ERRORS, pageOf, pageParameters, readPage, readText } from './page.ts';

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

/** What an operator needs to know about a user who asks for help. It has no password hash and no key. */
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

/** Longest text that is searched for. */
const SEARCH = new RegExp(`^[^${String.raw`\u0000-\u001f\u007f-\u009f`}]{0,254}$`);
/** Names of one user each; anything else is the beginning of an e-mail address. */
const WHOLE_NAME = /^(?:user_[0-9a-z]{1,64}|key_[0-9a-z]{1,64}|0x[0-9a-f]{40})$/;

const fields = {
  id: UserId,
  email: Type.String({ examples: ['bot@example.com'] }),
  address: Address,
  plan: PlanName,
  status: SubscriptionStatus,
  roles: Type.Array(UserRoleName),
  created_at: IsoTime,
  trial_expires_at: IsoTime,
  subscription_expires_at: orNull(IsoTime),
};

const keyFields = {
  ...{ id: ApiKeyId, name: Type.String(), key_prefix: Type.String(), account: orNull(Address), last_used_at: orNull(IsoTime) },
};
const sessionFields = {
  ...{ id: SessionId, created_at: IsoTime, last_used_at: IsoTime, address: Type.String(), agent: Type.String() },
};

/** A user in the path of an endpoint. */
export const userParams: TObject = Type.Object({ id: UserId });

/** How an operator names a user: at a terminal by any name of the user, in a path by the id alone. */
export interface NamedUser {
  readonly name: string | undefined;
  readonly isId?: true;
}

export const userOfPath = (ctx: RouteContext): NamedUser => ({ name: ctx.params['id'] ?? '', isId: true });

/** @throws {Unknown} when no user has that name */
export async function requireUser(parts: OperatorParts, { name, isId }: NamedUser): Promise<User> {
  if (isId === undefined) return findUser(name, parts);
  const user = await parts.billing.users.findById(name ?? '');
  if (user === null) throw new Unknown('There is no such user.');
  return user;
}

/** For the API alone. */
export const listUsers = operatorLook<RouteContext, unknown>({
  look: (parts, ctx) =>
    readPage(ctx, {
      form: SEARCH,
      read: (limit, after) => searched(parts, searchOf(ctx), { limit, after }),
      placeOf: ({ email }) => email,
      show: (user) => summaryOf(parts.billing, user),
    }),
  endpoint: {
    id: 'listUsers',
    path: '/v1/admin/users',
    summary: 'Users by the beginning of their e-mail addresses, or one by id, address of an account or key id.',
    query: Type.Object({
      ...pageParameters,
      q: Type.Optional(
        Type.String({
          pattern: SEARCH.source,
          description: 'The beginning of an e-mail address; or `user_…`, `0x…` or `key_…`, whole.',
        }),
      ),
    }),
    answer: pageOf('OperatorUserPage', named('OperatorUser', exactly(fields))),
    errors: PAGE_ERRORS,
    ask: (ctx) => ctx,
    audited: (ctx) => `users ${searchOf(ctx)}`,
  },
});

const searchOf = (ctx: RouteContext): string =>
  (readText(ctx, 'q', SEARCH, 'a text of at most 254 characters') ?? '').trim().toLowerCase();

async function searched(
  parts: OperatorParts,
  text: string,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<readonly User[]> {
  if (!WHOLE_NAME.test(text)) return parts.billing.users.page({ prefix: text, limit, ...(after !== undefined && { after }) });
  try {
    return [await findUser(text, parts)];
  } catch (error) {
    if (error instanceof Unknown) return [];
    throw error;
  }
}

export const showUser = operatorLook<NamedUser, Awaited<ReturnType<typeof describeUser>>>({
  look: async (parts, asked) => describeUser(parts, await requireUser(parts, asked)),
  command: {
    name: 'user',
    takes: 'EMAIL | user_… | 0x… | key_…',
    does: 'shows a user with plan, dates, roles, keys and sessions',
    ask: ([name, ...more]) => {
      if (more.length > 0) throw new UsageError(`user takes one name, and not also "${more.join(' ')}".`);
      return { name };
    },
    lines: linesOf,
  },
  endpoint: {
    id: 'showUser',
    path: '/v1/admin/users/:id',
    summary: 'A user with dates, keys and sessions.',
    params: userParams,
    answer: named(
      'OperatorUserDetails',
      exactly({
        ...fields,
        sub_accounts: described(Type.Array(Address), 'Addresses of sub-accounts that may exist.'),
        expired_at: orNull(IsoTime),
        closed_at: orNull(IsoTime),
        email_verified: Type.Boolean(),
        second_factor: Type.Boolean(),
        api_keys: Type.Array(named('OperatorApiKey', exactly(keyFields))),
        sessions: Type.Array(named('OperatorSession', exactly(sessionFields))),
      }),
    ),
    errors: MAY_BE_UNKNOWN,
    ask: userOfPath,
    audited: ({ name }) => `user ${name}`,
  },
});

function linesOf({ api_keys, sessions, roles, sub_accounts, ...fields }: Awaited<ReturnType<typeof describeUser>>): string[] {
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
  return [...lines, ...keyLines, ...sessionLines];
}
