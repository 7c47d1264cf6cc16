// Places a trigger order: checks it, then records it as waiting for the mark, or as a child for its parent to fill.
// It holds no margin and cannot fill until it fires, which one that the mark has reached does in the same entry
// (trading-rules 2.4, 2.5).
import type { Asset } from '../../../market/domain/asset.ts';
import { cutOrder } from '../account/ownOrders.ts';
import { checkTrigger, type TriggerPlace } from '../checks/checkTrigger.ts';
import type { ReadOrder } from '../checks/readOrder.ts';
import type { Context } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import type { OrderOutcome } from '../messages/answers/commandOutcome.ts';
import type { TriggerOrderType } from '../messages/command.ts';
import type { OrderView } from '../messages/historyRows.ts';
import type { Rejection } from '../messages/rejection.ts';
import { fireTriggers } from './fireTriggers.ts';

export interface TriggerOrder {
  readonly order: ReadOrder;
  readonly asset: Asset;
  readonly type: TriggerOrderType;
  readonly place: TriggerPlace;
}

/** @param view the order before anything has happened to it */
export function placeTrigger(
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
