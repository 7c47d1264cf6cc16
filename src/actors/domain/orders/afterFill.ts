// Changes the other open orders after a fill, in the same entry, so that no reader sees them disagree. After every
// change of a position its reduce-only orders follow: cut to what is left, canceled when there is nothing left to
// reduce (trading-rules 2.3). Reduce-only TWAPs end with the position (trading-rules 2.8). In a TP/SL group the
// children wait until their parent has filled, because their position is still to come; when one sibling has filled,
// the other ends (trading-rules 2.5).
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Position, WaitingOrder } from '../account/account.ts';
import type { OpenOrder, Sides } from '../account/openOrderBook.ts';
import { childrenOf, waitingForMarkOf } from '../account/ownOrders.ts';
import { isReached } from '../account/triggerPrice.ts';
import { leftOf } from '../account/twap.ts';
import type { Context } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { closableSize, isSameSide } from '../margin/position.ts';
import type { OrderStatus, OrderView } from '../messages/historyRows.ts';
import { endAlone, endOrder, endOrders, endTwap } from './endOrders.ts';

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
  for (const order of waitingForMarkOf({ triggers }, asset)) if (order.reduceOnly) follow(draft, order, position);
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

/** To be called when an order has filled completely: ends what was there to do the same work. */
export function endSiblings(draft: Draft, { oid, asset, trigger }: OrderView): void {
  if (trigger?.grouping === 'normalTpsl') {
    endOrders(draft, (other) => other.oid !== oid && other.trigger?.parentOid === trigger.parentOid, 'siblingFilledCanceled');
  } else if (trigger?.grouping === 'positionTpsl' && !draft.account.positions.has(asset)) {
    endOrders(
      draft,
      (other) => other.oid !== oid && other.asset === asset && other.trigger?.grouping === 'positionTpsl',
      'siblingFilledCanceled',
    );
  }
}

/** To be called for a parent that came to the market by itself: places its children unless it is still open. */
export function releaseIfDone(draft: Draft, parentOid: number, context: Context): void {
  const { account } = draft;
  const [child] = childrenOf(account, parentOid);
  if (!child || account.orders.has(parentOid) || account.triggers.has(parentOid)) return;
  releaseChildren(draft, parentOid, context);
  followPosition(draft, child.asset);
}

/**
 * Places the children of a parent that will fill no further. One that would only increase the position, or whose trigger
 * has been reached, is refused alone. `followPosition` has to come after, to cut them to the position.
 */
export function releaseChildren(draft: Draft, parentOid: number, { market }: Context): void {
  const children = childrenOf(draft.account, parentOid);
  if (children.length === 0) return;
  const oids: number[] = [];
  for (const child of children) {
    const refusal = refusalOf(draft, child, market.prices(child.asset)?.markPrice);
    if (refusal) endAlone(draft, child, refusal);
    else oids.push(child.oid);
  }
  if (oids.length > 0) draft.record({ type: 'triggersArmed', oids });
}

function refusalOf(draft: Draft, child: WaitingOrder, markPrice: Decimal | undefined): OrderStatus | undefined {
  const { asset, side, trigger } = child;
  if (closableSize(draft.account, asset, side).isZero()) return 'reduceOnlyCanceled';
  const terms = { side, tpsl: trigger.tpsl, triggerPrice: new Decimal(trigger.price) };
  return markPrice && isReached(terms, markPrice) ? 'badTriggerPxRejected' : undefined;
}
