// The API's Koa application: the request pipeline, then the routes. All parts are parameters, so a test can combine
// real parts with its own.
import Router from '@koa/router';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { RoleParts } from '../shared/deployment/role.ts';
import type { Tracing } from '../shared/tracing/tracing.ts';
import { requireCredential } from './access/callerChecks.ts';
import type { UnreadAnswers } from './access/limits/heldBytes.ts';
import { operatorTurns } from './access/limits/readingTurns.ts';
import type { NodeAccess } from './access/nodeAccess.ts';
import { limitHeaders, type RequestContext, unusedLimit } from './access/requestContext.ts';
import { AccountReads } from './account/reading.ts';
import type { ApiParts } from './apiParts.ts';
import type { Passwords } from './auth/parts/passwords.ts';
import { createCors } from './http/browser.ts';
import { Connections } from './http/connections.ts';
import type { MountedEndpoint } from './http/endpoint.ts';
import { type HttpServer, listen, tlsFilesOf } from './http/httpServer.ts';
import { ApiMetrics, registerCertificate, registerReadings } from './http/metrics.ts';
import { createRequestPipeline } from './http/requestPipeline.ts';
import type { NodeAccounts } from './nodeAccounts.ts';
import type { NodeMarket } from './nodeMarket.ts';
import type { JobBoard } from './operations/jobBoard.ts';
import type { NodeStreams } from './stream/nodeStream.ts';
import { answerTrading, type RequestHandler, withTradingWay } from './trading/answering.ts';
import { exchangeEndpoint, infoEndpoint } from './trading/tradingContract.ts';

export interface ServerParts extends Omit<ApiParts, 'endpoints' | 'reads' | 'operators' | 'operatorTurns' | 'board'> {
  /** Those of this deployment. */
  readonly endpoints: readonly MountedEndpoint<ApiParts>[];
  readonly registry: Registry;
  readonly unread: UnreadAnswers;
  readonly tracing: Tracing;
  /** Absent: there is no page for operators. */
  readonly board?: JobBoard | undefined;
}

interface Served extends Pick<NodeAccess, 'held' | 'unread' | 'seldom'>, Pick<NodeStreams, 'streams' | 'upgrades'> {
  readonly passwords: Passwords;
  readonly nodeAccounts: Pick<NodeAccounts, 'waiting'>;
  readonly nodeMarket: Pick<NodeMarket, 'market'>;
  readonly tlsLookMs: number | undefined;
}

/** Takes requests, and shows the node's load in the metrics. @throws when the port is taken */
export async function serve(app: RequestHandler, { config, log, now, registry }: RoleParts, parts: Served): Promise<HttpServer> {
  const { held, unread, seldom, streams, upgrades, passwords, nodeAccounts, nodeMarket, tlsLookMs } = parts;
  const connections = new Connections(config, seldom);
  registerReadings(registry, {
    waitingCommands: nodeAccounts.waiting,
    waitingPasswords: () => passwords.load,
    openSockets: () => streams.size,
    socketBytes: () => streams.waitingBytes,
    requestBytes: () => held.total,
    unreadBytes: () => unread.total,
    connections: () => connections.figures,
    feedAges: () => nodeMarket.market.ages(now()),
  });
  const server = await listen(app, {
    ...{ host: config.HOST, port: config.PORT, log, upgrades, connections, tls: tlsFilesOf(config) },
    headersOfRefusal: () => limitHeaders(unusedLimit(config, now())),
    ...(tlsLookMs !== undefined && { tlsLookMs }),
  });
  if (server.certificateEndsAtMs !== undefined) registerCertificate(registry, server.certificateEndsAtMs);
  return server;
}

export function createApp(parts: ServerParts): RequestHandler {
  const { config, log, now, readBody, registry, admission, unread, board, tracing, dashboard } = parts;
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
  for (const endpoint of parts.endpoints) {
    const answer = endpoint.handle(whole);
    router[endpoint.method](endpoint.path, async (ctx) => {
      requireCredential(ctx, endpoint);
      await answer(ctx);
    });
  }
  const trading = answerTrading({ info: infoEndpoint.handle(whole), exchange: exchangeEndpoint.handle(whole) });
  return { router, trading };
}

/** What endpoints need, with what they share on a node. */
function wholeParts(parts: ServerParts): ApiParts {
  const { billing, mongo, services } = parts;
  return {
    ...parts,
    reads: new AccountReads(services.now),
    operators: { billing, mongo, redis: billing.redis },
    operatorTurns: operatorTurns(),
  };
}
