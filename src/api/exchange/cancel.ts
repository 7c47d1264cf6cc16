// The ends of open orders: `cancel` by our ids, `cancelByCloid` by the client's, `scheduleCancel` at a time.
import { Type } from '@sinclair/typebox';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../shared/domain/assert.ts';
import { described, named } from '../contract/named.ts';
import { absentOr, CloidText, TimeMs, WholeNumber } from '../http/requestReader.ts';
import { CancelsAnswer, Done } from './actionAnswers.ts';
import { type ActionAnswer, actionType, batchRefusal, DONE, refusal, sendCommand } from './actionType.ts';

export const cancel = actionType({
  type: 'cancel',
  price: 'cancels',
  about: 'Ends open orders by our ids.',
  answers: CancelsAnswer,
  example: { type: 'cancel', cancels: [{ a: 0, o: 16_000_003 }] },
  schema: Type.Object({
    type: Type.Literal('cancel'),
    cancels: described(
      Type.Array(
        named('CancelRequest', Type.Object({ a: described(WholeNumber, 'Asset id.'), o: described(WholeNumber, 'Order id.') })),
        {
          expected: 'an array of cancels',
        },
      ),
      '`a` asset id, `o` order id.',
    ),
    f: described(absentOr(Type.Boolean({ expected: 'a boolean' })), 'Fast: not for orders that wait for their trigger.'),
  }),
  async run({ cancels, f }, context) {
    const refused = batchRefusal(cancels);
    if (refused) return refused;
    const targets = cancels.map(({ a, o }) => ({ asset: a, target: { oid: o } }));
    return toCancelAnswer(
      await sendCommand(context, { type: 'cancelOrders', cancels: targets, ...(f === true && { isFast: true }) }),
    );
  },
});

// The field names are not those of `cancel`.

export const cancelByCloid = actionType({
  type: 'cancelByCloid',
  price: 'cancels',
  about: 'Ends open orders by the client’s ids.',
  answers: CancelsAnswer,
  example: { type: 'cancelByCloid', cancels: [{ asset: 0, cloid: '0x1234567890abcdef1234567890abcdef' }] },
  schema: Type.Object({
    type: Type.Literal('cancelByCloid'),
    cancels: Type.Array(
      named('CancelByCloidRequest', Type.Object({ asset: described(WholeNumber, 'Asset id.'), cloid: CloidText })),
      {
        expected: 'an array of cancels',
      },
    ),
    f: described(absentOr(Type.Boolean({ expected: 'a boolean' })), 'Fast: not for orders that wait for their trigger.'),
  }),
  async run({ cancels, f }, context) {
    const refused = batchRefusal(cancels);
    if (refused) return refused;
    const targets = cancels.map(({ asset, cloid }) => ({ asset, target: { cloid: cloid.toLowerCase() } }));
    return toCancelAnswer(
      await sendCommand(context, { type: 'cancelOrders', cancels: targets, ...(f === true && { isFast: true }) }),
    );
  },
});

// The answer of `cancel` and `cancelByCloid`: one status per element, both under the type `cancel` (wire-format 4.3).

function toCancelAnswer(outcome: Outcome): ActionAnswer {
  if (outcome.type === 'refused') return refusal(outcome.text);
  assert(outcome.type === 'cancels', `a cancel batch is answered by cancels, not ${outcome.type}`);
  const statuses = outcome.cancels.map((cancel) => (cancel.type === 'success' ? 'success' : { error: cancel.text }));
  return { status: 'ok', response: { type: 'cancel', data: { statuses } } };
}

// `scheduleCancel`: the dead man's switch. With a time the switch is set or moved, without one it is removed.

export const scheduleCancel = actionType({
  type: 'scheduleCancel',
  price: 'one',
  about: 'The dead man’s switch: ends all open orders at a time, or, without one, is switched off.',
  answers: Done,
  example: { type: 'scheduleCancel' },
  schema: Type.Object({
    type: Type.Literal('scheduleCancel'),
    time: described(absentOr(TimeMs), 'When all open orders end.'),
  }),
  async run({ time }, context) {
    const outcome = await sendCommand(context, { type: 'scheduleCancel', ...(time != null && { dueMs: time }) });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'done', `scheduleCancel is answered by done, not ${outcome.type}`);
    return DONE;
  },
});
