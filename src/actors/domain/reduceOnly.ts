// After every change of a position its resting reduce-only orders follow: cut to what is left, canceled when there is
// nothing left to reduce (trading-rules 2.3). In the same entry as the fill, so no reader sees them disagree.
import type { Draft } from './draft.ts';
import { endOrder } from './openOrder.ts';
import { isSameSide } from './position.ts';

/** Cuts or cancels the resting reduce-only orders of a coin to its position as the draft has it. */
export function followPosition(draft: Draft, asset: number): void {
  if (draft.account.orders.size === 0) return;
  const position = draft.account.positions.get(asset);
  const held = position?.signedSize.abs();
  for (const order of draft.account.orders.values()) {
    if (order.asset !== asset || !order.reduceOnly) continue;
    if (!position || !held || isSameSide(position, order.side)) {
      endOrder(draft, order, 'reduceOnlyCanceled');
    } else if (held.lt(order.size)) {
      draft.record({ type: 'orderResized', oid: order.oid, size: held.toString() });
    }
  }
}
