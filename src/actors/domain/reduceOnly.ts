// After every change of a position its resting reduce-only orders follow: cut to what is left, canceled when there is
// nothing left to reduce (trading-rules 2.3). Its reduce-only TWAPs end then too (2.8). In the same entry as the fill, so no reader sees them disagree.
import { assert } from '../../shared/domain/assert.ts';
import type { Draft } from './draft.ts';
import { endTwapsWithoutPosition } from './endTwaps.ts';
import { endOrder } from './openOrder.ts';
import { isSameSide } from './position.ts';
import type { Sides } from './restingSide.ts';

/** Cuts or cancels the resting reduce-only orders of a coin to its position as the draft has it. */
export function followPosition(draft: Draft, asset: number): void {
  endTwapsWithoutPosition(draft, asset);
  const { orders } = draft.account;
  const sides = orders.sides.get(asset);
  if (!sides) return;
  const position = draft.account.positions.get(asset);
  const held = position?.signedSize.abs();
  for (const oid of reduceOnlyOf(sides)) {
    const order = orders.get(oid);
    assert(order, `order ${oid} is indexed and not open`);
    if (!position || !held || isSameSide(position, order.side)) {
      endOrder(draft, order, 'reduceOnlyCanceled');
    } else if (held.lt(order.size)) {
      draft.record({ type: 'orderResized', oid: order.oid, size: held.toString() });
    }
  }
}

/** Oldest first. */
function reduceOnlyOf({ buy, sell }: Sides): number[] {
  const oids: number[] = [];
  for (const { rows } of [buy, sell]) for (const { oid, reduceOnly } of rows) if (reduceOnly) oids.push(oid);
  return oids.sort((a, b) => a - b);
}
