// A batch of orders: one after the other, each seeing the effects of those before; a refused one does not stop the rest.
import type { Account } from '../account/account.ts';
import { ordersRefusal } from '../checks/checkAction.ts';
import { readOrder } from '../checks/readOrder.ts';
import { Draft } from '../fold/draft.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { Context, Decision } from '../messages/decision.ts';
import { placeGroup } from './placeGroup.ts';

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
