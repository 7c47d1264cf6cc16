// A change of an open order's fields: events name the order, and one that is not open is a fault.
import { assert } from '../../../shared/domain/assert.ts';
import type { OpenOrder } from '../account/account.ts';
import type { WritableAccount } from './writableAccount.ts';

export function updateOrder(writable: WritableAccount, oid: number, fields: Partial<OpenOrder>): void {
  const order = writable.account.orders.get(oid);
  assert(order, `order ${oid} is not open`);
  writable.map('orders').set(oid, { ...order, ...fields });
}
