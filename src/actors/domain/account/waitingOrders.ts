// Orders that wait beside the book, for the mark or for their parent: the questions that the rules ask of them. They hold no
// margin and take no part in matching; as open orders they are counted, canceled and found like any other.
import type { Account, WaitingOrder } from './account.ts';

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
