// Finds the user whose account a request changes: the owner of its API key or access token, read from MongoDB. The
// plan and the payment decide what is allowed, so a cached record that is a moment old is not enough.
import { RequestError } from '../../shared/errors.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { paidUntilOf } from '../../shared/subscription.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { requirePaid } from '../access/requirePaid.ts';
import type { AuthParts } from '../auth/authParts.ts';

/**
 * The user, when they may trade.
 * @throws {RequestError} 401 without a valid key or token, 403 when the trial or what was paid for is over
 */
export async function paidOwnerOf(ctx: RouteContext, { users, config }: AuthParts): Promise<User> {
  const { key, token, receivedAtMs } = ctx.state.request;
  const userId = key?.caller.userId ?? token?.userId;
  const user = userId === undefined ? null : await users.findById(userId);
  if (user === null) throw new RequestError(401, 'invalid_credential', 'A valid API key or access token is required.');
  requirePaid(paidUntilOf(user, config), receivedAtMs);
  return user;
}
