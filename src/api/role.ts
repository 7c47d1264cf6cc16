// The role `api`: an HTTP server that authenticates, limits, validates and passes on. Another node could rebuild all
// of its state, so any number of nodes run side by side.

import { AlertDeliveries } from '../features/alerts/store/alertDeliveries.ts';
import { AlertEndpoints } from '../features/alerts/store/alertEndpoints.ts';
import { createAdvances } from '../features/control/advances.ts';
import { createMirrorLeader } from '../features/copies/mirrorLeader.ts';
import { tradingRules } from '../features/rules.ts';
import { createBilling } from '../shared/billing/billing.ts';
import { requireSecrets } from '../shared/config/schema.ts';
import type { Role, RoleParts } from '../shared/deployment/role.ts';
import type { HealthSource } from '../shared/metrics/metricsServer.ts';
import { type AccessChoices, createAccess } from './access/nodeAccess.ts';
import { createServices, type Surroundings } from './apiParts.ts';
import { createAuth } from './auth/parts/authParts.ts';
import { pathPrices } from './domain/requestPrice.ts';
import { openAccounts } from './nodeAccounts.ts';
import { openMarket } from './nodeMarket.ts';
import { createHealth } from './operations/health.ts';
import { openJobBoard } from './operations/jobBoard.ts';
import { readDashboard } from './pages/dashboardFiles.ts';
import { allEndpoints } from './registry.ts';
import { createApp, serve } from './server.ts';
import { createStreams } from './stream/nodeStream.ts';

/** Choices of a test. */
interface Choices extends AccessChoices {
  /** The clock of `info` and `exchange`; absent: exchange time. */
  readonly servicesNow?: () => number;
  /** Names this process among all that have sockets; absent: as the configuration does. */
  readonly socketsNodeId?: string;
  /** How often the files of TLS are looked at, ms. */
  readonly tlsLookMs?: number;
}

/** Resolves when requests are taken. @throws when the port is taken */
export async function startApi(parts: RoleParts): Promise<Role & { readonly port: number; readonly health: HealthSource }> {
  requireSecrets(parts.config);
  const nodeMarket = openMarket(parts);
  const nodeAccounts = openAccounts(parts, nodeMarket.market, tradingRules);
  const { start, mirrors, access, health, whyNotReady } = await composeApi(parts, { nodeMarket, nodeAccounts });
  const leader = createMirrorLeader(parts, { ...nodeMarket, ...nodeAccounts, mirrors, users: access.users });
  const { port, stop } = await start();
  leader?.start();
  return {
    ...{ port, whyNotReady },
    health: () => health.report(),
    stop: async () => {
      // The stop of the way to the accounts answers the commands that a mirror waits for.
      await Promise.all([leader?.stop(), stop()]);
    },
  };
}

/** Puts a node together; `start` has it take requests. */
export async function composeApi(parts: RoleParts, surroundings: Surroundings, choices: Choices = {}) {
  const { config, log, mongo, realNow } = parts;
  const { nodeMarket, nodeAccounts } = surroundings;
  const billing = createBilling(parts);
  if (billing.test !== undefined) log.warn('payments are tests: plans are had with a button, for nothing');
  const [hasControl, hasDashboard] = [config.CONTROL === 'on', config.DASHBOARD === 'on'];
  const endpoints = allEndpoints({ hasTestPayments: billing.test !== undefined, hasDashboard, hasControl });
  const access = createAccess(parts, { ...choices, prices: pathPrices(endpoints) });
  const { lab, ...ofAccounts } = createServices(parts, surroundings, { users: access.users, now: choices.servicesNow });
  const auth = createAuth({ ...parts, ...ofAccounts, access, accounts: nodeAccounts.gateway });
  const sockets = createStreams(parts, { ...access, ...ofAccounts, market: nodeMarket.stream, nodeId: choices.socketsNodeId });
  const { health, whyNotReady } = createHealth(parts, nodeMarket.market);
  const board = config.ADMIN_PASSWORD === '' ? undefined : await openJobBoard(parts, access.rateLimit);
  const advances = hasControl ? await createAdvances({ ...parts, ...nodeMarket }) : undefined;
  const app = createApp({
    ...{ ...parts, ...access, ...auth, ...ofAccounts, ...sockets, billing, health, endpoints, board, advances },
    alerts: { endpoints: new AlertEndpoints(mongo), deliveries: new AlertDeliveries(mongo), realNow },
    dashboard: hasDashboard ? readDashboard(config.PUBLIC_URL) : undefined,
  });
  return {
    ...{ ...ofAccounts, access, auth, billing, health, whyNotReady },
    start: async () => {
      await Promise.all([nodeAccounts.start(), nodeMarket.follower.start(), access.startAccess()]);
      sockets.streams.start();
      const server = await serve(app, parts, { ...access, ...sockets, ...auth, ...surroundings, tlsLookMs: choices.tlsLookMs });
      const stop = async (): Promise<void> => {
        await Promise.all([server.stop(), sockets.stopStreams()]);
        lab.stop();
        await auth.stopAuth();
        await Promise.all([
          nodeAccounts.stop(),
          nodeMarket.follower.stop(),
          access.stopAccess(),
          board?.stop(),
          advances?.stop(),
        ]);
      };
      return { port: server.port, stop };
    },
  };
}
