// `batchModify`: several modifies, each independent of the others; the answer is that of `order`.
import { Type } from '@sinclair/typebox';
import { described } from '../../contract/described.ts';
import { absentOr } from '../../http/requestReader.ts';
import { OrdersAnswer } from '../actionAnswers.ts';
import { actionType, batchRefusal, sendCommand } from '../actionType.ts';
import { EXAMPLE_ORDER, OrderWire, TargetWire, toOrderAnswer, toOrderRequest, toTarget } from './orderWire.ts';

export const batchModify = actionType({
  type: 'batchModify',
  about: 'Replaces several open orders by new ones, each with a new oid.',
  answers: OrdersAnswer,
  example: { type: 'batchModify', modifies: [{ oid: 16_000_003, order: EXAMPLE_ORDER }] },
  schema: Type.Object({
    type: Type.Literal('batchModify'),
    modifies: Type.Array(Type.Object({ oid: TargetWire, order: OrderWire }), { expected: 'an array of modifies' }),
    a: described(
      absentOr(Type.Boolean({ expected: 'a boolean' })),
      'Place new orders even where there is no open one to replace.',
    ),
  }),
  async run({ modifies, a }, context) {
    const wanted = modifies.map(({ oid, order }, i) => ({
      target: toTarget(oid),
      order: toOrderRequest(order, () => `modifies[${i}].order`),
    }));
    const refused = batchRefusal(modifies);
    if (refused) return refused;
    const alwaysPlace = a === true && { alwaysPlace: true };
    return toOrderAnswer(await sendCommand(context, { type: 'modifyOrders', modifies: wanted, ...alwaysPlace }));
  },
});
