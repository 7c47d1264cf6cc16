// One order by oid or cloid, as far as the account's state knows it: open orders. Finished ones are history.
import type { Account } from './account.ts';
import type { OrderTarget } from './command.ts';
import { toView } from './openOrder.ts';
import type { AnswerOf } from './outcome.ts';
import { findOrder } from './ownOrders.ts';

export function orderStatus(account: Account, target: OrderTarget): AnswerOf<'orderStatus'> {
  const order = findOrder(account, target);
  const found = order ? ({ order: toView(order), status: 'open', timeMs: order.placedAtMs } as const) : 'notHere';
  return { kind: 'orderStatus', found };
}
