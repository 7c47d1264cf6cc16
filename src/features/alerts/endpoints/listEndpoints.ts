// The list of a user's alert endpoints, without their secrets, and the removal of one: its deliveries and dead letters go with it.
import { Type } from '@sinclair/typebox';
import { requireUser } from '../../../api/auth/acts/userChecks.ts';
import { exactly } from '../../../api/contract/answerValues.ts';
import { named } from '../../../api/contract/named.ts';
import { CHEAP } from '../../../api/domain/requestPrice.ts';
import { answerJson } from '../../../api/http/answers.ts';
import { recordAudit } from '../../../api/http/audited.ts';
import { endpoint } from '../../../api/http/endpoint.ts';
import { AlertEndpointAnswer, AlertEndpointId, type AlertParts, toEndpointAnswer, unknownEndpoint } from './alertAnswers.ts';

export const listAlertEndpointsEndpoint = endpoint({
  id: 'listAlertEndpoints',
  method: 'get',
  path: '/v1/alerts/endpoints',
  tag: 'Alerts',
  summary: 'The user’s endpoints, without their secrets.',
  credential: 'token',
  price: CHEAP,
  answer: {
    about: 'The endpoints, oldest first.',
    schema: named('AlertEndpointList', exactly({ endpoints: Type.Array(AlertEndpointAnswer) })),
  },
  handle:
    ({ auth, alerts }: AlertParts) =>
    async (ctx) => {
      const { _id: userId } = await requireUser(ctx, auth);
      const endpoints = await alerts.endpoints.listOf(userId);
      answerJson(ctx, { endpoints: await Promise.all(endpoints.map((one) => toEndpointAnswer(alerts, one))) });
    },
});

export const removeAlertEndpointEndpoint = endpoint({
  id: 'removeAlertEndpoint',
  method: 'delete',
  path: '/v1/alerts/endpoints/:id',
  tag: 'Alerts',
  summary: 'Removes an endpoint with its deliveries and dead letters.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: AlertEndpointId }),
  answer: { about: 'It is gone.', schema: exactly({ id: AlertEndpointId, message: Type.String() }) },
  errors: { 404: ['unknown_endpoint', 'not_found'], 405: ['method_not_allowed'] },
  handle:
    ({ auth, alerts: { endpoints, deliveries } }: AlertParts) =>
    async (ctx) => {
      const { _id: userId } = await requireUser(ctx, auth);
      const { id = '' } = ctx.params;
      if (!(await endpoints.remove(userId, id))) throw unknownEndpoint();
      await deliveries.removeOf(id);
      await recordAudit(ctx, auth, { userId, action: 'alert_endpoint.removed', outcome: 'ok', detail: id });
      answerJson(ctx, { id, message: 'The endpoint is removed.' });
    },
});
