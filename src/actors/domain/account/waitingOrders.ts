// Orders that wait beside the book, for the mark or for their parent: how events change them, and the questions that the
// rules ask of them. They hold no margin and take no part in matching; as open orders they are counted, canceled and found
// like any other.
import { assert, unreachable } from '../../../shared/domain/assert.ts';
import type { WritableAccount } from '../fold/writableAccount.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { Account, WaitingOrder } from './account.ts';

type TriggerEvent = Extract<
  AccountEvent,
  { readonly type: 'triggerPlaced' | 'triggersArmed' | 'orderTriggered' | 'parentReplaced' }
>;

/** Folds what happens to waiting orders alone. */
export function evolveTriggers(writable: WritableAccount, event: TriggerEvent): void {
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

/** Orders that wait for this one to fill, oldest first. */
export function childrenOf({ triggers }: Pick<Account, 'triggers'>, parentOid: number): WaitingOrder[] {
  return waiting(triggers, ({ waitsFor, trigger }) => waitsFor === 'fill' && trigger.parentOid === parentOid);
}

/** Orders of a coin that wait for its mark, oldest first. */
export function armedOf({ triggers }: Pick<Account, 'triggers'>, asset: number): WaitingOrder[] {
  return waiting(triggers, (order) => order.waitsFor === 'mark' && order.asset === asset);
}

function waiting(triggers: Account['triggers'], isWanted: (order: WaitingOrder) => boolean): WaitingOrder[] {
  if (triggers.size === 0) return [];
  return [...triggers.values()].filter(isWanted).sort((a, b) => a.oid - b.oid);
}

/** Number of open orders, on the book or waiting. */
export function openOrderCount({ orders, triggers }: Pick<Account, 'orders' | 'triggers'>): number {
  return orders.size + triggers.size;
}
