// How events change single open orders: one that rests on the book, and one that waits for the mark or for its
// parent. An event about an order that is not open is a fault.
import { assert, unreachable } from '../../../shared/domain/assert.ts';
import type { WaitingOrder } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { childrenOf } from '../account/ownOrders.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { WritableAccount } from './writableAccount.ts';

export function updateOrder(writable: WritableAccount, oid: number, fields: Partial<OpenOrder>): void {
  const order = writable.account.orders.get(oid);
  assert(order, `order ${oid} is not open`);
  writable.map('orders').set(oid, { ...order, ...fields });
}

type TriggerEvent = Extract<
  AccountEvent,
  { readonly type: 'triggerPlaced' | 'triggersArmed' | 'orderTriggered' | 'triggerWaits' | 'parentReplaced' }
>;

/** Folds what happens to waiting orders alone. */
export function evolveTriggers(writable: WritableAccount, event: TriggerEvent, timeMs: number): void {
  switch (event.type) {
    case 'triggerPlaced': {
      const { order, waitsFor } = event;
      assert(order.trigger, `order ${order.oid} waits without a trigger`);
      writable.map('triggers').set(order.oid, { ...order, trigger: order.trigger, waitsFor });
      return;
    }
    case 'triggersArmed':
      for (const oid of event.oids) updateTrigger(writable, oid, { waitsFor: 'mark' });
      return;
    case 'orderTriggered':
      writable.map('triggers').delete(event.order.oid);
      return;
    case 'triggerWaits': {
      const { order, outOfReach } = event;
      assert(order.trigger, `order ${order.oid} has fired without a trigger`);
      const waits = { waitsFor: 'book', fired: { timeMs, outOfReach } } as const;
      writable.map('triggers').set(order.oid, { ...order, trigger: order.trigger, ...waits });
      return;
    }
    case 'parentReplaced':
      for (const { oid, trigger } of childrenOf(writable.account, event.oid)) {
        updateTrigger(writable, oid, { trigger: { ...trigger, parentOid: event.newOid } });
      }
      return;
    default:
      unreachable(event);
  }
}

export function updateTrigger(writable: WritableAccount, oid: number, fields: Partial<WaitingOrder>): void {
  const order = writable.account.triggers.get(oid);
  assert(order, `order ${oid} does not wait`);
  writable.map('triggers').set(oid, { ...order, ...fields });
}
