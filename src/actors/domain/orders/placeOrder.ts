// One order, placed: judged, then recorded on the draft as fills, rest, wait or end. A refused order leaves nothing but the
// record of its refusal.
import type { Asset } from '../../../market/domain/asset.ts';
import { judgeOrder } from '../checks/checkOrder.ts';
import { ALONE, type TriggerPlace } from '../checks/checkTrigger.ts';
import type { ReadOrder } from '../checks/readOrder.ts';
import type { Draft } from '../fold/draft.ts';
import type { Context } from '../messages/decision.ts';
import type { OrderView, TriggerView } from '../messages/historyRows.ts';
import type { OrderOutcome } from '../messages/outcome.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import { executeOrder } from './executeOrder.ts';
import { placeTrigger } from './placeTrigger.ts';

/**
 * Places one order and says what became of it. An unknown asset leaves no record: there is no coin to file it under.
 * @param place of a trigger order in its group
 */
export function placeOrder(draft: Draft, order: ReadOrder, context: Context, place: TriggerPlace = ALONE): OrderOutcome {
  const { asset, request } = order;
  if (!asset) return { type: 'error', text: rejection('unknownAsset', { asset: request.asset }).text };

  const placed = placeKnown(draft, order, asset, context, place);
  return placed.type === 'rejected' ? { type: 'error', text: placed.text } : placed;
}

/** Places an order of an asset that exists. A refusal is given with its reason. */
export function placeKnown(
  draft: Draft,
  order: ReadOrder,
  asset: Asset,
  context: Context,
  place: TriggerPlace = ALONE,
): OrderOutcome | Rejection {
  const { type } = order.request;
  const view = viewOf(order, asset, { oid: context.ids.next(), nowMs: context.nowMs, place });
  if (type.kind === 'trigger') return placeTrigger(draft, view, { order, asset, type, place }, context);

  const judged = judgeOrder(draft.account, order, { asset, timeInForce: type.timeInForce }, context);
  if (judged.type === 'accepted') return executeOrder(draft, view, judged, { asset, context });
  draft.record({ type: 'orderEnded', order: view, status: judged.status });
  return judged;
}

/** The order as it is recorded before anything has happened to it; numbers that can be read lose their padding. */
function viewOf(
  order: ReadOrder,
  asset: Asset,
  { oid, nowMs, place }: { readonly oid: number; readonly nowMs: number; readonly place: TriggerPlace },
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
