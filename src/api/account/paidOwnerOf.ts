// Finds the user whose account a request changes, and which account: the owner of its API key or access token, read from MongoDB. The
// plan and the payment decide what is allowed, so a cached record that is a moment old is not enough.

import { paidUntilOf } from '../../shared/access/subscription.ts';
import { RequestError } from '../../shared/errors.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { requirePaid } from '../access/requirePaid.ts';
import type { Call } from '../accounts/services.ts';
import type { AuthParts } from '../auth/authParts.ts';
import { callOfAccount } from './accountParameter.ts';

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
  if (caller === undefined || user === null)
    throw new RequestError(401, 'invalid_credential', 'A valid API key or access token is required.');
  requirePaid(paidUntilOf(user, config), receivedAtMs);
  return { user, call: await callOfAccount(ctx, { caller, requestId, trace, receivedAtMs }, ownAccounts) };
}
