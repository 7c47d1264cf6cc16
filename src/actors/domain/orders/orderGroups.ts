// The life of a TP/SL group beside its single orders (trading-rules 2.5): children wait until their parent has filled, go
// with it when it ends otherwise, and of siblings the one that is left ends when the other has done its work.
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { WaitingOrder } from '../account/account.ts';
import { childrenOf } from '../account/ownOrders.ts';
import { isReached } from '../account/triggerPrice.ts';
import type { Context } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { closableSize } from '../margin/position.ts';
import type { OrderStatus, OrderView } from '../messages/historyRows.ts';
import { endAlone, endOrders } from './endOrders.ts';
import { followPosition } from './followPosition.ts';

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

/** Hands the waiting children of a modified parent over to the order that took its place; `false` when there were none. */
export function adoptChildren(draft: Draft, { oid, newOid }: { readonly oid: number; readonly newOid: number }): boolean {
  if (childrenOf(draft.account, oid).length === 0) return false;
  assert(newOid !== oid, `order ${oid} cannot take its own place`);
  draft.record({ type: 'parentReplaced', oid, newOid });
  return true;
}

/** To be called for a parent that came to the market by itself: places its children unless it is still open. */
export function releaseIfDone(draft: Draft, parentOid: number, context: Context): void {
  const { account } = draft;
  const [child] = childrenOf(account, parentOid);
  if (!child || account.orders.has(parentOid) || account.triggers.has(parentOid)) return;
  releaseChildren(draft, parentOid, context);
  followPosition(draft, child.asset);
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
