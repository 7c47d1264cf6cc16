// DELETE /v1/alerts/endpoints/{id}: nothing is sent there any more, and its deliveries and dead letters are removed.

import { Type } from '@sinclair/typebox';
import { requireUser } from '../auth/authParts.ts';
import { recordAudit } from '../auth/recordAudit.ts';
import { exactly } from '../contract/answerValues.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { AlertEndpointId, type AlertParts, unknownEndpoint } from './alertAnswers.ts';

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
