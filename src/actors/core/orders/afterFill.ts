// Changes the other open orders after a fill, in the same entry, so that no reader sees them disagree. After every
// change of a position its reduce-only orders follow: those on the book together, those that wait for the mark each on
// its own; canceled when there is nothing left to reduce (trading-rules 2.3). Reduce-only TWAPs end with the position (trading-rules 2.8). In a TP/SL group the
// children wait until their parent has filled, because their position is still to come; when one sibling has filled,
// the other ends (trading-rules 2.5).
import { assert } from '../../../shared/domain/assert.ts';
import type { OrderGroup } from '../account/orderMap.ts';
import { BOTH_SIDES, childrenOf, reduceOnlyOids, reducingFor } from '../account/ownOrders.ts';
import { leftOf } from '../account/twap.ts';
import type { Draft } from '../fold/draft.ts';
import { closableSize, isSameSide, sideOf } from '../margin/position.ts';
import type { OrderView, TriggerView } from '../messages/historyRows.ts';
import { endAlone, endEach, endOrder, endTwap, openOrdersOf } from './endOrders.ts';
import { fitReducing } from './fitReducing.ts';

/**
 * Makes the reduce-only orders of a coin, resting or waiting for the mark, follow its position as the draft has it: those
 * with nothing left to reduce end, the others are cut.
 */
export function followPosition(draft: Draft, asset: number): void {
  endTwapsWithoutPosition(draft, asset);
  const { orders, triggers, positions } = draft.account;
  const position = positions.get(asset);
  const idleSides = position ? [sideOf(position)] : BOTH_SIDES;
  for (const oid of orders.size > 0 ? reduceOnlyOids(orders.sides.get(asset), idleSides) : []) {
    const order = orders.get(oid);
    assert(order, `order ${oid} is indexed and not open`);
    endOrder(draft, order, 'reduceOnlyCanceled');
  }
  for (const order of reducingFor({ triggers }, asset, idleSides)) endOrder(draft, order, 'reduceOnlyCanceled');
  if (!position) return;
  fitReducing(draft, asset);
  draft.cutTo(asset, position.signedSize.abs());
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

/** To be called when an order has filled completely: ends what was there to do the same work. */
export function endSiblings(draft: Draft, { oid, asset, trigger }: OrderView): void {
  const group = trigger && groupOf(trigger, asset);
  if (!group || ('positionIn' in group && draft.account.positions.has(asset))) return;
  const siblings = openOrdersOf(draft.account, group).filter((other) => other.oid !== oid);
  endEach(draft, siblings, 'siblingFilledCanceled');
}

function groupOf({ grouping, parentOid }: TriggerView, asset: number): OrderGroup | undefined {
  if (grouping === 'positionTpsl') return { positionIn: asset };
  return grouping === 'normalTpsl' && parentOid !== undefined ? { parentOid } : undefined;
}

/** To be called for a parent that came to the market by itself: places its children unless it is still open. */
export function releaseIfDone(draft: Draft, parentOid: number): void {
  const { account } = draft;
  const [child] = childrenOf(account, parentOid);
  if (!child || account.orders.has(parentOid) || account.triggers.has(parentOid)) return;
  releaseChildren(draft, parentOid);
  followPosition(draft, child.asset);
}

/**
 * Places the children of a parent that will fill no further; one that would only increase the position is refused alone.
 * `followPosition` has to come after, to cut them to the position, and then `fireArmed`.
 */
export function releaseChildren(draft: Draft, parentOid: number): void {
  const oids: number[] = [];
  for (const child of childrenOf(draft.account, parentOid)) {
    if (closableSize(draft.account, child.asset, child.side).isZero()) endAlone(draft, child, 'reduceOnlyCanceled');
    else oids.push(child.oid);
  }
  if (oids.length > 0) draft.recordWaiting({ type: 'triggersArmed', oids }, oids);
}
