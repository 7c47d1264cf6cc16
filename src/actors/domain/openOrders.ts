// The account's open orders, oldest first.
import type { Account } from './account.ts';
import { toView } from './openOrder.ts';
import type { AnswerOf } from './outcome.ts';

export function openOrders(account: Account): AnswerOf<'openOrders'> {
  return { kind: 'openOrders', orders: [...account.orders.values()].map(toView) };
}
