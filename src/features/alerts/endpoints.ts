// The endpoints below /v1/alerts. Only an access token reaches them: a stolen key must not have an account's life sent elsewhere.

import type { MountedEndpoint } from '../../api/http/endpoint.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { AlertParts } from './endpoints/alertAnswers.ts';
import { changeAlertEndpointEndpoint, createAlertEndpointEndpoint } from './endpoints/changeEndpoints.ts';
import { listAlertDeliveriesEndpoint, retryAlertDeliveryEndpoint } from './endpoints/deliveries.ts';
import {
  listAlertEndpointsEndpoint,
  removeAlertEndpointEndpoint,
  rotateAlertSecretEndpoint,
  testAlertEndpointEndpoint,
} from './endpoints/ownEndpoints.ts';

export const alertEndpoints: readonly MountedEndpoint<AlertParts & { readonly mongo: MongoConnection }>[] = [
  listAlertEndpointsEndpoint,
  createAlertEndpointEndpoint,
  changeAlertEndpointEndpoint,
  removeAlertEndpointEndpoint,
  rotateAlertSecretEndpoint,
  testAlertEndpointEndpoint,
  listAlertDeliveriesEndpoint,
  retryAlertDeliveryEndpoint,
];
