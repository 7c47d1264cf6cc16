// A batch of orders: one after the other, each seeing the effects of those before; a refused one does not stop the rest.
import type { Account } from './account.ts';
import type { AccountCommand } from './command.ts';
import type { Context, Decision } from './decision.ts';
import { Draft } from './draft.ts';
import { placeGroup } from './placeGroup.ts';
import { readOrder } from './readOrder.ts';
import { ordersRefusal } from './wholeAction.ts';

export function placeOrders(
  account: Account,
  { orders, grouping }: Extract<AccountCommand, { type: 'placeOrders' }>,
  context: Context,
): Decision {
  const requests = orders.length;
  const read = orders.map((order) => readOrder(order, context.market));
  const refusal = ordersRefusal(read, { grouping, market: context.market });
  if (refusal !== undefined) return { events: [], outcome: { type: 'refused', text: refusal }, requests };

  const draft = new Draft(account, context.nowMs);
  const outcomes = placeGroup(draft, read, grouping, context);
  return { events: draft.events, outcome: { type: 'orders', orders: outcomes }, requests };
}
