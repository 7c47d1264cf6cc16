// Who is behind a request, as far as bounds of this process go: the user of its key or token, else its address.
import type { Context } from 'koa';
import { networkOf } from './clientAddress.ts';
import type { Holder } from './limits/heldBytes.ts';
import type { RequestContext } from './requestContext.ts';

/** Works for requests that were not admitted yet as well: they count on their address. */
export function callerOf(ctx: Context): Holder {
  const { key, token } = (ctx.state['request'] ?? {}) as Partial<RequestContext>;
  const userId = key?.caller.userId ?? token?.userId;
  return userId === undefined
    ? { subject: `address:${networkOf(ctx)}`, isKnown: false }
    : { subject: `user:${userId}`, isKnown: true };
}
