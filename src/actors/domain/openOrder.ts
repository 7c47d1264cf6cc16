// The end of a resting order, recorded the same way whatever ended it.
import type { OpenOrder } from './account.ts';
import type { Draft } from './draft.ts';
import type { OrderStatus, OrderView } from './history.ts';

/** Ends a resting order as it stands, with what is left of it. */
export function endOrder(draft: Draft, order: OpenOrder, status: OrderStatus): void {
  draft.record({ type: 'orderEnded', order: toView(order), status });
}

/** What clients are told of an open order: all of it but its place in the queue. */
export function toView({ resting: _, ...view }: OpenOrder): OrderView {
  return view;
}
