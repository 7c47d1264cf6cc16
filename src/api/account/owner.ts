// Whose account a request reads or changes: the parameter that names the account, the owner who pays for it, and what a limited key
// may not do.
import { Type } from '@sinclair/typebox';
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import { paidUntilOf } from '../../shared/access/subscription.ts';
import { assert } from '../../shared/domain/assert.ts';
import { RequestError } from '../../shared/errors.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { requirePaid } from '../access/callerChecks.ts';
import { type Caller, isSubAccount } from '../access/keyRecord.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { type Call, type OwnAccounts, sendOptionsOf } from '../accounts/services.ts';
import { requireLiveUser } from '../auth/acts/userChecks.ts';
import type { AuthParts } from '../auth/parts/authParts.ts';
import { mayNot } from '../contract/whoMay.ts';
import { type ActRow, recordAudit } from '../http/audited.ts';

// The query parameter `account`: which of the user's accounts an endpoint is about. A key that is bound to an account reaches
// that one, whatever the parameter says.

const ADDRESS = '^0x[0-9a-fA-F]{40}$';

export const accountParameter = Type.Optional(
  Type.String({
    pattern: ADDRESS,
    description:
      'Address of the user’s account that is meant: the master account or a sub-account. Absent: the key’s own, else the master. A key that ' +
      'is bound to an account reaches that one, whatever stands here.',
  }),
);

/** The errors that it adds to an endpoint's. */
export const ACCOUNT_ERRORS = { 400: ['invalid_request'], 404: ['unknown_account'] } as const;

/**
 * The call of the account that the query names.
 * @throws {RequestError} 400 for what is no address, 404 for an address that is none of the user's accounts, and as the gateway does
 */
export async function callOfAccount(ctx: RouteContext, call: Call, ownAccounts: Pick<OwnAccounts, 'named'>): Promise<Call> {
  const given = ctx.query['account'];
  if (given === undefined) return call;
  if (typeof given !== 'string' || !new RegExp(ADDRESS).test(given))
    throw new RequestError(400, 'invalid_request', 'account must be given once: 0x and 40 hex digits.');
  const caller = await ownAccounts.named(call, given);
  if (caller === undefined) throw new RequestError(404, 'unknown_account', 'The user has no such account.');
  return { ...call, caller };
}

/**
 * Finds the user whose account a request changes, and which account: the owner of its API key or access token, read from
 * MongoDB. The plan and the payment decide what is allowed, so a cached record that is a moment old is not enough.
 */
export interface PaidOwner {
  readonly user: User;
  /** Of the account that the request is about. */
  readonly call: Call;
}

/**
 * The user, when they may trade.
 * @throws {RequestError} 401 without a valid key or token, 403 when the trial or what was paid for is over, and as `callOfAccount`
 */
export async function paidOwnerOf(ctx: RouteContext, { users, config, ownAccounts }: AuthParts): Promise<PaidOwner> {
  const { key, holder, requestId, trace, receivedAtMs } = ctx.state.request;
  const caller = (key ?? holder)?.caller;
  const user = caller === undefined ? null : await users.findById(caller.userId);
  if (caller === undefined || user === null) throw mayNot('invalid_credential', 'A valid API key or access token is required.');
  requirePaid(paidUntilOf(user, config), receivedAtMs);
  return { user, call: await callOfAccount(ctx, { caller, requestId, trace, receivedAtMs }, ownAccounts) };
}

/**
 * The owner behind an access token, for what a program that trades with a key may not change. The account is that of a key where one comes
 * along: the token of another user does not speak for its owner.
 * @throws {RequestError} 401 without the owner's access token, else as `paidOwnerOf`
 */
export async function tokenOwnerOf(ctx: RouteContext, parts: AuthParts): Promise<PaidOwner> {
  const { user } = await requireLiveUser(ctx, parts);
  const owner = await paidOwnerOf(ctx, parts);
  if (owner.user._id !== user._id) throw mayNot('invalid_token', 'The access token is of another user than the API key.');
  return owner;
}

/** Sends the owner's command, which has no answer but `done`, and writes the act's row. @throws {RequestError} as the gateway does */
export async function changeAccount(
  ctx: RouteContext,
  parts: AuthParts,
  { user, call }: PaidOwner,
  { command, ...note }: { readonly command: AccountCommand } & Pick<ActRow, 'action' | 'detail'>,
): Promise<void> {
  const { accountId } = call.caller;
  const outcome = await parts.accounts.send(accountId, command, sendOptionsOf(call));
  assert(outcome.type === 'done', `${command.type} is answered by done, not ${outcome.type}`);
  const about = isSubAccount(call.caller) ? { account: accountId } : {};
  await recordAudit(ctx, parts, { userId: user._id, outcome: 'ok', ...note, ...about });
}

// What a key with limits of trading may not do: what none of its limits would hold for. Positions and orders of an address come
// in without being orders of the key; money that a program gives its account, and a history that it deletes, are its owner's to
// decide.

const WHY = {
  address: 'which an address would not be held to',
  money: 'so it neither resets its account nor changes its balance',
} as const;

/** @throws {RequestError} 403 */
export function requireUnlimited({ guard }: Pick<Caller, 'guard'>, about: keyof typeof WHY): void {
  if (guard === undefined) return;
  throw mayNot('limited_key', `This API key has limits of trading, ${WHY[about]}: use another key.`);
}

/**
 * The account that a dashboard reads: that of the owner of the API key or access token. Reading stays possible when the trial or the
 * paid time is over, so payment is not checked here.
 * @throws {RequestError} 401 without a valid key or token
 */
export function requireReader(ctx: RouteContext): Call {
  const { key, holder, requestId, trace, receivedAtMs } = ctx.state.request;
  const reader = key ?? holder;
  if (reader === undefined) throw mayNot('invalid_credential', 'A valid API key or access token is required.');
  return { caller: reader.caller, requestId, trace, receivedAtMs };
}
