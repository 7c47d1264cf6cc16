// May this trigger order wait? Only its form, prices, direction, value and the number of open orders are checked now;
// margin and the book are checked when it fires (trading-rules 1.7, 2.4).
import type { Asset } from '../../../market/domain/asset.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { isReached, openOrderCount } from '../account/ownOrders.ts';
import { closableSize } from '../margin/position.ts';
import type { Side, TriggerOrderType } from '../messages/order.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import {
  checkForm,
  exceededValue,
  hasTooManyDecimals,
  hasTooManyFigures,
  type KnownOrder,
  type OrderContext,
} from './checkForm.ts';
import { mayRest, ORDER_VALUE_MIN } from './checkOrder.ts';

/** Where a trigger order stands: its group, and what it waits for first. */
export interface TriggerPlace {
  readonly waitsFor: 'mark' | 'fill';
  readonly grouping?: 'normalTpsl' | 'positionTpsl';
  readonly parentOid?: number;
  /** It is placed with others of its group. Those that the mark has reached fire when all are placed. */
  readonly firesWithGroup?: true;
}

/** An order of its own. */
export const ALONE: TriggerPlace = { waitsFor: 'mark' };

interface AcceptedTrigger {
  readonly type: 'accepted';
  /** The mark has reached it: it has to fire in the same entry. */
  readonly isReached: boolean;
  /** Cut to the position when reduce-only; 0 = all of the position. */
  readonly size: Decimal;
  /** Reduce-only without a position: its size and direction are judged when it fires (trading-rules 2.4). */
  readonly isPlacedFlat: boolean;
}

/** Checks one trigger order. */
export function checkTrigger(
  account: Account,
  order: KnownOrder,
  { type, place }: { readonly type: TriggerOrderType; readonly place: TriggerPlace },
  context: OrderContext,
): AcceptedTrigger | Rejection {
  const { asset } = order;
  const id = { asset: asset.id };
  const { side, reduceOnly } = order.request;
  const form = checkForm(order, { ...context, mayBeZero: place.grouping === 'positionTpsl' });
  if (form.type === 'rejected') return form;
  const { originalSize, limitPrice, fresh } = form;

  const triggerPrice = legalTriggerPrice(order, { type, limitPrice });
  if (!triggerPrice) return rejection('badTriggerPrice', id);
  const isWaitingForMark = place.waitsFor === 'mark';
  const reached = isWaitingForMark && isReached({ side, tpsl: type.tpsl, triggerPrice }, fresh.prices.markPrice);
  if (reached && !mayFireAtOnce(type, place)) return rejection('badTriggerPrice', id);

  const exceeded = exceededValue(form, asset, { immediate: type.isMarket });
  if (exceeded) return rejection('valueTooLarge', exceeded);

  const closable = isWaitingForMark ? closableSize(account, asset.id, side) : sizeOfParent(account, place);
  const isPlacedFlat = reduceOnly && isWaitingForMark && place.grouping === undefined && !account.positions.has(asset.id);
  const isBound = reduceOnly && isWaitingForMark && !isPlacedFlat;
  if (isBound && closable.isZero()) return rejection('reduceOnlyWouldIncrease', id);
  const isCut = isBound && closable.lt(originalSize);

  const isLarger = reduceOnly && !isPlacedFlat && originalSize.gt(closable);
  const isWhole = originalSize.isZero() || originalSize.eq(closable) || isLarger;
  if (!isWhole && originalSize.times(limitPrice).lt(ORDER_VALUE_MIN)) return rejection('valueTooSmall', id);

  if (!mayRest(account, { openOrders: openOrderCount(account), isRefusedFirst: true })) {
    return rejection('tooManyOpenOrders', id);
  }
  return { type: 'accepted', isReached: reached, isPlacedFlat, size: isCut ? closable : originalSize };
}

/** A take-profit, and the stop of a parent that has filled as it came (trading-rules 2.4, 2.5). */
const mayFireAtOnce = ({ tpsl }: TriggerOrderType, { grouping, firesWithGroup }: TriggerPlace): boolean =>
  tpsl === 'tp' || (grouping === 'normalTpsl' && firesWithGroup === true);

/** The order's trigger price, if the order alone does not make it illegal. */
export function legalTriggerPrice(
  { asset, triggerPrice, request: { side } }: KnownOrder,
  { type, limitPrice }: { readonly type: TriggerOrderType; readonly limitPrice: Decimal },
): Decimal | undefined {
  if (!triggerPrice || !isLegalTrigger(triggerPrice, asset)) return undefined;
  const isStopMarket = type.isMarket && type.tpsl === 'sl';
  return isStopMarket && isShortOf(limitPrice, { side, triggerPrice }) ? undefined : triggerPrice;
}

function isLegalTrigger(price: Decimal, { sizeDecimals }: Asset): boolean {
  return !price.isZero() && !hasTooManyFigures(price) && !hasTooManyDecimals(price, sizeDecimals);
}

/** True when a stop of this limit is less aggressive than its trigger: it could not trade where it fires. */
function isShortOf(limitPrice: Decimal, { side, triggerPrice }: { side: Side; triggerPrice: Decimal }): boolean {
  return side === 'sell' ? limitPrice.gt(triggerPrice) : limitPrice.lt(triggerPrice);
}

/** What a child will find to close when its parent has filled, if there is no position before. */
function sizeOfParent({ orders }: Account, { parentOid }: TriggerPlace): Decimal {
  const parent = parentOid === undefined ? undefined : orders.get(parentOid);
  return new Decimal(parent?.originalSize ?? 0);
}
