// POST /v1/alerts/deliveries/{id}/retry: a dead letter is tried again, with ten tries as at first.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import { NoFields, readNoFields } from '../account/noFields.ts';
import { requireUser } from '../auth/authParts.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import type { AlertParts } from './alertAnswers.ts';
import { AlertDelivery, MessageId, toDelivery } from './listAlertDeliveries.ts';

export const retryAlertDeliveryEndpoint = endpoint({
  id: 'retryAlertDelivery',
  method: 'post',
  path: '/v1/alerts/deliveries/:id/retry',
  tag: 'Alerts',
  summary: 'Has a dead letter tried again.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: MessageId }),
  body: { schema: NoFields, examples: { nothing: {} }, isOptional: true },
  answer: { about: 'The delivery, which waits for its first try.', schema: AlertDelivery },
  errors: { 404: ['unknown_dead_letter', 'not_found'], 405: ['method_not_allowed'] },
  handle:
    ({ auth, alerts: { endpoints, deliveries, realNow } }: AlertParts) =>
    async (ctx) => {
      const { _id: userId } = await requireUser(ctx, auth);
      const { id = '' } = ctx.params;
      await readNoFields(ctx, auth.readBody);
      const now = new Date(realNow());
      const requeued = await deliveries.requeue(userId, id, now);
      if (requeued === null) throw new RequestError(404, 'unknown_dead_letter', 'There is no such dead letter.');
      await endpoints.wake(requeued.endpoint, now);
      answerJson(ctx, toDelivery(requeued));
    },
});
