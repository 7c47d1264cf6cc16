// Ends open orders and TWAPs, recorded in the same way for every cause: one order, or all that match, each with the
// children that waited for it to fill (trading-rules 2.5). A TWAP has no open order: a slice never rests.
import type { Account, WaitingOrder } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import type { OrderGroup } from '../account/orderMap.ts';
import { childrenOf, findOrder, toView } from '../account/ownOrders.ts';
import { type Twap, toTwapView } from '../account/twap.ts';
import { checkCount, refused } from '../checks/checkAction.ts';
import { type Decision, Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { CancelOutcome } from '../messages/commandOutcome.ts';
import type { OrderStatus, OrderView, TwapEnd } from '../messages/order.ts';

/** Ends that concern children in their own right; any other end of the parent cancels them. */
const SHARED_ENDS: ReadonlySet<OrderStatus> = new Set(['scheduledCancel', 'liquidatedCanceled', 'delistedCanceled']);

/**
 * Ends an open order with its remaining size, and its waiting children. Not for one that has filled.
 * @param gaveWayTo oid of the order that it made room for
 */
export function endOrder(draft: Draft, order: OpenOrder | WaitingOrder, status: OrderStatus, gaveWayTo?: number): void {
  const children = childrenOf(draft.account, order.oid);
  endAlone(draft, order, status, gaveWayTo);
  for (const child of children) endAlone(draft, child, SHARED_ENDS.has(status) ? status : 'canceled');
}

/** Ends the order and leaves its children to the caller. */
export function endAlone(draft: Draft, order: OpenOrder | WaitingOrder, status: OrderStatus, gaveWayTo?: number): void {
  const view = toView(draft.current(order));
  draft.record({ type: 'orderEnded', order: view, status, ...(gaveWayTo !== undefined && { gaveWayTo }) });
}

/** Ends all open orders that match, oldest first, children with their parents. */
export function endOrders(draft: Draft, matches: (order: OrderView) => boolean, status: OrderStatus): void {
  endEach(draft, allOpenOrders(draft.account).filter(matches), status);
}

/** Ends those of these orders that are still open, children with their parents. */
export function endEach(draft: Draft, ending: readonly (OpenOrder | WaitingOrder)[], status: OrderStatus): void {
  for (const order of ending) {
    const { orders, triggers } = draft.account;
    if (orders.has(order.oid) || triggers.has(order.oid)) endOrder(draft, order, status);
  }
}

/** Every open order of the account, oldest first. */
export function allOpenOrders({ orders, triggers }: Pick<Account, 'orders' | 'triggers'>): (OpenOrder | WaitingOrder)[] {
  return [...orders.values(), ...triggers.values()].sort((a, b) => a.oid - b.oid);
}

/** Every open order of a group, oldest first. */
export function openOrdersOf({ orders, triggers }: Account, group: OrderGroup): (OpenOrder | WaitingOrder)[] {
  return [...orders.inGroup(group), ...triggers.inGroup(group)].sort((a, b) => a.oid - b.oid);
}

export function endTwap(draft: Draft, twap: Twap, end: TwapEnd): void {
  draft.record({ type: 'twapEnded', twap: toTwapView(twap), end });
}

/** Ends the running TWAPs that match, oldest first. */
export function endTwaps(draft: Draft, matches: (twap: Twap) => boolean, end: TwapEnd): void {
  const { twaps } = draft.account;
  if (twaps.size === 0) return;
  for (const twap of twaps.values()) if (matches(twap)) endTwap(draft, twap, end);
}

/** Cancels orders, each independently: by oid or cloid, and only on the asset named with it. Needs no market data. */
export function cancelOrders(
  account: Account,
  { cancels, isFast = false }: Extract<AccountCommand, { type: 'cancelOrders' }>,
  context: Context,
): Decision {
  const requests = cancels.length;
  const refusal = checkCount(cancels.length);
  if (refusal !== undefined) return refused(refusal, requests);

  const draft = new Draft(account, context);
  const outcomes = cancels.map(({ asset, target }): CancelOutcome => {
    const order = findOrder(draft.account, target);
    if (order === undefined || (asset !== undefined && order.asset !== asset)) {
      const named = asset === undefined ? '' : ` asset=${asset}`;
      return { type: 'error', text: `Order was never placed, already canceled, or filled.${named}` };
    }
    if (isFast && 'waitsFor' in order && order.waitsFor !== 'book') {
      return { type: 'error', text: `Trigger orders cannot be canceled by a fast cancel. asset=${order.asset}` };
    }
    endOrder(draft, order, 'canceled');
    return { type: 'success' };
  });
  return draft.decision({ type: 'cancels', cancels: outcomes }, requests);
}
