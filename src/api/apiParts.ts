// What the endpoints of a node are given: each endpoint names the parts that it needs.

import type { AlertStores } from '../features/alerts/endpoints/alertAnswers.ts';
import type { Forks } from '../features/copies/forks.ts';
import type { Imports } from '../features/copies/imports.ts';
import type { Mirrors } from '../features/copies/mirrors.ts';
import type { Billing } from '../shared/billing/billing.ts';
import type { Admission } from './access/admission.ts';
import type { AdminParts } from './admin/adminEndpoint.ts';
import type { AuthParts } from './auth/parts/authParts.ts';
import type { Endpoint } from './contract/endpoint.ts';
import type { Advances } from './control/advance/advances.ts';
import type { DashboardParts } from './dashboard/dashboardEndpoints.ts';
import type { Health } from './operations/health.ts';
import type { DashboardFiles } from './pages/dashboardFiles.ts';
import type { StreamServer } from './stream/streamServer.ts';

export interface ApiParts extends AuthParts, DashboardParts {
  /** Those of this deployment. */
  readonly endpoints: readonly Endpoint[];
  readonly auth: AuthParts;
  readonly alerts: AlertStores;
  readonly billing: Billing;
  readonly operators: AdminParts['operators'];
  readonly operatorTurns: AdminParts['operatorTurns'];
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
