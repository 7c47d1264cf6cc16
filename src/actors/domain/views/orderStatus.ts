// One order by oid or cloid, as far as the account's state knows it: open orders, on the book or waiting. Finished ones are history.
import type { Account, WaitingOrder } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { findOrder } from '../account/ownOrders.ts';
import { childrenOf } from '../account/waitingOrders.ts';
import type { OrderTarget } from '../messages/command.ts';
import type { OrderRow } from '../messages/historyRows.ts';
import type { AnswerOf } from '../messages/outcome.ts';
import { toView } from '../orders/endOrder.ts';

export function orderStatus(account: Account, target: OrderTarget): AnswerOf<'orderStatus'> {
  const order = findOrder(account, target);
  return {
    kind: 'orderStatus',
    found: order ? openRow(account, order) : 'notHere',
    firstRow: account.historyStart.firstRows.orders,
  };
}

function openRow(account: Account, order: OpenOrder | WaitingOrder): OrderRow {
  const children = childrenOf(account, order.oid).map(toView);
  return {
    order: toView(order),
    status: 'open',
    timeMs: order.placedAtMs,
    ...(children.length > 0 && { children }),
  };
}
