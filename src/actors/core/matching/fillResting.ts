// Fills a resting order at its limit as maker, after margin and reduce-only have been checked again at the current
// marks (trading-rules 3.2, 4.6). Trades and crossing books both end here.
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { isHeld } from '../account/labState.ts';
import { type OpenOrder, type Sides, toRow } from '../account/openOrderBook.ts';
import { checkMargin, isCappedOut, sidesOf } from '../checks/checkMargin.ts';
import { openingRefusal } from '../checks/checkOpening.ts';
import { feeRatesOf, planFills } from '../fills/fillPlan.ts';
import type { Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import { leverageOf } from '../margin/positionMargin.ts';
import type { FillEvidence } from '../messages/historyRows.ts';
import { endAlone, endOrder } from '../orders/endOrders.ts';
import { endSiblings, followPosition, releaseChildren } from '../orders/executeOrder.ts';

/** What the market offers a resting order. */
export interface RestingOffer {
  readonly oid: number;
  readonly limitPrice: Decimal;
  /** At most this much, coins. */
  readonly sizeMax: Decimal;
  readonly evidence: FillEvidence;
}

/**
 * Fills what is left of an open order up to the match's size.
 * @returns the size filled, 0 when a failure lab holds the order, or when it ended for want of margin, at an open-interest cap, for the
 *   loss limit of its key or a house rule
 */
export function fillResting(draft: Draft, { oid, limitPrice, sizeMax, evidence }: RestingOffer, context: Context): Decimal {
  const { account } = draft;
  const order = account.orders.get(oid);
  assert(order, `match of order ${oid}, which is not open`);
  const asset = context.market.asset(order.asset);
  assert(asset, `order ${oid} of unknown asset ${order.asset}`);
  const left = new Decimal(order.size);
  const size = Decimal.min(left, sizeMax);
  if (size.isZero() || isHeld(account.lab, oid)) return ZERO;

  const plan = planFills({ cash: account.cash, position: account.positions.get(asset.id) }, [{ price: limitPrice, size }], {
    asset,
    side: order.side,
    liquidity: 'maker',
    setting: leverageOf(account, asset),
    markPrice: context.market.prices(asset.id)?.markPrice,
    rates: feeRatesOf(account, draft.timeMs),
  });
  if (plan.opens && isCappedOut(asset, { side: order.side, limitPrice }, context.market)) {
    endUnfilled(draft, order, 'openInterestCapCanceled');
    return ZERO;
  }
  const { reduceOnly, lossMaxUsd } = order;
  if (plan.opens && openingRefusal(account, { asset, reduceOnly, lossMaxUsd }, context)) {
    endUnfilled(draft, order, 'canceled');
    return ZERO;
  }
  const rest = left.minus(size);
  const verdict = checkMargin(
    account,
    {
      asset,
      side: order.side,
      limitPrice,
      reduceOnly: order.reduceOnly,
      after: plan.after,
      opens: plan.opens,
      rest,
      others: othersThan(account, order),
    },
    context.market,
    draft.margin,
  );
  if (plan.opens && verdict !== 'accepted') {
    endUnfilled(draft, order, 'marginCanceled');
    return ZERO;
  }
  const triggerPrice = order.trigger?.price;
  const known = triggerPrice === undefined ? evidence : { ...evidence, triggerPrice };
  for (const fill of plan.fills) {
    draft.recordFill({ order, tid: context.ids.next(), plan: fill, liquidity: 'maker', evidence: known });
  }
  const after = draft.account.orders.get(oid);
  if (after && rest.isZero()) {
    endAlone(draft, after, 'filled');
    endSiblings(draft, after);
    releaseChildren(draft, oid);
  }
  followPosition(draft, asset.id);
  return size;
}

/** Resting orders of its coin without the order itself. */
function othersThan(account: Account, order: OpenOrder): Sides {
  const sides = sidesOf(account, order.asset);
  return { ...sides, [order.side]: sides[order.side].without(toRow(order.oid, order)) };
}

/** Unlike any other end, this one leaves the children of a parent that has filled in part: they protect that part. */
function endUnfilled(draft: Draft, order: OpenOrder, status: 'marginCanceled' | 'openInterestCapCanceled' | 'canceled'): void {
  if (order.filledSize === '0') {
    endOrder(draft, order, status);
    return;
  }
  endAlone(draft, order, status);
  releaseChildren(draft, order.oid);
  followPosition(draft, order.asset);
}
