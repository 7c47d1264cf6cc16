// Executes an accepted order: the planned fills, then its end or its rest on the book. The same for a new order and
// for one that its trigger has fired (trading-rules 2.2, 3.3).
import type { Asset } from '../../../market/domain/asset.ts';
import { cutTo, type Decimal } from '../../../shared/domain/decimal.ts';
import { fillModelOf } from '../account/group/terms.ts';
import { bestOrders, cutOrder, openOrderCount, oppositeOf } from '../account/ownOrders.ts';
import type { AcceptedOrder } from '../checks/checkOrder.ts';
import { isImmediate, priceDecimals } from '../checks/readOrder.ts';
import { costOf, type Take, takenAfterFills } from '../fills/bookLiquidity.ts';
import { takerEvidence } from '../fills/fillEvent.ts';
import { aheadOnArrival, restingUnder } from '../fills/queuePosition.ts';
import type { Context } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import type { OrderOutcome } from '../messages/answers/commandOutcome.ts';
import type { FillEvidence, OrderStatus, OrderView } from '../messages/historyRows.ts';
import { endSiblings, followPosition } from './afterFill.ts';
import { endOrder } from './endOrders.ts';
import { makeRoom } from './fitReducing.ts';

/** Records what the order does at once, and returns the outcome. */
export function executeOrder(
  draft: Draft,
  view: OrderView,
  { walk, fills, ledger, size, limitPrice, fresh }: AcceptedOrder,
  { asset, context }: { readonly asset: Asset; readonly context: Context },
): OrderOutcome {
  const { oid, cloid, side, timeInForce } = view;
  const hasFollowers = openOrderCount(draft.account) > 0 || draft.account.twaps.size > 0;
  const selfTrades = bestOrders(draft.account, { asset: asset.id, side: oppositeOf(side) }, walk.selfTrades);
  for (const own of selfTrades) endOrder(draft, own, 'selfTradeCanceled');
  for (const plan of fills.fills) {
    const { execution } = plan;
    const seen = takerEvidence(fresh, execution);
    const evidence: FillEvidence = view.trigger
      ? { ...seen, triggerPrice: view.trigger.price, markPrice: fresh.prices.markPrice.toString() }
      : seen;
    draft.recordFill({ order: view, tid: context.ids.next(), plan, liquidity: 'taker', evidence });
  }
  const consumption = takenAfterFills(walk.takes, ledger);
  if (consumption) draft.record(consumption);
  if (walk.takes.length > 0 && hasFollowers) {
    if (walk.left.isZero()) endSiblings(draft, view);
    followPosition(draft, asset.id);
  }

  const filled = size.minus(walk.left);
  const totalSize = filled.toString();
  const final: { -readonly [Field in keyof OrderView]: OrderView[Field] } = {
    ...cutOrder(view, size),
    size: walk.left.toString(),
    filledSize: totalSize,
  };
  if (!filled.isZero()) final.filledUsd = costOf(walk.takes).toString();
  if (walk.left.isZero() || (timeInForce !== 'liquidationMarket' && isImmediate(timeInForce))) {
    const status: OrderStatus = walk.left.isZero() ? 'filled' : 'canceled';
    draft.record({ type: 'orderEnded', order: final, status });
  } else {
    const ahead = aheadOnArrival(fresh.book, side, limitPrice);
    const resting = {
      ahead,
      acceptedFeedTimeMs: context.market.feedTimeMs(asset.id),
      acceptedTick: context.market.tick,
      ...restingUnder(fillModelOf(draft.account), ahead),
    };
    makeRoom(draft, final);
    draft.record({ type: 'orderRested', order: final, resting });
  }

  const named = { oid, ...(cloid !== undefined && { cloid }) };
  if (filled.isZero()) return { type: 'resting', ...named };
  const averagePrice = averageOf(walk.takes, filled, asset).toString();
  return { type: 'filled', ...named, totalSize, averagePrice };
}

/** USD per coin, cut to the decimals of a price. */
function averageOf(takes: readonly Take[], filled: Decimal, { sizeDecimals }: Asset): Decimal {
  const [first, ...others] = takes;
  if (first && others.length === 0) return first.price;
  return cutTo(costOf(takes).div(filled), priceDecimals(sizeDecimals));
}
