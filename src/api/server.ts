// The API's Koa application: the request pipeline, then the routes. All parts are parameters, so a test can combine
// real parts with its own.
import Router from '@koa/router';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { Tracing } from '../shared/tracing/tracing.ts';
import { requireKeyAccess } from './access/keyScopes.ts';
import type { UnreadAnswers } from './access/limits/heldBytes.ts';
import type { RequestContext } from './access/requestContext.ts';
import { adminTurns } from './admin/adminEndpoint.ts';
import type { ApiParts } from './apiParts.ts';
import type { AuthParts } from './auth/parts/authParts.ts';
import { AccountReads } from './dashboard/reading.ts';
import { exchangeEndpoint, infoEndpoint } from './documents/tradingContract.ts';
import { createCors } from './http/browser.ts';
import type { MountedEndpoint } from './http/endpoint.ts';
import { ApiMetrics } from './http/metrics.ts';
import { createRequestPipeline } from './http/requestPipeline.ts';
import type { JobBoard } from './operations/jobBoard.ts';
import { answerTrading } from './trading.ts';
import { type RequestHandler, withTradingWay } from './tradingWay.ts';

export interface ServerParts
  extends Omit<ApiParts, keyof AuthParts | 'endpoints' | 'reads' | 'operators' | 'operatorTurns' | 'board'> {
  /** Those of this deployment. */
  readonly endpoints: readonly MountedEndpoint<ApiParts>[];
  readonly registry: Registry;
  readonly unread: UnreadAnswers;
  readonly tracing: Tracing;
  /** Absent: there is no page for operators. */
  readonly board?: JobBoard | undefined;
}

export function createApp(parts: ServerParts): RequestHandler {
  const { auth, registry, admission, unread, board, tracing, dashboard } = parts;
  const { config, log, now, readBody } = auth;
  const hops = config.PROXY_HOPS;
  const app = new Koa<{ request: RequestContext }>({ proxy: hops > 0, maxIpsCount: hops });
  // Only an error of a connection that breaks during an answer arrives here.
  app.on('error', (error: Error) => log.debug({ reason: error.message }, 'an answer could not be written'));

  const metrics = new ApiMetrics(registry);
  const pipeline = createRequestPipeline({
    ...{ log, now, admission, cors: createCors(config), metrics, readBody, unread, tracing, notFoundPage: dashboard?.page },
  });
  app.use(pipeline);
  const { router, trading } = createRouter(parts);
  app.use(trading);
  if (board !== undefined) app.use(board.middleware);
  app.use(router.routes());
  return withTradingWay(app, pipeline, trading);
}

/** Every route of the registry. `trading` answers most requests before the routes. */
export function createRouter(parts: ServerParts): {
  readonly router: Router<{ request: RequestContext }>;
  readonly trading: ReturnType<typeof answerTrading>;
} {
  const whole = wholeParts(parts);
  // Prices go by the path as well, so a path in other letter case is no path of this service.
  const router = new Router<{ request: RequestContext }>({ sensitive: true });
  for (const { method, path, scope, handle } of parts.endpoints) {
    const answer = handle(whole);
    router[method](path, async (ctx) => {
      if (scope !== undefined) requireKeyAccess(ctx, scope);
      await answer(ctx);
    });
  }
  const trading = answerTrading({ info: infoEndpoint.handle(whole), exchange: exchangeEndpoint.handle(whole) });
  return { router, trading };
}

/** What endpoints need, with what they share on a node. */
function wholeParts(parts: ServerParts): ApiParts {
  const { auth, billing, mongo, services } = parts;
  return {
    ...auth,
    ...parts,
    reads: new AccountReads(services.now),
    operators: { billing, mongo, redis: billing.redis },
    operatorTurns: adminTurns(),
  };
}
