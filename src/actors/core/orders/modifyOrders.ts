// Modifies orders: cancel and place again in one step (trading-rules 2.6), with a new oid and a new place in the
// queue. What the new orders alone make illegal refuses the whole action first. Then what this exchange cannot or may not do
// refuses the element: stale data, a limit, a failure lab. In both cases the old order stays. Last, its margin is released
// before the new one is checked; when margin or the market refuse the new one, the old one is gone.
import { assert } from '../../../shared/domain/assert.ts';
import type { Account, WaitingOrder } from '../account/account.ts';
import { isHeld } from '../account/labState.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { childrenOf, findOrder, openOrderCount } from '../account/ownOrders.ts';
import { checkAction, refused } from '../checks/checkAction.ts';
import {
  checkNumbers,
  exceededValue,
  isImmediate,
  isKnown,
  type KnownOrder,
  type LegalNumbers,
  marketOf,
  type ReadOrder,
  readOrder,
} from '../checks/checkForm.ts';
import { openingRefusal, sentOrder } from '../checks/checkOpening.ts';
import { mayRest, ORDER_VALUE_MIN } from '../checks/checkOrder.ts';
import { ALONE, legalTriggerPrice, type TriggerPlace } from '../checks/checkTrigger.ts';
import { type Decision, Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import { closableSize } from '../margin/position.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { OrderOutcome } from '../messages/commandOutcome.ts';
import type { OrderRequest, OrderTarget } from '../messages/order.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import { endAlone } from './endOrders.ts';
import { releaseIfDone } from './executeOrder.ts';
import { fireArmed } from './fireTriggers.ts';
import { outcomeOf, placeOrder } from './placeOrders.ts';
import { isWithoutPlace } from './underScript.ts';

export function modifyOrders(
  account: Account,
  { modifies, alwaysPlace = false }: Extract<AccountCommand, { type: 'modifyOrders' }>,
  context: Context,
): Decision {
  const requests = modifies.length;
  const read = modifies.map(({ target, order }) => {
    return { target, order: readOrder(replacementOf(order, { alwaysPlace }), context.market), alwaysPlace };
  });
  const refusal = refusalOf(account, read, context);
  if (refusal !== undefined) return refused(refusal, requests);

  const draft = new Draft(account, context);
  const outcomes = read.map((modify) => modifyOrder(draft, modify, context));
  return draft.decision({ type: 'orders', orders: outcomes }, requests);
}

/** The first refusal of the whole action, or undefined. */
function refusalOf(account: Account, modifies: readonly Modify[], { market }: Context): string | undefined {
  const orders = modifies.map(({ order }) => order);
  const refusal = checkAction(orders, { grouping: 'na', market });
  if (refusal !== undefined) return refusal;
  for (const { target, order, alwaysPlace } of modifies) {
    const old = findOrder(account, target);
    const place = old ? placeOf(old, order) : ALONE;
    const ofOrder = modifyRefusal(account, order, { alwaysPlace, place });
    if (ofOrder !== undefined) return ofOrder;
  }
  return undefined;
}

interface Modify {
  readonly target: OrderTarget;
  readonly order: ReadOrder;
  readonly alwaysPlace: boolean;
}

function modifyOrder(draft: Draft, { target, order, alwaysPlace }: Modify, context: Context): OrderOutcome {
  const old = findOrder(draft.account, target);
  if (!old) {
    if (alwaysPlace) return outcomeOf(draft, placeOrder(draft, order, context));
    return { type: 'error', text: 'Cannot modify canceled or filled order' };
  }
  if (old.asset !== order.request.asset || old.side !== order.request.side) {
    return { type: 'error', text: `Cannot modify side or asset of an order. asset=${old.asset}` };
  }
  const unable = isKnown(order) ? inability(draft.account, old, order, context) : undefined;
  if (unable) return outcomeOf(draft, unable, 'Error placing new order during modify: ');
  endAlone(draft, old, 'canceled');
  const outcome = outcomeOf(draft, placeOrder(draft, order, context, placeOf(old, order)));
  if (outcome.type === 'error') {
    for (const child of childrenOf(draft.account, old.oid)) endAlone(draft, child, 'canceled');
    return { type: 'error', text: `Error placing new order during modify: ${outcome.text}` };
  }
  if (adoptChildren(draft, { oid: old.oid, newOid: outcome.oid })) {
    const since = draft.events.length;
    releaseIfDone(draft, outcome.oid);
    fireArmed(draft, old.coin, { context, since });
  }
  return outcome.type === 'waitingForFill' || outcome.type === 'waitingForTrigger' ? { ...outcome, type: 'resting' } : outcome;
}

/** A trigger order keeps its place in its group. */
function placeOf(old: OpenOrder | WaitingOrder, { request: { type, reduceOnly } }: ReadOrder): TriggerPlace {
  if (!('waitsFor' in old) || type.kind === 'limit' || !reduceOnly) return ALONE;
  const { grouping, parentOid } = old.trigger;
  const waitsFor = old.waitsFor === 'fill' ? 'fill' : 'mark';
  return { waitsFor, ...(grouping && { grouping }), ...(parentOid !== undefined && { parentOid }) };
}

/** Hands the waiting children of a modified parent over to the order that took its place; `false` when there were none. */
function adoptChildren(draft: Draft, { oid, newOid }: { readonly oid: number; readonly newOid: number }): boolean {
  if (childrenOf(draft.account, oid).length === 0) return false;
  assert(newOid !== oid, `order ${oid} cannot take its own place`);
  draft.record({ type: 'parentReplaced', oid, newOid });
  return true;
}

/** What keeps the new order out that is none of the venue's: the old order must not be lost for it (trading-rules 2.6). */
function inability(account: Account, old: OpenOrder | WaitingOrder, order: KnownOrder, context: Context): Rejection | undefined {
  const { asset } = order;
  const { script } = order.request;
  const market = marketOf(asset, context);
  return (
    openingRefusal(account, sentOrder(order, context.market), context) ??
    (script?.refuse && rejection(script.refuse, { asset: asset.id })) ??
    (market.type === 'rejected' ? market : undefined) ??
    placeRefusal(account, old, order)
  );
}

/** A place among the open and the held orders, judged as if the old order were gone. */
function placeRefusal(account: Account, old: OpenOrder | WaitingOrder, { asset, request }: KnownOrder): Rejection | undefined {
  const { reduceOnly, script, type } = request;
  const others = { openOrders: openOrderCount(account) - 1, isRefusedFirst: reduceOnly || type.kind === 'trigger' };
  const leaving = isHeld(account.lab, old.oid) ? 1 : 0;
  const isFull = !mayRest(account, others) || isWithoutPlace({ account }, script, leaving);
  return isFull ? rejection('tooManyOpenOrders', { asset: asset.id }) : undefined;
}

// The checks of a whole modify that come before anything happens (trading-rules 2.6): the kind of order that may take
// the place of another, then whatever the order alone decides. Its old order stays when one of them fails. What depends
// on margin or the market is judged when the old order is gone.

const MODIFY_REFUSALS = {
  notPostOnly: 'Modify without always_place must place an Alo order, or a Gtc order that does not execute.',
} as const;

/** The order that takes the old one's place: without `alwaysPlace` a Gtc comes as Alo. */
function replacementOf(request: OrderRequest, { alwaysPlace }: { readonly alwaysPlace: boolean }): OrderRequest {
  const { type } = request;
  if (alwaysPlace || type.kind === 'trigger' || type.timeInForce !== 'gtc') return request;
  return { ...request, type: { kind: 'limit', timeInForce: 'alo' } };
}

/**
 * The refusal that follows from a replacement alone, or undefined. An unknown asset is left to the checks of the target.
 * @param place that the replacement would have, when it is a trigger order
 */
function modifyRefusal(
  account: Account,
  order: ReadOrder,
  { alwaysPlace, place }: { readonly alwaysPlace: boolean; readonly place: TriggerPlace },
): string | undefined {
  const { type } = order.request;
  if (!alwaysPlace && (type.kind === 'trigger' || type.timeInForce !== 'alo')) return MODIFY_REFUSALS.notPostOnly;
  return isKnown(order) ? payloadRefusal(account, order, place)?.text : undefined;
}

function payloadRefusal(account: Account, order: KnownOrder, place: TriggerPlace): Rejection | undefined {
  const { asset } = order;
  const { type } = order.request;
  const isTrigger = type.kind === 'trigger';
  const numbers = checkNumbers(order, { mayBeZero: isTrigger && place.grouping === 'positionTpsl' });
  if (numbers.type === 'rejected') return numbers;
  const { limitPrice } = numbers;
  if (isTrigger && !legalTriggerPrice(order, { type, limitPrice })) return rejection('badTriggerPrice', { asset: asset.id });
  const immediate = isTrigger ? type.isMarket : isImmediate(type.timeInForce);
  const exceeded = exceededValue(numbers, asset, { immediate });
  if (exceeded) return rejection('valueTooLarge', exceeded);
  // An Ioc is worth what it would get, and a child what its group has: the book and the account decide.
  const isDecided = isTrigger ? place.grouping === undefined : !immediate;
  return isDecided && isTooSmall(account, order, numbers) ? rejection('valueTooSmall', { asset: asset.id }) : undefined;
}

/** Below the least value, and not all of what closes the position. */
function isTooSmall(account: Account, { asset, request }: KnownOrder, { originalSize, limitPrice }: LegalNumbers): boolean {
  if (originalSize.times(limitPrice).gte(ORDER_VALUE_MIN)) return false;
  const closable = closableSize(account, asset.id, request.side);
  return !(originalSize.eq(closable) || (request.reduceOnly && originalSize.gt(closable)));
}
