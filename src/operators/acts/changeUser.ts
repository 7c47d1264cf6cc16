// What operators do to a user: role, sessions, plan, second factor, login link.

import { type Static, Type } from '@sinclair/typebox';
import { Count, exactly, IsoTime, PlanName, UserId } from '../../api/contract/answerValues.ts';
import { named } from '../../api/contract/named.ts';
import { LOGIN_LINK_SECONDS, makeLoginLink } from '../../shared/access/loginLinks.ts';
import { announceUserChange } from '../../shared/access/userChange.ts';
import { grantPlan } from '../../shared/billing/payments.ts';
import { type Plan, plans } from '../../shared/domain/plan.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { OPERATORS } from '../../shared/mongo/auditLog.ts';
import { compareAndSet } from '../../shared/mongo/compareAndSet.ts';
import { SecondFactorStore } from '../../shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../../shared/mongo/sessionStore.ts';
import { USER_ROLES, type User, type UserRole } from '../../shared/mongo/userStore.ts';
import { operatorAct, writeOperatorRow } from './operatorAct.ts';
import { type AdminCommand, type OperatorParts, Refused, type Report, readOptions, UsageError } from './operatorParts.ts';
import { MAY_BE_UNKNOWN } from './page.ts';
import { findUser, type NamedUser, requireUser, userOfPath, userParams } from './users.ts';

/**
 * Gives a user a role, or takes it away. Whether a user has one is read with each request that asks for it, so a change holds at once. The
 * rows are written first, and a repeated change announces itself again: whatever dies in between, the same command completes it.
 * @returns the user, and whether this call has changed anything
 * @throws {Unknown} when no user has that name
 */
export async function changeRole(
  parts: OperatorParts,
  { name, role, isGranted }: { name: string | undefined; role: UserRole; isGranted: boolean },
): Promise<{ readonly id: string; readonly email: string; readonly isChanged: boolean }> {
  const { billing, redis } = parts;
  const { _id: userId, email, roles = [] } = await findUser(name, parts);
  const isChanged = roles.includes(role) !== isGranted;
  if (isChanged) {
    const action = isGranted ? 'role.granted' : 'role.revoked';
    await writeOperatorRow(billing, { userId, action, outcome: 'ok', detail: role });
    await writeOperatorRow(billing, { userId: OPERATORS, action, outcome: 'ok', detail: `${role} ${userId}` });
    await billing.users.setRole(userId, role, isGranted);
  }
  await announceUserChange(redis, { userId, digests: [] });
  return { id: userId, email, isChanged };
}

const isRole = (word: string | undefined): word is UserRole => USER_ROLES.some((role) => role === word);

/** The words of both commands, and the sentence about what was done. @throws {UsageError} for other words than a user and a role */
async function runChangeRole(
  [name, role, ...more]: readonly string[],
  parts: OperatorParts,
  isGranted: boolean,
): Promise<Report> {
  if (!isRole(role) || more.length > 0) throw new UsageError(`Whom, and which role? One of ${USER_ROLES.join(', ')}.`);
  const { id, email, isChanged } = await changeRole(parts, { name, role, isGranted });
  const now = isGranted ? `${email} has the role ${role}` : `${email} has not the role ${role}`;
  return { data: { id, email, role, granted: isGranted }, lines: [isChanged ? `${now} from now on.` : `${now} already.`] };
}

/** Makes a user an operator. No request can: for the terminal alone. */
export const grantRole: AdminCommand = {
  name: 'grant-role',
  takes: 'USER operator',
  does: 'lets a user see and do what is below /v1/admin',
  run: (args, parts) => runChangeRole(args, parts, true),
};

/** From the next request on the user is no operator any more. For the terminal alone. */
export const revokeRole: AdminCommand = {
  name: 'revoke-role',
  takes: 'USER operator',
  does: 'takes that away again, from the next request on',
  run: (args, parts) => runChangeRole(args, parts, false),
};

/** How often a user is read again who has changed meanwhile. */
const TRIES = 5;

/** Ends every session and access token of a user, e.g. when the user's machine was stolen. API keys go on. */
export const endSessions = operatorAct<NamedUser, User, number>({
  check: requireUser,
  audit: ({ _id: userId }) => ({ userId, action: 'session.ended', detail: 'all' }),
  act: (parts, { _id: id }) =>
    whileUserChanges(parts, id, async (user) => {
      const changed = await parts.billing.users.endTokens(user, undefined);
      if (changed === null) return undefined;
      const ended = await new SessionStore(parts.mongo).keepOnly(id, undefined, changed.tokenGeneration ?? 0);
      await announceUserChange(parts.redis, { userId: id, digests: [] });
      return ended;
    }),
  command: {
    name: 'user sessions-end',
    takes: 'EMAIL | user_… | 0x… | key_…',
    does: 'ends every session and access token of a user, within a second; API keys go on',
    ask: ([name]) => ({ name }),
    data: ({ _id: id, email }, ended) => ({ id, email, ended }),
    lines: (ended, { email }) => [`${email}: all tokens have ended, ${ended} sessions among them.`],
  },
  endpoint: {
    id: 'endSessionsOfUser',
    path: '/v1/admin/users/:id/end-sessions',
    summary: 'Ends every session and access token of a user; API keys go on.',
    params: userParams,
    answer: named('EndedSessions', exactly({ id: UserId, email: Type.String(), ended: Count })),
    errors: MAY_BE_UNKNOWN,
    ask: userOfPath,
    audited: ({ name }) => `end sessions ${name}`,
  },
});

