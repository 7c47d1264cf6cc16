// The endpoints below /v1/alerts. Only an access token reaches them: a stolen key must not have an account's life sent elsewhere.
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { MountedEndpoint } from '../http/endpoint.ts';
import type { AlertParts } from './alertAnswers.ts';
import { changeAlertEndpointEndpoint } from './changeAlertEndpoint.ts';
import { createAlertEndpointEndpoint } from './createAlertEndpoint.ts';
import { listAlertDeliveriesEndpoint } from './listAlertDeliveries.ts';
import { listAlertEndpointsEndpoint } from './listAlertEndpoints.ts';
import { removeAlertEndpointEndpoint } from './removeAlertEndpoint.ts';
import { retryAlertDeliveryEndpoint } from './retryAlertDelivery.ts';
import { rotateAlertSecretEndpoint } from './rotateAlertSecret.ts';
import { testAlertEndpointEndpoint } from './testAlertEndpoint.ts';

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
