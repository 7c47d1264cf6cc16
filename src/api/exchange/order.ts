// `order`: one batch of one or more orders. Only questions about the whole batch are answered here; the account decides about each order.
// One order as a client writes it comes first, because `modify` and `batchModify` share it (wire-format 4.1, 4.2).
import { type Static, Type } from '@sinclair/typebox';
import { GROUP_REFUSALS, REFUSALS } from '../../actors/core/checks/checkAction.ts';
import type { OrderOutcome } from '../../actors/core/messages/commandOutcome.ts';
import type { OrderRequest, OrderTarget, TimeInForce } from '../../actors/core/messages/order.ts';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { assert, unreachable } from '../../shared/domain/assert.ts';
import type { AnswerFor } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { fitting, hasNotOne } from '../contract/requestValues.ts';
import { wireNumber } from '../domain/wireText.ts';
import { AddressText, absentOr, CloidText, DecimalText, WholeNumber } from '../http/requestReader.ts';
import { type OrderElement, OrdersAnswer } from './actionAnswers.ts';
import { type ActionAnswer, actionType, batchRefusal, refusal, sendCommand } from './actionType.ts';

const TIME_IN_FORCE: Readonly<Record<string, TimeInForce>> = {
  Gtc: 'gtc',
  Ioc: 'ioc',
  Alo: 'alo',
  FrontendMarket: 'frontendMarket',
};

export const OrderWire = named(
  'OrderRequest',
  Type.Object({
    a: described(WholeNumber, 'Asset id.'),
    b: described(Type.Boolean({ expected: 'a boolean' }), 'True = buy.'),
    p: described(DecimalText, 'Limit price, USD per coin; `"0"` with Ioc means market.'),
    s: described(DecimalText, 'Size, coins.'),
    r: described(Type.Boolean({ expected: 'a boolean' }), 'Reduce-only.'),
    t: named(
      'OrderType',
      Type.Object(
        {
          limit: Type.Optional(
            named(
              'LimitOrderType',
              Type.Object({
                tif: Type.String({ pattern: '^(Gtc|Ioc|Alo|FrontendMarket)$', expected: 'one of Gtc, Ioc, Alo, FrontendMarket' }),
              }),
            ),
          ),
          trigger: Type.Optional(
            named(
              'TriggerOrderType',
              Type.Object({
                isMarket: Type.Boolean({ expected: 'a boolean' }),
                triggerPx: DecimalText,
                tpsl: Type.Union([Type.Literal('tp'), Type.Literal('sl')], { expected: '"tp" or "sl"' }),
              }),
            ),
          ),
        },
        { expected: 'an object', ...fitting('must be either limit or trigger', hasNotOne('limit', 'trigger')) },
      ),
    ),
    c: described(absentOr(CloidText), 'Client order id.'),
  }),
);
export type OrderWire = Static<typeof OrderWire>;

/** An order far below the market, for the published contract. */
export const EXAMPLE_ORDER: OrderWire = { a: 0, b: true, p: '30000', s: '0.001', r: false, t: { limit: { tif: 'Gtc' } } };

/** The receiver of a fee on the venue; checked for its form, and never charged. */
const BuilderWire = absentOr(named('Builder', Type.Object({ b: AddressText, f: WholeNumber }, { expected: '{b, f}' })));

/** An order named by our id or by the client's. */
export const TargetWire = Type.Union([WholeNumber, CloidText], { expected: 'an order id or a cloid' });

/** The flag of `modify` and `batchModify` that decides which orders may take the place of others (rule 2.6). */
export const AlwaysPlace = described(
  absentOr(Type.Boolean({ expected: 'a boolean' })),
  'always_place. `true`: any order, placed even where there is no open one to replace. Absent: only an Alo, or a Gtc that does ' +
    'not execute and becomes an Alo. `false` is refused.',
);

/** The venue rejects an action that was signed with `a: false`. */
export const ALWAYS_PLACE_FALSE = 'a (always_place) must be left out where it is not true.';

/**
 * An order in the rules' own words.
 */
export function toOrderRequest({ a, b, p, s, r, t, c }: OrderWire): OrderRequest {
  const side = b ? 'buy' : 'sell';
  const type = toType(t);
  if (c == null) return { asset: a, side, limitPrice: p, size: s, reduceOnly: r, type };
  return { asset: a, side, limitPrice: p, size: s, reduceOnly: r, type, cloid: c.toLowerCase() };
}

function toType({ limit, trigger }: OrderWire['t']): OrderRequest['type'] {
  if (trigger) {
    const { triggerPx, isMarket, tpsl } = trigger;
    return { kind: 'trigger', triggerPrice: triggerPx, isMarket, tpsl };
  }
  const timeInForce = TIME_IN_FORCE[limit?.tif ?? ''];
  assert(timeInForce, 'the schema lets no other time in force through');
  return { kind: 'limit', timeInForce };
}

export const toTarget = (target: number | string): OrderTarget =>
  typeof target === 'number' ? { oid: target } : { cloid: target.toLowerCase() };

/** The answer of `order` and `batchModify`: one status per element, in request order; of some that are refused whole, one. */
export function toOrderAnswer(outcome: Outcome): ActionAnswer {
  if (outcome.type === 'refused') return TOLD_ONCE.has(outcome.text) ? toldOnce(outcome.text) : refusal(outcome.text);
  assert(outcome.type === 'orders', `an order batch is answered by orders, not ${outcome.type}`);
  return { status: 'ok', response: { type: 'order', data: { statuses: outcome.orders.map(toStatus) } } };
}

/** Refusals of a whole batch that the venue tells as the only element of its answer: price band and shape of a group. */
const TOLD_ONCE: ReadonlySet<string> = new Set([REFUSALS.priceTooFar, ...Object.values(GROUP_REFUSALS)]);

const toldOnce = (error: string): ActionAnswer => ({
  status: 'ok',
  response: { type: 'order', data: { statuses: [{ error }] } },
});

const idsOf = ({ oid, cloid }: Ids): Ids => (cloid === undefined ? { oid } : { oid, cloid });

interface Ids {
  readonly oid: number;
  readonly cloid?: string;
}

function toStatus(outcome: OrderOutcome): AnswerFor<typeof OrderElement> {
  switch (outcome.type) {
    case 'resting':
      return { resting: idsOf(outcome) };
    case 'filled':
      return {
        filled: {
          totalSz: wireNumber(outcome.totalSize),
          avgPx: wireNumber(outcome.averagePrice),
          ...idsOf(outcome),
        },
      };
    case 'waitingForFill':
    case 'waitingForTrigger':
      return outcome.type;
    case 'error':
      return { error: outcome.text };
    default:
      return unreachable(outcome);
  }
}

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
