// Invariants about trigger orders and TP/SL groups.

import type { OrderView } from '../../../src/actors/core/messages/order.ts';
import { allOpenOrders } from '../../../src/actors/core/orders/endOrders.ts';
import { Decimal } from '../../../src/shared/domain/decimal.ts';
import { demand } from '../facts.ts';
import type { Invariant } from '../life.ts';

export const TRIGGERS: readonly Invariant[] = [
  {
    name: 'invariant 16',
    says: 'a trigger order fills only after it was triggered, at a mark at or beyond its trigger, under the oid it always had',
    watch: () => {
      const waiting = new Map<number, OrderView>();
      return ({ events, account }) => {
        for (const event of events) {
          if (event.type === 'triggerPlaced') waiting.set(event.order.oid, event.order);
          if (event.type === 'orderEnded') waiting.delete(event.order.oid);
          if (event.type === 'orderTriggered') {
            const { oid } = event.order;
            const order = waiting.get(oid);
            demand(order !== undefined, `order ${oid} is triggered and does not wait`);
            demand(order !== undefined && isBeyond(order, event.markPrice), `order ${oid} is triggered at ${event.markPrice}`);
            waiting.delete(oid);
          }
          if (event.type === 'orderFilled') demand(!waiting.has(event.oid), `order ${event.oid} fills without a trigger`);
        }
        for (const { oid, waitsFor } of account.triggers.values())
          demand(waiting.has(oid) === (waitsFor !== 'book'), `order ${oid} waits for ${waitsFor}`);
        for (const oid of waiting.keys()) demand(account.triggers.has(oid), `order ${oid} neither waits nor was triggered`);
      };
    },
  },
  {
    name: 'invariant 17',
    says: 'children wait while their parent is open, go when the user cancels it, and of tp and sl at most one fills completely',
    watch: () => {
      const canceledParents = new Set<number>();
      const filledOf = new Map<number, number>();
      return ({ events, account }) => {
        for (const event of events) {
          if (event.type !== 'orderEnded') continue;
          const { oid, timeInForce, trigger } = event.order;
          // An Ioc that filled in part ends so, and its children are placed.
          if (event.status === 'canceled' && timeInForce !== 'ioc' && timeInForce !== 'frontendMarket') canceledParents.add(oid);
          if (event.status === 'filled' && trigger?.parentOid !== undefined) {
            demand(!filledOf.has(trigger.parentOid), `${oid} fills after its sibling ${filledOf.get(trigger.parentOid)}`);
            filledOf.set(trigger.parentOid, oid);
          }
        }
        for (const order of allOpenOrders(account)) {
          const parentOid = order.trigger?.parentOid;
          if (parentOid === undefined) continue;
          demand(!canceledParents.has(parentOid), `${order.oid} is open though its parent ${parentOid} was canceled`);
          const isLive = !('waitsFor' in order) || order.waitsFor !== 'fill';
          const isParentOpen = account.orders.has(parentOid) || account.triggers.has(parentOid);
          demand(isLive !== isParentOpen, `${order.oid} ${isLive ? 'is live' : 'waits'} and its parent ${parentOid} is not`);
        }
      };
    },
  },
];

function isBeyond({ side, trigger }: OrderView, markPrice: string): boolean {
  if (!trigger) return false;
  const above = new Decimal(markPrice).cmp(trigger.price);
  return (trigger.tpsl === 'sl') === (side === 'sell') ? above <= 0 : above >= 0;
}
