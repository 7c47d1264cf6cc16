// Executes an accepted order: the planned fills, then its end, its rest on the book, or its wait for a newer one. The same for a new order
// and for one that its trigger has fired (trading-rules 2.2, 2.4, 3.3).
import type { Asset } from '../../../market/domain/asset.ts';
import { cutTo, Decimal } from '../../../shared/domain/decimal.ts';
import { bestOrders, cutOrder, openOrderCount, oppositeOf } from '../account/ownOrders.ts';
import { fillModelOf } from '../account/terms.ts';
import { isImmediate, priceDecimals } from '../checks/checkForm.ts';
import type { AcceptedOrder } from '../checks/checkOrder.ts';
import { costOf, type Take, takenAfterFills } from '../fills/bookLiquidity.ts';
import { takerEvidence } from '../fills/fillEvent.ts';
import { aheadOnArrival, restingUnder } from '../fills/queuePosition.ts';
import type { Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import { closableSize } from '../margin/position.ts';
import type { OrderOutcome } from '../messages/commandOutcome.ts';
import type { FillEvidence } from '../messages/historyRows.ts';
import type { OrderView } from '../messages/order.ts';
import type { OutOfReach } from '../messages/queuePlace.ts';
import { endSiblings, followPosition, makeRoom } from './afterFill.ts';
import { endOrder } from './endOrders.ts';

interface Execution {
  readonly asset: Asset;
  readonly context: Context;
  /** Of a market order that its trigger has fired: why it waits with what is left of it, or that it has waited before; absent = it ends. */
  readonly waits?: OutOfReach | 'already' | undefined;
}

/** Records what the order does at once, and returns the outcome. */
export function executeOrder(
  draft: Draft,
  view: OrderView,
  { walk, fills, ledger, size, limitPrice, fresh }: AcceptedOrder,
  { asset, context, waits }: Execution,
): OrderOutcome {
  const { side, timeInForce } = view;
  const hasFollowers = openOrderCount(draft.account) > 0 || draft.account.twaps.size > 0;
  const selfTrades = bestOrders(draft.account, { asset: asset.id, side: oppositeOf(side) }, walk.selfTrades);
  for (const own of selfTrades) endOrder(draft, own, 'selfTradeCanceled');
  for (const plan of fills.fills) {
    const seen = takerEvidence(fresh, plan.execution);
    const firedAt = waits === 'already' ? {} : { markPrice: fresh.prices.markPrice.toString() };
    const evidence: FillEvidence = view.trigger ? { ...seen, triggerPrice: view.trigger.price, ...firedAt } : seen;
    draft.recordFill({ order: view, tid: context.ids.next(), plan, liquidity: 'taker', evidence });
  }
  const consumption = takenAfterFills(walk.takes, ledger);
  if (consumption) draft.record(consumption);

  const filled = size.minus(walk.left);
  const isFilled = walk.left.isZero();
  const progress = {
    filledSize: filled.plus(view.filledSize).toString(),
    ...(!filled.isZero() && {
      filledUsd: costOf(walk.takes)
        .plus(view.filledUsd ?? 0)
        .toString(),
    }),
  };
  const final: OrderView = { ...cutOrder(view, size), size: walk.left.toString(), ...progress };
  // One that has waited is open: it ends before what follows its fill could end it.
  if (isFilled && waits === 'already') draft.record({ type: 'orderEnded', order: final, status: 'filled' });
  if (walk.takes.length > 0 && hasFollowers) {
    if (isFilled) endSiblings(draft, view);
    followPosition(draft, asset.id);
  }
  if (waits === 'already') return toOutcome(view, walk.takes, { filled, asset });

  if (waits !== undefined && !isFilled) {
    waitForBook(draft, { ...view, size: new Decimal(view.size).minus(filled).toString(), ...progress }, waits);
  } else if (isFilled || (timeInForce !== 'liquidationMarket' && isImmediate(timeInForce))) {
    draft.record({ type: 'orderEnded', order: final, status: isFilled ? 'filled' : 'canceled' });
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
  return toOutcome(view, walk.takes, { filled, asset });
}

function toOutcome(
  { oid, cloid }: OrderView,
  takes: readonly Take[],
  { filled, asset }: { readonly filled: Decimal; readonly asset: Asset },
): OrderOutcome {
  const named = { oid, ...(cloid !== undefined && { cloid }) };
  if (filled.isZero()) return { type: 'resting', ...named };
  return { type: 'filled', ...named, totalSize: filled.toString(), averagePrice: averageOf(takes, filled, asset).toString() };
}

/** A reduce-only order that has fired waits for a newer book with what is left of it. From now on its position cuts it, which an event of its own tells. */
export function waitForBook(draft: Draft, order: OrderView, outOfReach: OutOfReach): void {
  const { oid, asset, side } = order;
  draft.recordWaiting({ type: 'triggerWaits', order, outOfReach }, [oid]);
  draft.cutTo(asset, closableSize(draft.account, asset, side));
}

/** USD per coin, cut to the decimals of a price. */
function averageOf(takes: readonly Take[], filled: Decimal, { sizeDecimals }: Asset): Decimal {
  const [first, ...others] = takes;
  if (first && others.length === 0) return first.price;
  return cutTo(costOf(takes).div(filled), priceDecimals(sizeDecimals));
}
