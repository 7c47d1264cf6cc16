// The orders of one action in the way in which they belong together (trading-rules 2.5): each on its own, a parent with
// its children, or the take-profit and stop of a position. Their shape has been judged before.
import { unreachable } from '../../../shared/domain/assert.ts';
import type { ReadOrder } from '../checks/readOrder.ts';
import type { Draft } from '../fold/draft.ts';
import type { Grouping } from '../messages/command.ts';
import type { Context } from '../messages/decision.ts';
import type { OrderOutcome } from '../messages/outcome.ts';
import { placeOrder } from './placeOrder.ts';

/** One outcome per order, in their order. */
export function placeGroup(draft: Draft, orders: readonly ReadOrder[], grouping: Grouping, context: Context): OrderOutcome[] {
  switch (grouping) {
    case 'na':
      return orders.map((order) => placeOrder(draft, order, context));
    case 'positionTpsl':
      return namedOnce(orders).map((order) => placeOrder(draft, order, context, { waitsFor: 'mark', grouping }));
    case 'normalTpsl':
      return placeFamily(draft, namedOnce(orders), context);
    default:
      return unreachable(grouping);
  }
}

/** Children of a parent that rests wait for it; those of one that will fill no further wait for the mark. */
function placeFamily(draft: Draft, [parent, ...children]: readonly ReadOrder[], context: Context): OrderOutcome[] {
  if (!parent) return [];
  const outcome = placeOrder(draft, parent, context);
  if (outcome.type === 'error') return [outcome, ...children.map(() => outcome)];
  const { oid } = outcome;
  const waitsFor = draft.account.orders.has(oid) ? 'fill' : 'mark';
  const place = { waitsFor, grouping: 'normalTpsl', parentOid: oid } as const;
  return [outcome, ...children.map((child) => placeOrder(draft, child, context, place))];
}

/** A client order id belongs to the first order of a group that has it: ccxt gives the parent's to the children, too. */
function namedOnce(orders: readonly ReadOrder[]): ReadOrder[] {
  const names = new Set<string>();
  return orders.map((order) => {
    const { cloid, ...request } = order.request;
    if (cloid === undefined) return order;
    if (names.has(cloid)) return { ...order, request };
    names.add(cloid);
    return order;
  });
}
