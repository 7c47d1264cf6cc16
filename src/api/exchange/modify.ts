// `modify` replaces one open order by a new one with a new oid, which the answer does not tell (wire-format 4.4). `batchModify` replaces
// several, judged one after the other once their orders are legal in themselves. Its answer is that of `order`.
import { Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { named } from '../contract/named.ts';
import { Done, OrdersAnswer } from './actionAnswers.ts';
import { actionType, batchRefusal, DONE, refusal, sendCommand } from './actionType.ts';
import {
  ALWAYS_PLACE_FALSE,
  AlwaysPlace,
  EXAMPLE_ORDER,
  OrderWire,
  TargetWire,
  toOrderAnswer,
  toOrderRequest,
  toTarget,
} from './order.ts';

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
