// Whose account a request changes: the user behind its API key or access token, as MongoDB has them now. Their plan and what
// they have paid decide, so a record that another node has changed a moment ago will not do.
import { RequestError } from '../../shared/errors.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { paidUntilOf } from '../../shared/subscription.ts';
import { requirePaid } from '../access/requirePaid.ts';
import type { AuthParts } from '../auth/authParts.ts';
import type { RouteContext } from '../http/requestContext.ts';

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
