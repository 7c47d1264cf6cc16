// `batchModify`: several modifies, each on its own; the answer is that of `order`.
import { Type } from '@sinclair/typebox';
import { absentOr } from '../requestReader.ts';
import { actionType, batchRefusal, refusal, sendCommand } from './actionType.ts';
import { kindOf, OrderWire, TargetWire, TRIGGER_REFUSAL, toOrderAnswer, toOrderRequest, toTarget } from './orderWire.ts';

export const batchModify = actionType({
  type: 'batchModify',
  schema: Type.Object({
    type: Type.Literal('batchModify'),
    modifies: Type.Array(Type.Object({ oid: TargetWire, order: OrderWire }), { expected: 'an array of modifies' }),
    /** Place new orders even when the old ones are gone: read, and without effect so far. */
    a: absentOr(Type.Boolean({ expected: 'a boolean' })),
  }),
  async run({ modifies }, context) {
    const kinds = modifies.map(({ order }, i) => kindOf(order, `modifies[${i}].order`));
    const refused = batchRefusal(modifies);
    if (refused) return refused;
    if (kinds.includes('trigger')) return refusal(TRIGGER_REFUSAL);
    const wanted = modifies.map(({ oid, order }) => ({ target: toTarget(oid), order: toOrderRequest(order) }));
    return toOrderAnswer(await sendCommand(context, { type: 'modifyOrders', modifies: wanted }));
  },
});
