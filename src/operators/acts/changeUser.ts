// Gives a user a role, or takes it away. Whether a user has one is read with each request that asks for it, so a change holds at once. The
// rows are written first, and a repeated change announces itself again: whatever dies in between, the same command completes it.

import { LOGIN_LINK_SECONDS, makeLoginLink } from '../../shared/access/loginLinks.ts';
import { announceUserChange } from '../../shared/access/userChange.ts';
import { grantPlan } from '../../shared/billing/payments.ts';
import { type Plan, plans } from '../../shared/domain/plan.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { OPERATORS } from '../../shared/mongo/auditLog.ts';
import { SecondFactorStore } from '../../shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../../shared/mongo/sessionStore.ts';
import { USER_ROLES, type UserRole } from '../../shared/mongo/userStore.ts';
import { type OperatorParts, Refused, UsageError } from './operatorParts.ts';
import { type AdminCommand, type Report, readOptions } from './terminal.ts';
import { findUser } from './users.ts';
import { withAudit } from './withAudit.ts';

/** @returns the user, and whether this call has changed anything @throws {Unknown} when no user has that name */
export async function changeRole(
  parts: OperatorParts,
  { name, role, isGranted }: { name: string | undefined; role: UserRole; isGranted: boolean },
): Promise<{ readonly id: string; readonly email: string; readonly isChanged: boolean }> {
  const { billing, redis } = parts;
  const { _id: userId, email, roles = [] } = await findUser(name, parts);
  const isChanged = roles.includes(role) !== isGranted;
  if (isChanged) {
    const action = isGranted ? 'role.granted' : 'role.revoked';
    const act = { action, outcome: 'ok', actor: 'operator', address: null, timeMs: billing.now() } as const;
    await billing.audit.write({ ...act, userId, detail: role });
    await billing.audit.write({ ...act, userId: OPERATORS, detail: `${role} ${userId}` });
    await billing.users.setRole(userId, role, isGranted);
  }
  await announceUserChange(redis, { userId, digests: [] });
  return { id: userId, email, isChanged };
}

// What `bin/admin grant-role` and `bin/admin revoke-role` have in common: the words, and the sentence about what was done.

const isRole = (word: string | undefined): word is UserRole => USER_ROLES.some((role) => role === word);

/** @throws {UsageError} for other words than a user and a role */
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

// `bin/admin grant-role`: makes a user an operator. No request can.

export const grantRole: AdminCommand = {
  name: 'grant-role',
  takes: 'USER operator',
  does: 'lets a user see and do what is below /v1/admin',
  run: (args, parts) => runChangeRole(args, parts, true),
};

// `bin/admin revoke-role`: from the next request on the user is no operator any more.

export const revokeRole: AdminCommand = {
  name: 'revoke-role',
  takes: 'USER operator',
  does: 'takes that away again, from the next request on',
  run: (args, parts) => runChangeRole(args, parts, false),
};

// Ends every session and access token of a user, e.g. when the user's machine was stolen. API keys go on.

/** How often a user is read again whose sessions have been ended meanwhile. */
const TRIES = 5;

/** @throws {Unknown} when no user has that name, {Refused} when the user keeps changing */
export async function endUserSessions(
  parts: OperatorParts,
  name: string | undefined,
): Promise<{ readonly id: string; readonly email: string; readonly ended: number }> {
  const { _id: id, email } = await findUser(name, parts);
  const of = { userId: id, action: 'session.ended', detail: 'all' } as const;
  return { id, email, ended: await withAudit(parts, of, { act: () => endAll(parts, id) }) };
}

/** @returns how many sessions have ended */
async function endAll(parts: OperatorParts, userId: string): Promise<number> {
  const { billing, redis, mongo } = parts;
  for (let tries = 0; tries < TRIES; tries++) {
    const changed = await billing.users.endTokens(await findUser(userId, parts), undefined);
    if (changed === null) continue;
    const ended = await new SessionStore(mongo).keepOnly(userId, undefined, changed.tokenGeneration ?? 0);
    await announceUserChange(redis, { userId, digests: [] });
    return ended;
  }
  throw new Refused('The user keeps changing: try again.');
}

