// Finds the account that a dashboard reads: that of the owner of the API key or access token. Reading stays possible
// when the trial or the paid time is over, so payment is not checked here.

import { RequestError } from '../../shared/errors.ts';
import type { UserStore } from '../../shared/mongo/userStore.ts';
import type { RouteContext } from '../access/requestContext.ts';
import type { Call } from '../accounts/services.ts';

/** @throws {RequestError} 401 without a valid key or token */
export async function requireReader(ctx: RouteContext, users: Pick<UserStore, 'findById'>): Promise<Call> {
  const { key, token, requestId, trace, receivedAtMs } = ctx.state.request;
  if (key !== undefined) return { caller: key.caller, requestId, trace, receivedAtMs };
  const user = token === undefined ? null : await users.findById(token.userId);
  if (user === null) throw new RequestError(401, 'invalid_credential', 'A valid API key or access token is required.');
  const { _id: userId, address, plan } = user;
  return { caller: { userId, accountId: address, address, plan, keyId: '' }, requestId, trace, receivedAtMs };
}
