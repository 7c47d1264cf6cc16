// Ends many open orders at once, wherever they are: on the book, waiting for the mark, or waiting for a parent. For what
// ends orders of its own accord: a scheduled cancel, a liquidation, a delisting.
import type { Account, WaitingOrder } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import type { Draft } from '../fold/draft.ts';
import type { OrderStatus, OrderView } from '../messages/historyRows.ts';
import { endOrder } from './endOrder.ts';

/** Ends all open orders that match, oldest first, children with their parents. */
export function endOrders(draft: Draft, matches: (order: OrderView) => boolean, status: OrderStatus): void {
  for (const order of allOpenOrders(draft.account).filter(matches)) {
    const { orders, triggers } = draft.account;
    if (orders.has(order.oid) || triggers.has(order.oid)) endOrder(draft, order, status);
  }
}

/** Every open order of the account, oldest first. */
export function allOpenOrders({ orders, triggers }: Pick<Account, 'orders' | 'triggers'>): (OpenOrder | WaitingOrder)[] {
  return [...orders.values(), ...triggers.values()].sort((a, b) => a.oid - b.oid);
}
