// Places a batch of orders, one after the other, each seeing the effects of those before. A refused one does not stop
// the rest. Orders of a TP/SL group are placed as they belong together (trading-rules 2.5). Each is checked, then
// recorded on the draft as fills, rest, wait or end; a refused order leaves nothing but the record of its refusal.
import { unreachable } from '../../../shared/domain/assert.ts';
import type { Account } from '../account/account.ts';
import { cutOrder } from '../account/ownOrders.ts';
import { checkAction, refused } from '../checks/checkAction.ts';
import { isKnown, type KnownOrder, type ReadOrder, readOrder, unknownAssetText } from '../checks/checkForm.ts';
import { isOfKey, lossLimitOf, openedIn, sentRefusal } from '../checks/checkOpening.ts';
import { checkOrder } from '../checks/checkOrder.ts';
import { ALONE, checkTrigger, type TriggerPlace } from '../checks/checkTrigger.ts';
import { type Decision, Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { OrderOutcome } from '../messages/commandOutcome.ts';
import type { OrderNote } from '../messages/labNote.ts';
import type { Grouping, OrderView, TimeInForce, TriggerOrderType, TriggerView } from '../messages/order.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import { executeOrder } from './executeOrder.ts';
import { fireTriggers } from './fireTriggers.ts';
import { holdIfWanted, isWithoutPlace } from './underScript.ts';

export function placeOrders(
  account: Account,
  { orders: asked, grouping }: Extract<AccountCommand, { type: 'placeOrders' }>,
  context: Context,
): Decision {
  const requests = asked.length;
  const read = asked.map((order) => readOrder(order, context.market));
  const refusal = checkAction(read, { grouping, market: context.market });
  if (refusal !== undefined) return refused(refusal, requests);

  const draft = new Draft(account, context);
  const orders = placeTogether(draft, read, grouping, context);
  return draft.decision({ type: 'orders', orders }, requests);
}

/** Places the orders of an action as they belong together. One outcome per order, in their order. */
export function placeTogether(draft: Draft, orders: readonly ReadOrder[], grouping: Grouping, context: Context): OrderOutcome[] {
  switch (grouping) {
    case 'na':
      return orders.map((order) => outcomeOf(draft, placeOrder(draft, order, context)));
    case 'positionTpsl':
      return placeGroup(draft, namedOnce(orders), context, { waitsFor: 'mark', grouping });
    case 'normalTpsl':
      return placeFamily(draft, namedOnce(orders), context);
    default:
      return unreachable(grouping);
  }
}

/** Children of a parent that rests wait for it; those of one that will fill no further wait for the mark. */
function placeFamily(draft: Draft, [parent, ...children]: readonly ReadOrder[], context: Context): OrderOutcome[] {
  if (!parent) return [];
  const outcome = outcomeOf(draft, placeOrder(draft, parent, context));
  if (outcome.type === 'error') return [outcome, ...children.map(() => outcome)];
  const { oid } = outcome;
  const waitsFor = draft.account.orders.has(oid) ? 'fill' : 'mark';
  return [outcome, ...placeGroup(draft, children, context, { waitsFor, grouping: 'normalTpsl', parentOid: oid })];
}

/** Places trigger orders of one coin, and fires those that the mark has reached when all are placed. */
function placeGroup(draft: Draft, orders: readonly ReadOrder[], context: Context, place: TriggerPlace): OrderOutcome[] {
  const inGroup = { ...place, firesWithGroup: true } as const;
  const outcomes = orders.map((order) => outcomeOf(draft, placeOrder(draft, order, context, inGroup)));
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
 * Places one order: checks it in the order of docs/errors.md, then records what it does. A refused one leaves the record of its
 * refusal; one of an unknown asset leaves none, because there is no coin to file it under.
 * @param place of a trigger order in its group
 */
export function placeOrder(draft: Draft, order: ReadOrder, context: Context, place = ALONE): OrderOutcome | Rejection {
  const { request } = order;
  if (!isKnown(order)) return { ...rejection('unknownAsset', { asset: request.asset }), text: unknownAssetText(request.asset) };
  const view = viewOf(order, context, place);
  const { account } = draft;
  const { type, script } = request;
  const isLimited = context.key !== undefined || account.house !== undefined;
  const placed =
    (isLimited ? sentRefusal(draft, order, context) : undefined) ??
    (script?.refuse && rejection(script.refuse, { asset: order.asset.id })) ??
    (type.kind === 'trigger'
      ? placeTrigger(draft, view, { order, type, place }, context)
      : placeLimit(draft, view, { order, timeInForce: type.timeInForce }, context));
  if (placed.type === 'rejected') draft.record({ type: 'orderEnded', order: view, status: placed.status });
  else if (isLimited && !request.reduceOnly)
    for (const event of openedIn(account, order.asset.coin, context)) draft.record(event);
  return placed;
}

/** What the client is told of an order. @param before words before a refusal */
export function outcomeOf(draft: Draft, placed: OrderOutcome | Rejection, before = ''): OrderOutcome {
  if (placed.type !== 'rejected') return placed;
  const outcome = { type: 'error', text: `${before}${placed.text}` } as const;
  if (isOfKey(placed)) draft.noteBeyondKey(outcome);
  return outcome;
}

/** Places an order that goes to the market at once. */
function placeLimit(
  draft: Draft,
  view: OrderView,
  { order, timeInForce }: { readonly order: KnownOrder; readonly timeInForce: TimeInForce },
  context: Context,
): OrderOutcome | Rejection {
  const { asset, request } = order;
  const { script } = request;
  const checked = checkOrder(draft, order, timeInForce, context);
  if (checked.type === 'rejected') return checked;
  if (script !== undefined && isWithoutPlace(draft, script)) return rejection('tooManyOpenOrders', { asset: asset.id });
  const outcome = executeOrder(draft, view, checked, { asset, context });
  if (script !== undefined) holdIfWanted(draft, view.oid, script, context);
  return outcome;
}

/** The draw that the order came with, and what is scripted for it. */
function noteOf({ request: { script } }: ReadOrder, { lab: note }: Context): OrderNote | undefined {
  return note && { ...note, act: 'place', ...(script && { script }) };
}

/** The order as it is recorded before anything has happened to it; numbers that can be read lose their padding. */
function viewOf(order: KnownOrder, context: Context, place: TriggerPlace): OrderView {
  const { asset, request, size, limitPrice, twapId } = order;
  const { type, cloid, oid = context.ids.next() } = request;
  const requested = size?.toString() ?? request.size;
  const note = noteOf(order, context);
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
    placedAtMs: context.nowMs,
    ...(twapId !== undefined && { twapId }),
    ...(type.kind === 'trigger' && { trigger: triggerOf(order, type, place) }),
    ...(note && { lab: [note] }),
    ...(twapId === undefined && context.key !== undefined && lossLimitOf(context)),
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
  readonly order: KnownOrder;
  readonly type: TriggerOrderType;
  readonly place: TriggerPlace;
}

/** @param view the order before anything has happened to it */
function placeTrigger(
  draft: Draft,
  view: OrderView,
  { order, type, place }: TriggerOrder,
  context: Context,
): OrderOutcome | Rejection {
  const checked = checkTrigger(draft.account, order, { type, place }, context);
  if (checked.type === 'rejected') return checked;
  const { waitsFor, grouping } = place;
  const { isPlacedFlat, isReached, size } = checked;
  const placed = isPlacedFlat && view.trigger ? { ...view, trigger: { ...view.trigger, placedFlat: true as const } } : view;
  draft.recordWaiting({ type: 'triggerPlaced', order: cutOrder(placed, size), waitsFor }, [view.oid]);
  if (isReached && !place.firesWithGroup) fireTriggers(draft, order.asset.coin, context);

  const { oid, cloid } = view;
  const named = { oid, ...(cloid !== undefined && { cloid }) };
  if (grouping === undefined) return { type: 'resting', ...named };
  return { type: waitsFor === 'fill' ? 'waitingForFill' : 'waitingForTrigger', ...named };
}
