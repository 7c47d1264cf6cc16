// Finds the account that a dashboard reads: that of the owner of the API key or access token. Reading stays possible
// when the trial or the paid time is over, so payment is not checked here.

import { RequestError } from '../../shared/errors.ts';
import type { RouteContext } from '../access/requestContext.ts';
import type { Call } from '../accounts/services.ts';

/** @throws {RequestError} 401 without a valid key or token */
export function requireReader(ctx: RouteContext): Call {
  const { key, holder, requestId, trace, receivedAtMs } = ctx.state.request;
  const reader = key ?? holder;
  if (reader === undefined) throw new RequestError(401, 'invalid_credential', 'A valid API key or access token is required.');
  return { caller: reader.caller, requestId, trace, receivedAtMs };
}
