// `modify`: replaces one open order by a new one with a new oid, which the answer does not tell (wire-format 4.4).
import { Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { absentOr } from '../requestReader.ts';
import { actionType, DONE, refusal, sendCommand } from './actionType.ts';
import { kindOf, OrderWire, TargetWire, TRIGGER_REFUSAL, toOrderRequest, toTarget } from './orderWire.ts';

export const modify = actionType({
  type: 'modify',
  schema: Type.Object({
    type: Type.Literal('modify'),
    oid: TargetWire,
    order: OrderWire,
    /** Place the new order even when the old one is gone: read, and without effect so far. */
    a: absentOr(Type.Boolean({ expected: 'a boolean' })),
  }),
  async run({ oid, order }, context) {
    if (kindOf(order, 'order') === 'trigger') return refusal(TRIGGER_REFUSAL);
    const modifies = [{ target: toTarget(oid), order: toOrderRequest(order) }];
    const outcome = await sendCommand(context, { type: 'modifyOrders', modifies });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'orders', `a modify is answered by orders, not ${outcome.type}`);
    const [only] = outcome.orders;
    return only?.type === 'error' ? refusal(only.text) : DONE;
  },
});
