// Reduce-only orders on the book take no more than their position together (trading-rules 2.3): the venue lets a new one
// push out those before it. The newest keep their size; the oldest are cut, and end when nothing is left for them. So
// the orders of a side can never close more than there is, whichever of them fills first. Orders that wait for the mark
// are not counted: only one of a stop and a take-profit will fill.

import { assert } from '../../../shared/domain/assert.ts';
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { cutOrder, oppositeOf, toView } from '../account/ownOrders.ts';
import type { Draft } from '../fold/draft.ts';
import { sideOf } from '../margin/position.ts';
import type { Side } from '../messages/command.ts';
import type { OrderView } from '../messages/historyRows.ts';
import { endOrder } from './endOrders.ts';

/** After a change of a position: what rests to reduce it fits it again. */
export function fitReducing(draft: Draft, asset: number): void {
  giveWay(draft, asset, { size: ZERO });
}

/** Before a reduce-only order comes to rest: those before it give way to its size, in coins at most the position. */
export function makeRoom(draft: Draft, { oid, asset, size, reduceOnly }: OrderView): void {
  if (!reduceOnly) return;
  giveWay(draft, asset, { size: new Decimal(size), oid });
}

/** @param newcomer what is about to rest beside the others */
function giveWay(draft: Draft, asset: number, newcomer: { readonly size: Decimal; readonly oid?: number }): void {
  const { orders, positions } = draft.account;
  const position = orders.size > 0 ? positions.get(asset) : undefined;
  if (!position) return;
  const side = oppositeOf(sideOf(position));
  const resting = orders.sides.get(asset)?.[side];
  if (!resting) return;
  let excess = resting.reducing.plus(newcomer.size).minus(position.signedSize.abs());
  while (excess.isPos() && !excess.isZero()) excess = excess.minus(cutOldest(draft, { asset, side, excess, by: newcomer.oid }));
}

/** Takes up to the excess from the oldest order; returns what it was. */
function cutOldest(
  draft: Draft,
  {
    asset,
    side,
    excess,
    by,
  }: { readonly asset: number; readonly side: Side; readonly excess: Decimal; readonly by: number | undefined },
): Decimal {
  const { orders } = draft.account;
  const oid = orders.sides.get(asset)?.[side].oldestReduceOnly;
  const order = oid === undefined ? undefined : orders.get(oid);
  assert(order, `reduce-only orders of ${asset} exceed its position by ${excess} and none is open`);
  const size = new Decimal(order.size);
  if (size.gt(excess)) {
    draft.record({ type: 'orderResized', order: toView(cutOrder(order, size.minus(excess))) });
    return excess;
  }
  endOrder(draft, order, 'reduceOnlyCanceled', by);
  return size;
}