// `bin/admin user sessions-end`: ends every session and access token of a user, e.g. when the user's machine was stolen.

export const endSessions: AdminCommand = {
  name: 'user sessions-end',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'ends every session and access token of a user, within a second; API keys go on',
  async run([name], parts) {
    const data = await endUserSessions(parts, name);
    return { data, lines: [`${data.email}: all tokens have ended, ${data.ended} sessions among them.`] };
  },
};

// Gives a user a plan without payment, from now on.

/** For how many days a plan may be granted. */
export const GRANT_DAYS = { least: 1, most: 36_500, standard: 30 } as const;
/** How often a user is read again who has changed meanwhile. */
const GRANT_TRIES = 5;

/** @throws {Unknown} when no user has that name, {Refused} when the user keeps changing */
export async function giveUserPlan(
  parts: OperatorParts,
  { name, plan, days }: { name: string | undefined; plan: Plan; days: number },
): Promise<{ readonly id: string; readonly email: string; readonly plan: Plan; readonly until: string }> {
  const untilMs = parts.billing.now() + days * DAY_MS;
  const until = new Date(untilMs).toISOString();
  const { _id: id, email } = await findUser(name, parts);
  const of = { userId: id, action: 'plan.changed', detail: `${plan} until ${until}` } as const;
  await withAudit(parts, of, { act: () => give(parts, id, { plan, untilMs }) });
  return { id, email, plan, until };
}

async function give(parts: OperatorParts, userId: string, given: { plan: Plan; untilMs: number }): Promise<void> {
  for (let tries = 0; tries < GRANT_TRIES; tries++) {
    if (await grantPlan(parts.billing, await findUser(userId, parts), given)) return;
  }
  throw new Refused('The user keeps changing: try again.');
}

// `bin/admin grant`: gives a user a plan without payment, from now on.

export const grantUserPlan: AdminCommand = {
  name: 'grant',
  takes: 'USER basic|pro [--days N]',
  does: `gives a user a plan for N days from now (${GRANT_DAYS.standard}), whatever was paid for`,
  async run(args, parts) {
    const { words, options } = readOptions(args, ['days']);
    const [name, plan] = words;
    if (!isPlan(plan)) throw new UsageError(`Which plan? One of ${Object.keys(plans).join(', ')}.`);
    const days = Number(options.get('days') ?? GRANT_DAYS.standard);
    if (!Number.isInteger(days) || days < GRANT_DAYS.least || days > GRANT_DAYS.most) {
      throw new UsageError(`--days must be a whole number from ${GRANT_DAYS.least} to ${GRANT_DAYS.most}.`);
    }
    const data = await giveUserPlan(parts, { name, plan, days });
    return { data, lines: [`${data.email} has the plan ${plan} until ${data.until}.`] };
  },
};

const isPlan = (word: string | undefined): word is Plan => word !== undefined && Object.hasOwn(plans, word);

// `bin/admin user totp-off`: turns a user's second factor off, for one who has lost authenticator and recovery codes. The
// operator has made sure first who is asking: with a password alone anybody could be.

export const endSecondFactor: AdminCommand = {
  name: 'user totp-off',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'turns a user’s second factor off; make sure first who is asking',
  async run([name], parts) {
    const { billing, mongo } = parts;
    const { _id: userId, email } = await findUser(name, parts);
    if (!(await new SecondFactorStore(mongo).remove(userId))) throw new Refused(`${email} has no second factor.`);
    const timeMs = billing.now();
    await billing.audit.write({ userId, action: 'second_factor.off', outcome: 'ok', actor: 'operator', address: null, timeMs });
    return { data: { id: userId, email }, lines: [`${email}: logins ask for the password alone.`] };
  },
};

// `bin/admin user login-link`: makes a link that logs a browser of this machine in, once. bin/start prints one for the demo account.

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
    const act = { userId, action: 'login.link', outcome: 'ok', actor: 'operator', address: null, timeMs: billing.now() } as const;
    await billing.audit.write(act);
    return {
      data: { id: userId, email, path, seconds: LOGIN_LINK_SECONDS },
      lines: [`Open this below the address of the exchange, once and within an hour: ${path}`],
    };
  },
};
