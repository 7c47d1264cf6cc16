// `modify`: replaces one open order by a new one with a new oid, which the answer does not tell (wire-format 4.4).
import { Type } from '@sinclair/typebox';
import { assert } from '../../../shared/domain/assert.ts';
import { Done } from '../actionAnswers.ts';
import { actionType, DONE, refusal, sendCommand } from '../actionType.ts';
import { ALWAYS_PLACE_FALSE, AlwaysPlace, EXAMPLE_ORDER, OrderWire, TargetWire, toOrderRequest, toTarget } from './orderWire.ts';

export const modify = actionType({
  type: 'modify',
  price: 'one',
  about: 'Replaces one open order by a new one with a new oid, which the answer does not tell.',
  answers: Done,
  example: { type: 'modify', oid: 16_000_003, order: EXAMPLE_ORDER },
  schema: Type.Object({
    type: Type.Literal('modify'),
    oid: TargetWire,
    order: OrderWire,
    a: AlwaysPlace,
  }),
  async run({ oid, order, a }, context) {
    if (a === false) return refusal(ALWAYS_PLACE_FALSE);
    const modifies = [{ target: toTarget(oid), order: toOrderRequest(order) }];
    const outcome = await sendCommand(context, { type: 'modifyOrders', modifies, ...(a === true && { alwaysPlace: true }) });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'orders', `a modify is answered by orders, not ${outcome.type}`);
    const [only] = outcome.orders;
    return only?.type === 'error' ? refusal(only.text) : DONE;
  },
});
