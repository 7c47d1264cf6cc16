// The query parameter `account`: which of the user's accounts an endpoint is about. A key that is bound to an account reaches that one,
// whatever the parameter says.
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import type { RouteContext } from '../access/requestContext.ts';
import type { Call, OwnAccounts } from '../accounts/services.ts';

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