/** @param change undefined = the user has changed meanwhile @throws {Refused} when the user keeps changing */
const whileUserChanges = <Done>(
  parts: OperatorParts,
  userId: string,
  change: (user: User) => Promise<Done | undefined>,
): Promise<Done> => {
  const busy = () => new Refused('The user keeps changing: try again.');
  return compareAndSet({ tries: TRIES, busy }, async () => change(await findUser(userId, parts)));
};

/** For how many days a plan may be granted. */
const GRANT_DAYS = { least: 1, most: 36_500, standard: 30 } as const;

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

interface AskedGrant extends Static<typeof Grant> {
  readonly user: NamedUser;
}

interface PlanGrant {
  readonly user: User;
  readonly plan: Plan;
  readonly untilMs: number;
}

/** Gives a user a plan without payment, from now on. */
export const grantUserPlan = operatorAct<AskedGrant, PlanGrant, true>({
  check: async (parts, { user, plan, days }) => {
    const untilMs = parts.billing.now() + days * DAY_MS;
    return { user: await requireUser(parts, user), plan, untilMs };
  },
  audit: ({ user, plan, untilMs }) => ({
    ...{ userId: user._id, action: 'plan.changed', detail: `${plan} until ${new Date(untilMs).toISOString()}` },
  }),
  act: (parts, { user, ...given }) =>
    whileUserChanges(parts, user._id, async (read) => (await grantPlan(parts.billing, read, given)) || undefined),
  command: {
    name: 'grant',
    takes: 'USER basic|pro [--days N]',
    does: `gives a user a plan for N days from now (${GRANT_DAYS.standard}), whatever was paid for`,
    ask: askedGrant,
    data: toGrant,
    lines: (_done, { user, plan, untilMs }) => [`${user.email} has the plan ${plan} until ${new Date(untilMs).toISOString()}.`],
  },
  endpoint: {
    id: 'grantPlan',
    path: '/v1/admin/users/:id/grant',
    summary: 'Gives a user a plan for some days from now, whatever was paid for.',
    params: userParams,
    body: { schema: Grant, examples: { month: { plan: 'pro', days: 30 } } },
    answer: named('GrantedPlan', exactly({ id: UserId, email: Type.String(), plan: PlanName, until: IsoTime })),
    errors: MAY_BE_UNKNOWN,
    ask: (ctx, body) => ({ ...(body as Static<typeof Grant>), user: userOfPath(ctx) }),
    audited: ({ user, plan, days }) => `grant ${user.name} ${plan} ${days} days`,
  },
});

/** @throws {UsageError} */
function askedGrant(args: readonly string[]): AskedGrant {
  const { words, options } = readOptions(args, ['days']);
  const [name, plan] = words;
  if (!isPlan(plan)) throw new UsageError(`Which plan? One of ${Object.keys(plans).join(', ')}.`);
  const days = Number(options.get('days') ?? GRANT_DAYS.standard);
  if (!Number.isInteger(days) || days < GRANT_DAYS.least || days > GRANT_DAYS.most) {
    throw new UsageError(`--days must be a whole number from ${GRANT_DAYS.least} to ${GRANT_DAYS.most}.`);
  }
  return { user: { name }, plan, days };
}

const isPlan = (word: string | undefined): word is Plan => word !== undefined && Object.hasOwn(plans, word);

function toGrant({ user, plan, untilMs }: PlanGrant) {
  return { id: user._id, email: user.email, plan, until: new Date(untilMs).toISOString() };
}

/**
 * Turns a user's second factor off, for a user who has lost authenticator and recovery codes. The operator has made sure first who is
 * asking: with a password alone anybody could be. For the terminal alone.
 */
export const endSecondFactor: AdminCommand = {
  name: 'user totp-off',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'turns a user’s second factor off; make sure first who is asking',
  async run([name], parts) {
    const { billing, mongo } = parts;
    const { _id: userId, email } = await findUser(name, parts);
    if (!(await new SecondFactorStore(mongo).remove(userId))) throw new Refused(`${email} has no second factor.`);
    await writeOperatorRow(billing, { userId, action: 'second_factor.off', outcome: 'ok' });
    return { data: { id: userId, email }, lines: [`${email}: logins ask for the password alone.`] };
  },
};

/** Makes a link that logs a browser of this machine in, once. bin/start prints one for the demo account. For the terminal alone. */
export const makeUserLoginLink: AdminCommand = {
  name: 'user login-link',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'makes a link to the dashboard that logs a browser of this machine in, once, within an hour',
  async run([name], parts) {
    const { billing, redis, mongo } = parts;
    const { _id: userId, email } = await findUser(name, parts);
    if ((await new SecondFactorStore(mongo).find(userId))?.confirmedAt !== undefined)
      throw new Refused(`${email} has a second factor: a link stands for a password alone.`);
    const path = `/enter#${new URLSearchParams({ token: await makeLoginLink(redis, userId) })}`;
    await writeOperatorRow(billing, { userId, action: 'login.link', outcome: 'ok' });
    return {
      data: { id: userId, email, path, seconds: LOGIN_LINK_SECONDS },
      lines: [`Open this below the address of the exchange, once and within an hour: ${path}`],
    };
  },
};
