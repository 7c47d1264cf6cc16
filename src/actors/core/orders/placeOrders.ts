// Places a batch of orders, one after the other, each seeing the effects of those before. A refused one does not stop
// the rest. Orders of a TP/SL group are placed as they belong together (trading-rules 2.5). Each is checked, then
// recorded on the draft as fills, rest, wait or end; a refused order leaves nothing but the record of its refusal.

import type { Asset } from '../../../market/domain/asset.ts';
import { unreachable } from '../../../shared/domain/assert.ts';
import type { LabRefusal } from '../../../shared/domain/labProfile.ts';
import type { Account } from '../account/account.ts';
import { cutOrder } from '../account/ownOrders.ts';
import { checkAction } from '../checks/checkAction.ts';
import { type ReadOrder, readOrder, unknownAssetText } from '../checks/checkForm.ts';
import { isOfKey, lossLimitOf, openedIn, sentRefusal } from '../checks/checkOpening.ts';
import { checkOrder } from '../checks/checkOrder.ts';
import { ALONE, checkTrigger, type TriggerPlace } from '../checks/checkTrigger.ts';
import { type Decision, Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import type { AccountCommand, Grouping, TriggerOrderType } from '../messages/command.ts';
import type { OrderOutcome } from '../messages/commandOutcome.ts';
import type { OrderView, TriggerView } from '../messages/historyRows.ts';
import type { OrderNote } from '../messages/labNote.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import { executeOrder } from './executeOrder.ts';
import { fireTriggers } from './fireTriggers.ts';
import { holdIfWanted, isWithoutPlace } from './underScript.ts';

export function placeOrders(
  account: Account,
  { orders, grouping }: Extract<AccountCommand, { type: 'placeOrders' }>,
  context: Context,
): Decision {
  const requests = orders.length;
  const read = orders.map((order) => readOrder(order, context.market));
  const refusal = checkAction(read, { grouping, market: context.market });
  if (refusal !== undefined) return { events: [], outcome: { type: 'refused', text: refusal }, requests };

  const draft = new Draft(account, context.nowMs);
  const outcomes = placeGroup(draft, read, grouping, context);
  return draft.decision({ type: 'orders', orders: outcomes }, requests);
}

/** One outcome per order, in their order. */
export function placeGroup(draft: Draft, orders: readonly ReadOrder[], grouping: Grouping, context: Context): OrderOutcome[] {
  switch (grouping) {
    case 'na':
      return orders.map((order) => placeOrder(draft, order, context));
    case 'positionTpsl':
      return placeTogether(draft, namedOnce(orders), context, { waitsFor: 'mark', grouping });
    case 'normalTpsl':
      return placeFamily(draft, namedOnce(orders), context);
    default:
      return unreachable(grouping);
  }
}

/** Children of a parent that rests wait for it; those of one that will fill no further wait for the mark. */
function placeFamily(draft: Draft, [parent, ...children]: readonly ReadOrder[], context: Context): OrderOutcome[] {
  if (!parent) return [];
  const outcome = placeOrder(draft, parent, context);
  if (outcome.type === 'error') return [outcome, ...children.map(() => outcome)];
  const { oid } = outcome;
  const waitsFor = draft.account.orders.has(oid) ? 'fill' : 'mark';
  return [outcome, ...placeTogether(draft, children, context, { waitsFor, grouping: 'normalTpsl', parentOid: oid })];
}

/** Places trigger orders of one coin, and fires those that the mark has reached when all are placed. */
function placeTogether(draft: Draft, orders: readonly ReadOrder[], context: Context, place: TriggerPlace): OrderOutcome[] {
  const outcomes = orders.map((order) => placeOrder(draft, order, context, { ...place, firesWithGroup: true }));
  const coin = orders[0]?.asset?.coin;
  if (place.waitsFor === 'mark' && coin !== undefined) fireTriggers(draft, coin, context);
  return outcomes;
}

/** A client order id belongs to the first order of a group that has it: ccxt gives the parent's to the children, too. */
function namedOnce(orders: readonly ReadOrder[]): ReadOrder[] {
  const names = new Set<string>();
  return orders.map((order) => {
    const { cloid, ...request } = order.request;
    if (cloid === undefined) return order;
    if (names.has(cloid)) return { ...order, request };
    names.add(cloid);
    return order;
  });
}

/**
 * Places one order and returns the outcome. An unknown asset leaves no record: there is no coin to file it under.
 * @param place of a trigger order in its group
 */
export function placeOrder(draft: Draft, order: ReadOrder, context: Context, place: TriggerPlace = ALONE): OrderOutcome {
  const { asset, request } = order;
  if (!asset) return { type: 'error', text: unknownAssetText(request.asset) };

  const placed = placeKnown(draft, order, asset, context, place);
  return placed.type === 'rejected' ? refusedOutcome(draft, placed) : placed;
}

/** What the client is told of a refusal. @param before words before it */
export function refusedOutcome(draft: Draft, refusal: Rejection, before = ''): OrderOutcome {
  const outcome = { type: 'error', text: `${before}${refusal.text}` } as const;
  if (isOfKey(refusal)) draft.noteBeyondKey(outcome);
  return outcome;
}

/** Places an order of an asset that exists. A refusal is given with its reason. */
export function placeKnown(
  draft: Draft,
  order: ReadOrder,
  asset: Asset,
  context: Context,
  place: TriggerPlace = ALONE,
): OrderOutcome | Rejection {
  const placed = tryToPlace(draft, order, asset, context, place);
  const isOpening = placed.type !== 'rejected' && !order.request.reduceOnly && draft.account.house !== undefined;
  if (isOpening) for (const event of openedIn(draft.account, asset.coin, context)) draft.record(event);
  return placed;
}

function tryToPlace(
  draft: Draft,
  order: ReadOrder,
  asset: Asset,
  context: Context,
  place: TriggerPlace,
): OrderOutcome | Rejection {
  const { type } = order.request;
  const ofKey = order.twapId === undefined && context.key !== undefined ? lossLimitOf(context) : {};
  const note = noteOf(order, context);
  const view = {
    ...viewOf(order, asset, { oid: order.request.oid ?? context.ids.next(), nowMs: context.nowMs, place, note }),
    ...ofKey,
  };
  const beyondLimit = sentRefusal(draft, order, asset, context);
  if (beyondLimit !== undefined) {
    draft.record({ type: 'orderEnded', order: view, status: beyondLimit.status });
    return beyondLimit;
  }
  const { script } = order.request;
  if (script?.refuse !== undefined) return refuse(draft, view, script.refuse);
  if (type.kind === 'trigger') return placeTrigger(draft, view, { order, asset, type, place }, context);

  const checked = checkOrder(draft, order, { asset, timeInForce: type.timeInForce }, context);
  if (checked.type === 'accepted') {
    if (script !== undefined && isWithoutPlace(draft, script)) return refuse(draft, view, 'tooManyOpenOrders');
    const outcome = executeOrder(draft, view, checked, { asset, context });
    if (script !== undefined) holdIfWanted(draft, view.oid, script, context);
    return outcome;
  }
  draft.record({ type: 'orderEnded', order: view, status: checked.status });
  return checked;
}

/** Refused by the script of a failure lab, in the words of the venue. */
function refuse(draft: Draft, view: OrderView, reason: LabRefusal): Rejection {
  const refused = rejection(reason, { asset: view.asset });
  draft.record({ type: 'orderEnded', order: view, status: refused.status });
  return refused;
}

/** The draw that the order came with, and what is scripted for it. */
function noteOf({ request: { script } }: ReadOrder, { lab: note }: Context): OrderNote | undefined {
  return note && { ...note, act: 'place', ...(script && { script }) };
}

/** The order as it is recorded before anything has happened to it; numbers that can be read lose their padding. */
function viewOf(
  order: ReadOrder,
  asset: Asset,
  { oid, nowMs, place, note }: { oid: number; nowMs: number; place: TriggerPlace; note: OrderNote | undefined },
): OrderView {
  const { request, size, limitPrice, twapId } = order;
  const { type, cloid } = request;
  const requested = size?.toString() ?? request.size;
  return {
    oid,
    ...(cloid !== undefined && { cloid }),
    asset: asset.id,
    coin: asset.coin,
    side: request.side,
    limitPrice: limitPrice?.toString() ?? request.limitPrice,
    size: requested,
    originalSize: requested,
    filledSize: '0',
    filledUsd: '0',
    reduceOnly: request.reduceOnly,
    timeInForce: type.kind === 'limit' ? type.timeInForce : type.isMarket ? 'ioc' : 'gtc',
    placedAtMs: nowMs,
    ...(twapId !== undefined && { twapId }),
    ...(type.kind === 'trigger' && { trigger: triggerOf(order, type, place) }),
    ...(note && { lab: [note] }),
  };
}

function triggerOf(
  { triggerPrice }: ReadOrder,
  { triggerPrice: text, tpsl, isMarket }: Extract<ReadOrder['request']['type'], { kind: 'trigger' }>,
  { grouping, parentOid }: TriggerPlace,
): TriggerView {
  return {
    price: triggerPrice?.toString() ?? text,
    tpsl,
    isMarket,
    ...(grouping && { grouping }),
    ...(parentOid !== undefined && { parentOid }),
  };
}

/**
 * Places a trigger order: checks it, then records it as waiting for the mark, or as a child for its parent to fill.
 * It holds no margin and cannot fill until it fires, which one that the mark has reached does in the same entry
 * (trading-rules 2.4, 2.5).
 */
interface TriggerOrder {
  readonly order: ReadOrder;
  readonly asset: Asset;
  readonly type: TriggerOrderType;
  readonly place: TriggerPlace;
}

/** @param view the order before anything has happened to it */
function placeTrigger(
  draft: Draft,
  view: OrderView,
  { order, asset, type, place }: TriggerOrder,
  context: Context,
): OrderOutcome | Rejection {
  const checked = checkTrigger(draft.account, order, { asset, type, place }, context);
  if (checked.type === 'rejected') {
    draft.record({ type: 'orderEnded', order: view, status: checked.status });
    return checked;
  }
  const { waitsFor, grouping } = place;
  const { isPlacedFlat, isReached, size } = checked;
  const placed = isPlacedFlat && view.trigger ? { ...view, trigger: { ...view.trigger, placedFlat: true as const } } : view;
  draft.recordWaiting({ type: 'triggerPlaced', order: cutOrder(placed, size), waitsFor }, [view.oid]);
  if (isReached && !place.firesWithGroup) fireTriggers(draft, asset.coin, context);

  const { oid, cloid } = view;
  const named = { oid, ...(cloid !== undefined && { cloid }) };
  if (grouping === undefined) return { type: 'resting', ...named };
  return { type: waitsFor === 'fill' ? 'waitingForFill' : 'waitingForTrigger', ...named };
}
