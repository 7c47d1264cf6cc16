// Mounts the endpoints below /v1/alerts. Only an access token reaches them: a stolen key must not have an account's life sent elsewhere.
import type { AlertDeliveries } from '../../shared/alerts/alertDeliveries.ts';
import type { AlertEndpoints } from '../../shared/alerts/alertEndpoints.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { AuthParts, AuthRouter } from '../auth/authParts.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { changeAlertEndpointEndpoint, mountChangeAlertEndpoint } from './changeAlertEndpoint.ts';
import { createAlertEndpointEndpoint, mountCreateAlertEndpoint } from './createAlertEndpoint.ts';
import { listAlertDeliveriesEndpoint, mountListAlertDeliveries } from './listAlertDeliveries.ts';
import { listAlertEndpointsEndpoint, mountListAlertEndpoints } from './listAlertEndpoints.ts';
import { mountRemoveAlertEndpoint, removeAlertEndpointEndpoint } from './removeAlertEndpoint.ts';
import { mountRetryAlertDelivery, retryAlertDeliveryEndpoint } from './retryAlertDelivery.ts';
import { mountRotateAlertSecret, rotateAlertSecretEndpoint } from './rotateAlertSecret.ts';
import { mountTestAlertEndpoint, testAlertEndpointEndpoint } from './testAlertEndpoint.ts';

export const alertEndpoints: readonly Endpoint[] = [
  listAlertEndpointsEndpoint,
  createAlertEndpointEndpoint,
  changeAlertEndpointEndpoint,
  removeAlertEndpointEndpoint,
  rotateAlertSecretEndpoint,
  testAlertEndpointEndpoint,
  listAlertDeliveriesEndpoint,
  retryAlertDeliveryEndpoint,
];

/** Where endpoints and their deliveries are kept. */
export interface AlertStores {
  readonly endpoints: AlertEndpoints;
  readonly deliveries: AlertDeliveries;
  /** Real time: when deliveries are due. */
  readonly realNow: () => number;
}

export function mountAlerts(
  router: AuthRouter,
  { auth, alerts, mongo }: { auth: AuthParts; alerts: AlertStores; mongo: MongoConnection },
): void {
  const parts = { auth, ...alerts };
  mountListAlertEndpoints(router, parts);
  mountCreateAlertEndpoint(router, { ...parts, mongo });
  mountChangeAlertEndpoint(router, parts);
  mountRemoveAlertEndpoint(router, parts);
  mountRotateAlertSecret(router, parts);
  mountTestAlertEndpoint(router, parts);
  mountListAlertDeliveries(router, parts);
  mountRetryAlertDelivery(router, parts);
}
