// The account's open orders, oldest first, on the book or waiting.
import type { Account } from '../account/account.ts';
import type { AnswerOf } from '../messages/outcome.ts';
import { toView } from '../orders/endOrder.ts';
import { allOpenOrders } from '../orders/endOrders.ts';

export function openOrders(account: Account): AnswerOf<'openOrders'> {
  return { kind: 'openOrders', orders: allOpenOrders(account).map(toView) };
}
