// `order`: one batch of one or more orders. Only questions about the whole batch are answered here; the account
// decides about each order.
import { Type } from '@sinclair/typebox';
import { named } from '../../contract/named.ts';
import { absentOr } from '../../http/requestReader.ts';
import { OrdersAnswer } from '../actionAnswers.ts';
import { actionType, batchRefusal, refusal, sendCommand } from '../actionType.ts';
import { BuilderWire, EXAMPLE_ORDER, OrderWire, toOrderAnswer, toOrderRequest } from './orderWire.ts';

const PriorityGrouping = named(
  'PriorityGrouping',
  Type.Object({
    p: Type.Integer({
      minimum: 0,
      maximum: 100_000_000,
      description: 'Priority fee as a fraction of 1e8; needs staked tokens at the venue.',
    }),
  }),
);

export const order = actionType({
  type: 'order',
  price: 'orders',
  about:
    'Places one or more orders. Each is judged by itself; the answer has one element for each, in their order. A price outside the band or a ' +
    'group of another shape refuses all of them: then it has one element.',
  answers: OrdersAnswer,
  example: { type: 'order', orders: [EXAMPLE_ORDER], grouping: 'na' },
  schema: Type.Object({
    type: Type.Literal('order'),
    orders: Type.Array(OrderWire, { expected: 'an array of orders' }),
    /** How the orders belong together; absent = `na`. */
    grouping: absentOr(
      Type.Union([Type.Literal('na'), Type.Literal('normalTpsl'), Type.Literal('positionTpsl'), PriorityGrouping], {
        expected: 'one of na, normalTpsl, positionTpsl, {p}',
      }),
    ),
    builder: BuilderWire,
  }),
  async run({ orders, grouping }, context) {
    const wanted = orders.map(toOrderRequest);
    const refused = batchRefusal(orders);
    if (refused) return refused;
    if (typeof grouping === 'object' && grouping !== null) return refusal('Insufficient delegatable balance for priority order');
    return toOrderAnswer(await sendCommand(context, { type: 'placeOrders', orders: wanted, grouping: grouping ?? 'na' }));
  },
});
