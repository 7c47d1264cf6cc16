// The API's Koa application: the request pipeline, then the routes. All parts are parameters, so a test can combine
// real parts with its own.
import Router from '@koa/router';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { Billing } from '../shared/billing/createBilling.ts';
import type { MongoConnection } from '../shared/mongo/mongo.ts';
import type { Tracing } from '../shared/tracing/tracing.ts';
import type { Admission } from './access/admission.ts';
import { mountKeyScopes } from './access/keys/keyScopes.ts';
import type { HeldBytes } from './access/limits/heldBytes.ts';
import type { UnreadAnswers } from './access/limits/unreadAnswers.ts';
import type { RequestContext } from './access/requestContext.ts';
import { mountAccount } from './account/mountAccount.ts';
import type { AccountAnswers } from './accounts/accountAnswers.ts';
import type { Services } from './accounts/services.ts';
import { mountAdmin } from './admin/mountAdmin.ts';
import { type AlertStores, mountAlerts } from './alerts/mountAlerts.ts';
import type { AuthParts } from './auth/authParts.ts';
import { mountAuth } from './auth/mountAuth.ts';
import { mountBilling } from './billing/mountBilling.ts';
import { mountCompareAccounts } from './compare/compareAccounts.ts';
import type { Endpoint } from './contract/endpoint.ts';
import type { Advances } from './control/advance/advances.ts';
import { mountControl } from './control/control.ts';
import { mountDashboard } from './dashboard/mountDashboard.ts';
import { mountShowDivergence } from './divergence/showDivergence.ts';
import { mountFrontPage } from './documents/frontPage.ts';
import { mountContract } from './documents/mountContract.ts';
import { mountForkAccount } from './fork/forkAccount.ts';
import type { Forks } from './fork/forks.ts';
import { createCors } from './http/cors.ts';
import { ApiMetrics } from './http/metrics.ts';
import { createRequestPipeline } from './http/requestPipeline.ts';
import { mountImportAccount } from './import/importAccount.ts';
import type { Imports } from './import/imports.ts';
import { mountMcp } from './mcp/mountMcp.ts';
import type { Mirrors } from './mirror/mirrors.ts';
import { mountShowMirror } from './mirror/showMirror.ts';
import { mountStartMirror } from './mirror/startMirror.ts';
import { mountStopMirror } from './mirror/stopMirror.ts';
import type { Health } from './operations/health.ts';
import type { JobBoard } from './operations/jobBoard.ts';
import { mountOperators } from './operations/operators.ts';
import type { DashboardFiles } from './pages/dashboardFiles.ts';
import { mountPages } from './pages/mountPages.ts';
import { mountSetHouseRules } from './rules/setHouseRules.ts';
import { mountStreams } from './stream/mountStreams.ts';
import type { StreamServer } from './stream/streamServer.ts';
import { mountSetTerms } from './terms/setTerms.ts';
import { mountTrading } from './trading.ts';
import { type RequestHandler, withTradingWay } from './tradingWay.ts';

export interface ServerParts {
  /** Those of this deployment. */
  readonly endpoints: readonly Endpoint[];
  readonly alerts: AlertStores;
  readonly auth: AuthParts;
  readonly billing: Billing;
  readonly forks: Forks;
  readonly imports: Imports;
  readonly mirrors: Mirrors;
  readonly mongo: MongoConnection;
  readonly services: Services;
  readonly answers: Pick<AccountAnswers, 'read'>;
  readonly health: Pick<Health, 'report'>;
  readonly registry: Registry;
  readonly admission: Admission;
  readonly held: HeldBytes;
  readonly unread: UnreadAnswers;
  readonly streams: StreamServer;
  readonly tracing: Tracing;
  /** Where CONTROL is on. */
  readonly advances?: Advances;
  /** Absent: there is no page for operators. */
  readonly board?: JobBoard;
  /** Absent: the dashboard is not served. */
  readonly dashboard?: DashboardFiles;
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

/** Every route; a test compares them with the published contract. `trading` answers most requests before the routes. */
export function createRouter(parts: ServerParts): {
  readonly router: Router<{ request: RequestContext }>;
  readonly trading: ReturnType<typeof mountTrading>;
} {
  const {
    alerts,
    auth,
    billing,
    forks,
    imports,
    mirrors,
    mongo,
    services,
    answers,
    health,
    streams,
    admission,
    held,
    dashboard,
    board,
    advances,
    endpoints,
  } = parts;
  // Prices go by the path as well, so a path in other letter case is no path of this service.
  const router = new Router<{ request: RequestContext }>({ sensitive: true });
  mountKeyScopes(router, endpoints);
  const trading = mountTrading(router, { services, answers, readBody: auth.readBody, admission });
  mountStreams(router, streams, services);
  mountMcp(router, { services, answers, readBody: auth.readBody, admission, config: auth.config });
  mountAuth(router, auth, dashboard?.page);
  mountAccount(router, auth);
  mountSetHouseRules(router, auth, services.market);
  mountSetTerms(router, auth);
  mountForkAccount(router, auth, forks);
  mountCompareAccounts(router, { services, mongo, admission });
  mountAlerts(router, { auth, alerts, mongo });
  mountImportAccount(router, auth, imports);
  mountStartMirror(router, auth, mirrors);
  mountShowMirror(router, auth, mirrors);
  mountStopMirror(router, auth, mirrors);
  mountShowDivergence(router, { services, mongo });
  mountBilling(router, { ...auth, billing, mongo }, dashboard?.page);
  mountDashboard(router, { services, answers, admission, mongo, held });
  if (advances !== undefined) mountControl(router, { ...auth, advances, market: services.market });
  mountOperators(router, { health, config: auth.config });
  mountAdmin(router, {
    ...{ auth, health, hasJobBoard: board !== undefined },
    operators: { billing, mongo, redis: billing.redis },
  });
  if (dashboard !== undefined) mountPages(router, dashboard);
  mountFrontPage(router, { config: auth.config, health, page: dashboard?.page });
  mountContract(router, { config: auth.config, endpoints });
  return { router, trading };
}
