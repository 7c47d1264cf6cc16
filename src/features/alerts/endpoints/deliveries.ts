// Deliveries of a user's alerts. The list shows waiting messages, those of the last days, and dead letters. A retry gives a dead letter ten
// tries, as at first.
import { Type } from '@sinclair/typebox';
import { requireUser } from '../../../api/auth/acts/userChecks.ts';
import { Address, type AnswerFor, Count, Cursor, exactly, IsoTime, orNull, words } from '../../../api/contract/answerValues.ts';
import { described, named } from '../../../api/contract/named.ts';
import { CHEAP } from '../../../api/domain/requestPrice.ts';
import { answerJson } from '../../../api/http/answers.ts';
import { endpoint } from '../../../api/http/endpoint.ts';
import { limitParameter, NoFields, readLimit, readNoFields } from '../../../api/http/requestReader.ts';
import { RequestError } from '../../../shared/errors.ts';
import { ALERT_KINDS } from '../rules/alertKinds.ts';
import type { AlertDeliveryDocument, DeliveryState } from '../store/alertDeliveries.ts';
import { AlertEndpointId, type AlertParts } from './alertAnswers.ts';

const STATES = ['waiting', 'delivered', 'dead'] as const;

export const MessageId = Type.String({
  description: 'Id of a message, its header `webhook-id`: the same in every try.',
  examples: ['msg_0f1e2d3c4b5a69788796a5b4c3d2e1f0'],
});
const StatusName = named('AlertDeliveryStatus', words(...STATES));

const AlertDelivery = named(
  'AlertDelivery',
  exactly({
    message_id: MessageId,
    endpoint: AlertEndpointId,
    type: named('AlertMessageType', words(...ALERT_KINDS, 'test')),
    account: described(orNull(Address), 'The account that it is about; null of a test, and of what is about the user.'),
    status: StatusName,
    created_at: IsoTime,
    tries: Count,
    last_try_at: orNull(IsoTime),
    result: described(orNull(Type.String({ examples: ['answered 500'] })), 'What the last try came to.'),
    next_try_at: described(orNull(IsoTime), 'Not before then, and not before the messages of its account ahead of it.'),
    body: described(Type.String(), 'As a webhook gets it; mails and chats have a line made of it.'),
  }),
);

export const listAlertDeliveriesEndpoint = endpoint({
  id: 'listAlertDeliveries',
  method: 'get',
  path: '/v1/alerts/deliveries',
  tag: 'Alerts',
  summary: 'Deliveries that wait, those of the last days and dead letters, newest first.',
  credential: 'token',
  price: CHEAP,
  query: Type.Object({
    endpoint: Type.Optional(Type.String({ description: 'Of this endpoint only.' })),
    status: Type.Optional(StatusName),
    limit: limitParameter,
    cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  }),
  answer: {
    about: 'A page of deliveries.',
    schema: named('AlertDeliveryPage', exactly({ items: Type.Array(AlertDelivery), next_cursor: Cursor })),
  },
  errors: { 400: ['invalid_request', 'invalid_cursor'] },
  handle: (parts: AlertParts) => async (ctx) => {
    const { deliveries } = parts.alerts;
    const { _id: userId } = await requireUser(ctx, parts);
    const { endpoint: of, status, cursor } = ctx.query;
    const limit = readLimit(ctx.query['limit']);
    const rows = await deliveries.list(userId, {
      ...{ endpoint: readText(of), state: readState(status), limit: limit + 1 },
      ...(cursor !== undefined && { before: readCursor(cursor) }),
    });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const next = rows.length > limit && last !== undefined ? writeCursor(last) : null;
    answerJson(ctx, { items: shown.map(toDelivery), next_cursor: next });
  },
});

const toDelivery = (delivery: AlertDeliveryDocument): AnswerFor<typeof AlertDelivery> => ({
  message_id: delivery.message,
  endpoint: delivery.endpoint,
  type: delivery.type,
  account: delivery.lane.startsWith('0x') ? delivery.lane : null,
  status: delivery.state,
  created_at: delivery.createdAt.toISOString(),
  tries: delivery.tries,
  last_try_at: delivery.lastTriedAt?.toISOString() ?? null,
  result: delivery.result ?? null,
  next_try_at: delivery.state === 'waiting' ? delivery.dueAt.toISOString() : null,
  body: delivery.body,
});

type Given = string | string[] | undefined;

/** @throws {RequestError} 400 when it is given twice */
function readText(given: Given): string | undefined {
  if (Array.isArray(given)) throw new RequestError(400, 'invalid_request', 'endpoint must be given once.');
  return given;
}

/** @throws {RequestError} 400 */
function readState(given: Given): DeliveryState | undefined {
  if (given === undefined) return undefined;
  const state = STATES.find((one) => one === given);
  if (state === undefined) throw new RequestError(400, 'invalid_request', `status must be one of ${STATES.join(', ')}.`);
  return state;
}

const writeCursor = ({ createdAt, _id }: AlertDeliveryDocument): string =>
  Buffer.from(`${createdAt.getTime()}:${_id}`).toString('base64url');

/** @throws {RequestError} 400 */
function readCursor(given: string | string[]): { createdAt: Date; _id: string } {
  const text = typeof given === 'string' ? Buffer.from(given, 'base64url').toString() : '';
  const [, time, _id] = /^(\d{1,15}):([\w:-]{1,200})$/.exec(text) ?? [];
  if (time === undefined || _id === undefined)
    throw new RequestError(400, 'invalid_cursor', 'cursor must be the next_cursor of a page before.');
  return { createdAt: new Date(Number(time)), _id };
}

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
  handle: (parts: AlertParts) => async (ctx) => {
    const { endpoints, deliveries, realNow } = parts.alerts;
    const { _id: userId } = await requireUser(ctx, parts);
    const { id = '' } = ctx.params;
    await readNoFields(ctx, parts.readBody);
    const now = new Date(realNow());
    const requeued = await deliveries.requeue(userId, id, now);
    if (requeued === null) throw new RequestError(404, 'unknown_dead_letter', 'There is no such dead letter.');
    await endpoints.wake(requeued.endpoint, now);
    answerJson(ctx, toDelivery(requeued));
  },
});
