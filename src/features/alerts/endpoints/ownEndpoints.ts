// A user lists alert endpoints, without their secrets, and removes one, with its deliveries and dead letters. An endpoint gets its next
// secret and a test here.

import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { CodeText } from '../../../api/auth/acts/credentialsBody.ts';
import { requireLiveUser, requireSecondFactor, requireUser } from '../../../api/auth/acts/userChecks.ts';
import { exactly } from '../../../api/contract/answerValues.ts';
import { named } from '../../../api/contract/named.ts';
import { CHEAP } from '../../../api/domain/requestPrice.ts';
import { answerJson } from '../../../api/http/answers.ts';
import { recordAudit } from '../../../api/http/audited.ts';
import { endpoint } from '../../../api/http/endpoint.ts';
import { compileReader, NoFields, readNoFields } from '../../../api/http/requestReader.ts';
import { DAY_MS } from '../../../shared/domain/units.ts';
import { RequestError } from '../../../shared/errors.ts';
import { TESTS_WAITING_MAX } from '../rules/alertKinds.ts';
import { newTest, TEST_LANE } from '../store/alertDeliveries.ts';
import { webhookSecret } from '../store/webhook.ts';
import {
  AlertEndpointAnswer,
  AlertEndpointId,
  type AlertParts,
  AlertSecretAnswer,
  requireProven,
  toEndpointAnswer,
  unknownEndpoint,
} from './alertAnswers.ts';
import { MessageId } from './deliveries.ts';

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
  handle: (parts: AlertParts) => async (ctx) => {
    const { alerts } = parts;
    const { _id: userId } = await requireUser(ctx, parts);
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
  handle: (parts: AlertParts) => async (ctx) => {
    const { endpoints, deliveries } = parts.alerts;
    const { _id: userId } = await requireUser(ctx, parts);
    const { id = '' } = ctx.params;
    if (!(await endpoints.remove(userId, id))) throw unknownEndpoint();
    await deliveries.removeOf(id);
    await recordAudit(ctx, parts, { userId, action: 'alert_endpoint.removed', outcome: 'ok', detail: id });
    answerJson(ctx, { id, message: 'The endpoint is removed.' });
  },
});

/** For so long the old secret signs beside the next one. */
const OVERLAP_MS = DAY_MS;

const readBody = compileReader(
  Type.Object({ code: Type.Optional(CodeText) }, { additionalProperties: false, expected: 'an object of code' }),
);

export const rotateAlertSecretEndpoint = endpoint({
  id: 'rotateAlertSecret',
  method: 'post',
  path: '/v1/alerts/endpoints/:id/secret',
  tag: 'Alerts',
  summary: 'Makes the next secret of a webhook, shown once. The one before signs beside it for a day.',
  credential: 'token',
  asks: ['secondFactor'],
  price: CHEAP,
  params: Type.Object({ id: AlertEndpointId }),
  body: { schema: readBody.schema, examples: { next: {} } },
  answer: {
    about: 'The secret.',
    schema: AlertSecretAnswer,
  },
  errors: {
    404: ['unknown_endpoint', 'not_found'],
    405: ['method_not_allowed'],
    409: ['no_secret'],
    503: ['busy'],
  },
  handle: (parts: AlertParts) => {
    const { alerts } = parts;
    const { endpoints, realNow } = alerts;
    return async (ctx) => {
      const live = await requireLiveUser(ctx, parts);
      const userId = live.user._id;
      const { id = '' } = ctx.params;
      const { code } = readBody(await parts.readBody(ctx));
      await requireSecondFactor(ctx, parts, { ...live, code });
      const before = await endpoints.findOwn(userId, id);
      if (before === null) throw unknownEndpoint();
      if (before.channel !== 'webhook')
        throw new RequestError(409, 'no_secret', `Only a webhook has a secret: the channel is ${before.channel}.`);
      const { secret, note } = await webhookSecret(parts.secrets, id, before.secret.version + 1);
      const rotated = await endpoints.rotate(before, { secret: note, beforeUntil: new Date(realNow() + OVERLAP_MS) });
      if (rotated === null)
        throw new RequestError(503, 'busy', 'The endpoint is being changed by other requests.', { 'Retry-After': '1' });
      await recordAudit(ctx, parts, { userId, action: 'alert_endpoint.rotated', outcome: 'ok', detail: id });
      answerJson(ctx, { secret, endpoint: await toEndpointAnswer(alerts, rotated) });
    };
  },
});

/** The message goes the way of every other message. */
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
  handle: (parts: AlertParts) => async (ctx) => {
    const { endpoints, deliveries, realNow } = parts.alerts;
    const { _id: userId } = await requireUser(ctx, parts);
    const { id = '' } = ctx.params;
    await readNoFields(ctx, parts.readBody);
    const found = await endpoints.findOwn(userId, id);
    if (found === null) throw unknownEndpoint();
    requireProven(found);
    if (found.state !== 'active') throw new RequestError(409, 'endpoint_paused', 'The endpoint is paused: have it go on first.');
    if ((await deliveries.count(id, 'waiting', TEST_LANE)) >= TESTS_WAITING_MAX)
      throw new RequestError(409, 'tests_waiting', `${TESTS_WAITING_MAX} tests of this endpoint wait already.`);
    const now = new Date(realNow());
    const test = newTest(found, now.getTime(), randomBytes(6).toString('hex'));
    const [message] = await deliveries.add([test], now);
    await endpoints.wake(id, now);
    answerJson(ctx, { message_id: message });
  },
});
