// Executes an accepted order. Its planned fills come first, with their consequences for other open orders. Its end, its rest on the book, or
// its wait for a newer one comes last. A new order takes the same way as one that its trigger has fired (trading-rules 2.2, 2.4, 3.3).
import type { Asset } from '../../../market/domain/asset.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { cutTo, Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { OrderGroup } from '../account/orderMap.ts';
import {
  BOTH_SIDES,
  bestOrders,
  childrenOf,
  cutOrder,
  openOrderCount,
  oppositeOf,
  reduceOnlyOids,
  reducingFor,
  toView,
} from '../account/ownOrders.ts';
import { fillModelOf } from '../account/terms.ts';
import { leftOf } from '../account/twap.ts';
import { isImmediate, priceDecimals } from '../checks/checkForm.ts';
import type { AcceptedOrder } from '../checks/checkOrder.ts';
import { costOf, type Take, takenAfterFills } from '../fills/bookLiquidity.ts';
import { takerEvidence } from '../fills/fillEvent.ts';
import { aheadOnArrival, restingUnder } from '../fills/queuePosition.ts';
import type { Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import { closableSize, isSameSide, sideOf } from '../margin/position.ts';
import type { OrderOutcome } from '../messages/commandOutcome.ts';
import type { FillEvidence } from '../messages/historyRows.ts';
import type { OrderView, Side, TriggerView } from '../messages/order.ts';
import type { OutOfReach } from '../messages/queuePlace.ts';
import { endAlone, endEach, endOrder, endTwap, openOrdersOf } from './endOrders.ts';

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

// A fill changes other open orders, too, in the same entry, so that no reader sees them disagree. After every
// change of a position its reduce-only orders follow: those on the book together, those that wait for the mark each on
// its own; canceled when there is nothing left to reduce (trading-rules 2.3). Reduce-only TWAPs end with the position
// (trading-rules 2.8). In a TP/SL group the children wait until their parent has filled, because their position is still
// to come; when one sibling has filled, the other ends (trading-rules 2.5).

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

// Reduce-only orders on the book take no more than their position together (trading-rules 2.3): the venue lets a new one
// push out those before it. The newest keep their size; the oldest are cut, and end when nothing is left for them. So
// the orders of a side can never close more than there is, whichever of them fills first. Orders that wait for the mark
// are not counted: only one of a stop and a take-profit will fill.

/** After a change of a position: what rests to reduce it fits it again. */
function fitReducing(draft: Draft, asset: number): void {
  giveWay(draft, asset, { size: ZERO });
}

/** Before a reduce-only order comes to rest: those before it give way to its size, in coins at most the position. */
function makeRoom(draft: Draft, { oid, asset, size, reduceOnly }: OrderView): void {
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
