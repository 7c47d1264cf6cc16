// Modify is cancel and place anew in one step (trading-rules 2.6): a new oid and a new place in the queue, the old order's
// margin released before the new one is judged. When the new one is refused the old one is gone.
import type { Account } from './account.ts';
import type { AccountCommand, OrderTarget } from './command.ts';
import type { Context, Decision } from './decision.ts';
import { Draft } from './draft.ts';
import { endOrder } from './openOrder.ts';
import type { OrderOutcome } from './outcome.ts';
import { findOrder } from './ownOrders.ts';
import { placeOrder } from './placeOrder.ts';
import { type ReadOrder, readOrder } from './readOrder.ts';
import { ordersRefusal } from './wholeAction.ts';

export function modifyOrders(
  account: Account,
  { modifies }: Extract<AccountCommand, { type: 'modifyOrders' }>,
  context: Context,
): Decision {
  const requests = modifies.length;
  const read = modifies.map(({ target, order }) => ({ target, order: readOrder(order, context.market) }));
  const refusal = ordersRefusal(
    read.map(({ order }) => order),
    context.market,
  );
  if (refusal !== undefined) return { events: [], outcome: { type: 'refused', text: refusal }, requests };

  const draft = new Draft(account, context.nowMs);
  const outcomes = read.map((modify) => modifyOrder(draft, modify, context));
  return { events: draft.events, outcome: { type: 'orders', orders: outcomes }, requests };
}

function modifyOrder(
  draft: Draft,
  { target, order }: { readonly target: OrderTarget; readonly order: ReadOrder },
  context: Context,
): OrderOutcome {
  const old = findOrder(draft.account, target);
  if (!old) return { type: 'error', text: 'Cannot modify canceled or filled order' };
  if (old.asset !== order.request.asset || old.side !== order.request.side) {
    return { type: 'error', text: `Cannot modify side or asset of an order. asset=${old.asset}` };
  }
  endOrder(draft, old, 'canceled');
  const outcome = placeOrder(draft, order, context);
  if (outcome.type !== 'error') return outcome;
  return { type: 'error', text: `Error placing new order during modify: ${outcome.text}` };
}
