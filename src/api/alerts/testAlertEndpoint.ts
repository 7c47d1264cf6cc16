// POST /v1/alerts/endpoints/{id}/test: a message of the type `test`, sent like every other one.

import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { TESTS_WAITING_MAX, testBody } from '../../features/alerts/rules/alertKinds.ts';
import { deliveryId, TEST_LANE } from '../../features/alerts/store/alertDeliveries.ts';
import { RequestError } from '../../shared/errors.ts';
import { NoFields, readNoFields } from '../account/noFields.ts';
import { requireUser } from '../auth/authParts.ts';
import { exactly } from '../contract/answerValues.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { AlertEndpointId, type AlertParts, requireProven, unknownEndpoint } from './alertAnswers.ts';
import { MessageId } from './listAlertDeliveries.ts';

export const testAlertEndpointEndpoint = endpoint({
  id: 'testAlertEndpoint',
  method: 'post',
  path: '/v1/alerts/endpoints/:id/test',
  tag: 'Alerts',
  summary: 'Sends an endpoint a message of the type `test`.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: AlertEndpointId }),
  body: { schema: NoFields, examples: { nothing: {} }, isOptional: true },
  answer: { about: 'The message waits for its first try.', schema: exactly({ message_id: MessageId }) },
  errors: {
    404: ['unknown_endpoint', 'not_found'],
    405: ['method_not_allowed'],
    409: ['endpoint_paused', 'endpoint_unproven', 'tests_waiting'],
  },
  handle:
    ({ auth, alerts: { endpoints, deliveries, realNow } }: AlertParts) =>
    async (ctx) => {
      const { _id: userId } = await requireUser(ctx, auth);
      const { id = '' } = ctx.params;
      await readNoFields(ctx, auth.readBody);
      const found = await endpoints.findOwn(userId, id);
      if (found === null) throw unknownEndpoint();
      requireProven(found);
      if (found.state !== 'active')
        throw new RequestError(409, 'endpoint_paused', 'The endpoint is paused: have it go on first.');
      if ((await deliveries.count(id, 'waiting', TEST_LANE)) >= TESTS_WAITING_MAX)
        throw new RequestError(409, 'tests_waiting', `${TESTS_WAITING_MAX} tests of this endpoint wait already.`);
      const now = new Date(realNow());
      const body = testBody(id, now.toISOString());
      const _id = deliveryId(id, TEST_LANE, now.getTime(), randomBytes(6).toString('hex'));
      const [message] = await deliveries.add([{ _id, endpoint: id, userId, lane: TEST_LANE, type: 'test', body }], now);
      await endpoints.wake(id, now);
      answerJson(ctx, { message_id: message });
    },
});
