// What the endpoints of a node are given: each endpoint names the parts that it needs. Here the parts that answer about accounts and
// their copies are put together.

import type { AlertStores } from '../features/alerts/endpoints/alertAnswers.ts';
import type { Advances } from '../features/control/advances.ts';
import { Forks } from '../features/copies/forks.ts';
import { Imports } from '../features/copies/imports.ts';
import { MirrorStore } from '../features/copies/mirrorStore.ts';
import { Mirrors } from '../features/copies/mirrors.ts';
import { Lab } from '../features/lab/lab.ts';
import { tradingRules } from '../features/rules.ts';
import type { OperatorParts } from '../operators/acts/operatorParts.ts';
import type { Billing } from '../shared/billing/billing.ts';
import type { RoleParts } from '../shared/deployment/role.ts';
import { AuditLog } from '../shared/mongo/auditLog.ts';
import type { UserStore } from '../shared/mongo/userStore.ts';
import type { Admission } from './access/admission.ts';
import type { OperatorTurns } from './access/limits/readingTurns.ts';
import { AccountAnswers } from './accounts/accountAnswers.ts';
import { ExcursionStore } from './accounts/excursionStore.ts';
import { KnownAccounts } from './accounts/knownAccounts.ts';
import type { Services } from './accounts/services.ts';
import type { AuthParts } from './auth/parts/authParts.ts';
import type { Endpoint } from './contract/endpoint.ts';
import type { DashboardParts } from './dashboard/dashboardEndpoints.ts';
import type { NodeAccounts } from './nodeAccounts.ts';
import type { NodeMarket } from './nodeMarket.ts';
import type { Health } from './operations/health.ts';
import type { DashboardFiles } from './pages/dashboardFiles.ts';
import type { StreamServer } from './stream/streamServer.ts';
import { usageOf } from './trading/answering.ts';

export interface ApiParts extends AuthParts, DashboardParts {
  /** Those of this deployment. */
  readonly endpoints: readonly Endpoint[];
  readonly alerts: AlertStores;
  readonly billing: Billing;
  readonly operators: OperatorParts;
  readonly operatorTurns: OperatorTurns;
  readonly forks: Forks;
  readonly imports: Imports;
  readonly mirrors: Mirrors;
  readonly admission: Admission;
  readonly streams: StreamServer;
  readonly health: Pick<Health, 'report'>;
  /** Where CONTROL is on. */
  readonly advances?: Advances | undefined;
  /** Absent: there is no page for operators. */
  readonly board?: object | undefined;
  /** Absent: the dashboard is not served. */
  readonly dashboard?: DashboardFiles | undefined;
}

/** The two sides of a node; tests have both in memory. */
export interface Surroundings {
  readonly nodeMarket: NodeMarket;
  readonly nodeAccounts: NodeAccounts;
}

/** The answers about accounts, and the copies of accounts. */
export function createServices(
  { config, log, redis, mongo, formats, now }: RoleParts,
  { nodeMarket, nodeAccounts }: Surroundings,
  given: { readonly users: UserStore; readonly now: (() => number) | undefined },
) {
  const { market, venue, upstream, candles } = nodeMarket;
  const { gateway, historyOf, history } = nodeAccounts;
  const audit = new AuditLog(mongo);
  const forks = new Forks({ gateway, mongo, formats, log, rules: tradingRules });
  const imports = new Imports({ gateway, mongo, venue, now });
  const mirrors = new Mirrors({ gateway, store: new MirrorStore(mongo), audit, redis, imports, config, now });
  const ownAccounts = new KnownAccounts({ gateway, users: given.users, forks });
  const lab = new Lab({ redis, gateway, market, now });
  const services: Services = {
    ...{ gateway, history: historyOf(gateway), market, upstream, candles, config, log, ownAccounts, lab },
    ...{ excursions: new ExcursionStore({ mongo, formats }), now: given.now ?? now, limits: { usage: usageOf } },
  };
  const answers = new AccountAnswers({ services, history, historyOf });
  return { services, answers, audit, forks, imports, mirrors, ownAccounts, lab };
}
