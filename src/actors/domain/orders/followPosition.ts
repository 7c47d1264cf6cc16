// After every change of a position its open reduce-only orders follow: cut to what is left, canceled when there is nothing
// left to reduce (trading-rules 2.3). In the same entry as the fill, so no reader sees them disagree. Children that wait for
// their parent are exempt: their position is still to come. Reduce-only TWAPs end with the position (trading-rules 2.8).
import { assert } from '../../../shared/domain/assert.ts';
import type { Position, WaitingOrder } from '../account/account.ts';
import type { OpenOrder, Sides } from '../account/openOrderBook.ts';
import { armedOf } from '../account/ownOrders.ts';
import { leftOf } from '../account/twap.ts';
import type { Draft } from '../fold/draft.ts';
import { isSameSide } from '../margin/position.ts';
import { endOrder, endTwap } from './endOrders.ts';

/** Cuts or cancels the reduce-only orders of a coin, resting or waiting for the mark, to its position as the draft has it. */
export function followPosition(draft: Draft, asset: number): void {
  endTwapsWithoutPosition(draft, asset);
  const { orders, triggers, positions } = draft.account;
  const position = positions.get(asset);
  const sides = orders.sides.get(asset);
  for (const oid of sides ? reduceOnlyOf(sides) : []) {
    const order = orders.get(oid);
    assert(order, `order ${oid} is indexed and not open`);
    follow(draft, order, position);
  }
  for (const order of armedOf({ triggers }, asset)) if (order.reduceOnly) follow(draft, order, position);
}

/** Size 0 is that of the whole position, whatever it is. */
function follow(draft: Draft, order: OpenOrder | WaitingOrder, position: Position | undefined): void {
  if (!position || isSameSide(position, order.side)) {
    endOrder(draft, order, 'reduceOnlyCanceled');
    return;
  }
  const held = position.signedSize.abs();
  if (held.lt(order.size)) draft.record({ type: 'orderResized', oid: order.oid, size: held.toString() });
}

/** Oldest first. */
function reduceOnlyOf({ buy, sell }: Sides): number[] {
  const oids: number[] = [];
  for (const { rows } of [buy, sell]) for (const { oid, reduceOnly } of rows) if (reduceOnly) oids.push(oid);
  return oids.sort((a, b) => a - b);
}

/** After a change of a position: its reduce-only TWAPs end when there is nothing left to reduce. */
function endTwapsWithoutPosition(draft: Draft, asset: number): void {
  const { account } = draft;
  if (account.twaps.size === 0) return;
  const position = account.positions.get(asset);
  for (const twap of account.twaps.values()) {
    if (twap.asset !== asset || !twap.reduceOnly || (position && !isSameSide(position, twap.side))) continue;
    endTwap(draft, twap, { status: leftOf(twap).isZero() ? 'finished' : 'terminated' });
  }
}
