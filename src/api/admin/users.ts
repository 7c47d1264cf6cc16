// GET /v1/admin/users, GET /v1/admin/users/{id}, POST …/grant, POST …/end-sessions: users as operators see them, and what operators do to
// them. No answer has a password hash or a key.
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { endUserSessions, GRANT_DAYS, giveUserPlan } from '../../operators/acts/changeUser.ts';
import { Unknown } from '../../operators/acts/operatorParts.ts';
import { describeUser, findUser, summaryOf } from '../../operators/acts/users.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { RouteContext } from '../access/requestContext.ts';
import {
  Address,
  ApiKeyId,
  Count,
  exactly,
  IsoTime,
  orNull,
  PlanName,
  SessionId,
  SubscriptionStatus,
  UserId,
  UserRoleName,
} from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { compileReader } from '../http/requestReader.ts';
import { type AdminEndpoint, type AdminParts, act, look, MAY_BE_UNKNOWN } from '../../operators/endpoints.ts';
import { PAGE_ERRORS, pageOf, pageParameters, readPage, readText } from '../../operators/acts/page.ts';

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

const params: TObject = Type.Object({ id: UserId });
const idOf = (ctx: RouteContext): string => ctx.params['id'] ?? '';

const listUsers = look({
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
  audited: (ctx) => `users ${searchOf(ctx)}`,
  read: (ctx, { operators }) =>
    readPage(ctx, {
      form: SEARCH,
      read: (limit, after) => searched(operators, searchOf(ctx), { limit, after }),
      placeOf: ({ email }) => email,
      show: (user) => summaryOf(operators.billing, user),
    }),
});

const searchOf = (ctx: RouteContext): string =>
  (readText(ctx, 'q', SEARCH, 'a text of at most 254 characters') ?? '').trim().toLowerCase();

async function searched(
  operators: AdminParts['operators'],
  text: string,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<readonly User[]> {
  if (!WHOLE_NAME.test(text)) return operators.billing.users.page({ prefix: text, limit, ...(after !== undefined && { after }) });
  try {
    return [await findUser(text, operators)];
  } catch (error) {
    if (error instanceof Unknown) return [];
    throw error;
  }
}

const showUser = look({
  id: 'showUser',
  path: '/v1/admin/users/:id',
  summary: 'A user with dates, keys and sessions.',
  params,
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
  audited: (ctx) => `user ${idOf(ctx)}`,
  read: async (ctx, { operators }) => describeUser(operators, await requireUser(operators, ctx)),
});

const Grant = Type.Object(
  {
    plan: { ...PlanName, expected: '"basic" or "pro"' },
    days: Type.Integer({
      minimum: GRANT_DAYS.least,
      maximum: GRANT_DAYS.most,
      expected: `a whole number from ${GRANT_DAYS.least} to ${GRANT_DAYS.most}`,
    }),
  },
  { expected: 'an object' },
);

const grant = act<Static<typeof Grant>>({
  id: 'grantPlan',
  path: '/v1/admin/users/:id/grant',
  summary: 'Gives a user a plan for some days from now, whatever was paid for.',
  params,
  body: {
    read: compileReader(Grant),
    examples: { month: { plan: 'pro', days: 30 } },
  },
  answer: named('GrantedPlan', exactly({ id: UserId, email: Type.String(), plan: PlanName, until: IsoTime })),
  errors: MAY_BE_UNKNOWN,
  audited: (ctx, { plan, days }) => `grant ${idOf(ctx)} ${plan} ${days} days`,
  act: async ({ operators }, { ctx, body: { plan, days } }) =>
    giveUserPlan(operators, { name: (await requireUser(operators, ctx))._id, plan, days }),
});

const endSessions = act({
  id: 'endSessionsOfUser',
  path: '/v1/admin/users/:id/end-sessions',
  summary: 'Ends every session and access token of a user; API keys go on.',
  params,
  answer: named('EndedSessions', exactly({ id: UserId, email: Type.String(), ended: Count })),
  errors: MAY_BE_UNKNOWN,
  audited: (ctx) => `end sessions ${idOf(ctx)}`,
  act: async ({ operators }, { ctx }) => endUserSessions(operators, (await requireUser(operators, ctx))._id),
});

async function requireUser({ billing }: AdminParts['operators'], ctx: RouteContext): Promise<User> {
  const user = await billing.users.findById(idOf(ctx));
  if (user === null) throw new Unknown('There is no such user.');
  return user;
}

export const userEndpoints: readonly AdminEndpoint[] = [listUsers, showUser, grant, endSessions];
