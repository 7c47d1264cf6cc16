// The client's view of its orders from memory: all open ones, or the one that it names.
import type { Account, WaitingOrder } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { childrenOf, findOrder, statusOfOpen, toView } from '../account/ownOrders.ts';
import type { AnswerOf } from '../messages/answers/queryAnswer.ts';
import type { OrderTarget } from '../messages/command.ts';
import type { OrderRow } from '../messages/historyRows.ts';
import { allOpenOrders } from '../orders/endOrders.ts';

export function openOrders(account: Account): AnswerOf<'openOrders'> {
  return { kind: 'openOrders', orders: allOpenOrders(account).map(toView) };
}

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
    status: statusOfOpen(order),
    timeMs: ('fired' in order ? order.fired?.timeMs : undefined) ?? order.placedAtMs,
    ...(children.length > 0 && { children }),
  };
}
