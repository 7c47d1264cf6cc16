// The way of a POST to `info` or `exchange`, which is what bots send all day: with Koa's context through the same pipeline to the
// same endpoints as every other request, but without what Koa does around its middleware: it composes it, and listens for the end
// of each answer to tell of a connection that broke.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { Next } from 'koa';
import type { RouteContext } from '../access/requestContext.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The usual spellings of the endpoints' paths, with a key in them or without; others take Koa's way. */
const TRADING_TARGET = /^\/v1\/exchanges\/perpx\/(?:key\/[^/?#%]+\/)?(?:info|exchange)$/;

/**
 * @param app answers all other requests
 * @param pipeline never throws, and leaves to Koa, or to the code here, only answers that it did not write itself
 */
export function withTradingWay(
  app: Koa,
  pipeline: (ctx: RouteContext, next: Next) => Promise<void>,
  trading: (ctx: RouteContext, next: Next) => Promise<void>,
): RequestHandler {
  const others = app.callback();
  const none = async (): Promise<void> => undefined;
  return async (request, response) => {
    if (request.method !== 'POST' || !TRADING_TARGET.test(request.url ?? '')) return others(request, response);
    const ctx = app.createContext(request, response) as unknown as RouteContext;
    try {
      await pipeline(ctx, () => trading(ctx, none));
      if (ctx.respond === false) return;
      if (ctx.writable) response.end(ctx.body);
      else response.end();
    } catch (error) {
      ctx.onerror(error as Error);
    }
  };
}
