// The end of an open order, recorded the same way whatever ended it, and with it the end of the children that waited for
// it to fill (trading-rules 2.5).
import type { WaitingOrder } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { childrenOf } from '../account/waitingOrders.ts';
import type { Draft } from '../fold/draft.ts';
import type { OrderStatus, OrderView } from '../messages/historyRows.ts';

/** Ends that concern children in their own right; any other end of the parent cancels them. */
const SHARED_ENDS: ReadonlySet<OrderStatus> = new Set(['scheduledCancel', 'liquidatedCanceled', 'delistedCanceled']);

/** Ends an open order as it stands, with what is left of it, and its waiting children. Not for one that has filled. */
export function endOrder(draft: Draft, order: OpenOrder | WaitingOrder, status: OrderStatus): void {
  const children = childrenOf(draft.account, order.oid);
  endAlone(draft, order, status);
  for (const child of children) endAlone(draft, child, SHARED_ENDS.has(status) ? status : 'canceled');
}

/** Ends the order and leaves its children to the caller. */
export function endAlone(draft: Draft, order: OpenOrder | WaitingOrder, status: OrderStatus): void {
  draft.record({ type: 'orderEnded', order: toView(order), status });
}

/** What clients are told of an open order: all of it but its place in the queue. */
export function toView(order: OpenOrder | WaitingOrder): OrderView {
  if ('resting' in order) {
    const { resting: _, ...view } = order;
    return view;
  }
  const { waitsFor: _, ...view } = order;
  return view;
}
