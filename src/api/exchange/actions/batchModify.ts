// `batchModify`: several modifies, judged one after the other once their orders are legal in themselves; the answer is that of `order`.
import { Type } from '@sinclair/typebox';
import { named } from '../../contract/named.ts';
import { OrdersAnswer } from '../actionAnswers.ts';
import { actionType, batchRefusal, refusal, sendCommand } from '../actionType.ts';
import {
  ALWAYS_PLACE_FALSE,
  AlwaysPlace,
  EXAMPLE_ORDER,
  OrderWire,
  TargetWire,
  toOrderAnswer,
  toOrderRequest,
  toTarget,
} from './orderWire.ts';

export const batchModify = actionType({
  type: 'batchModify',
  price: 'modifies',
  about: 'Replaces several open orders by new ones, each with a new oid.',
  answers: OrdersAnswer,
  example: { type: 'batchModify', modifies: [{ oid: 16_000_003, order: EXAMPLE_ORDER }] },
  schema: Type.Object({
    type: Type.Literal('batchModify'),
    modifies: Type.Array(named('ModifyRequest', Type.Object({ oid: TargetWire, order: OrderWire })), {
      expected: 'an array of modifies',
    }),
    a: AlwaysPlace,
  }),
  async run({ modifies, a }, context) {
    const wanted = modifies.map(({ oid, order }) => ({
      target: toTarget(oid),
      order: toOrderRequest(order),
    }));
    if (a === false) return refusal(ALWAYS_PLACE_FALSE);
    const refused = batchRefusal(modifies);
    if (refused) return refused;
    const alwaysPlace = a === true && { alwaysPlace: true };
    return toOrderAnswer(await sendCommand(context, { type: 'modifyOrders', modifies: wanted, ...alwaysPlace }));
  },
});
