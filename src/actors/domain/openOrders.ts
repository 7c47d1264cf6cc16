// The account's open orders, oldest first, on the book or waiting.
import type { Account } from './account.ts';
import { allOpenOrders } from './endOrders.ts';
import { toView } from './openOrder.ts';
import type { AnswerOf } from './outcome.ts';

export function openOrders(account: Account): AnswerOf<'openOrders'> {
  return { kind: 'openOrders', orders: allOpenOrders(account).map(toView) };
}
