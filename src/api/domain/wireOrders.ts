// The venue's two forms of an order, and a status change of one (wire-format 3.3).

import { firesWhen } from '../../actors/core/account/ownOrders.ts';
import type { OrderRow } from '../../actors/core/messages/historyRows.ts';
import type { OrderView } from '../../actors/core/messages/order.ts';
import { wireNumber, wireSide } from './wireText.ts';

const TIF: Readonly<Record<OrderView['timeInForce'], string>> = {
  gtc: 'Gtc',
  ioc: 'Ioc',
  alo: 'Alo',
  frontendMarket: 'FrontendMarket',
  liquidationMarket: 'LiquidationMarket',
};

/** A trigger order keeps its name when it has fired. An Ioc that a client sent is a `Limit` all the same. */
export function orderType({ timeInForce, trigger, twapId }: OrderView): string {
  if (twapId !== undefined) return 'Twap Slice';
  if (trigger) return `${trigger.tpsl === 'sl' ? 'Stop' : 'Take Profit'} ${trigger.isMarket ? 'Market' : 'Limit'}`;
  return timeInForce === 'frontendMarket' || timeInForce === 'liquidationMarket' ? 'Market' : 'Limit';
}

/** `openOrders`: the specification has the kind of an order, which the venue leaves out. */
export const toOpenOrder = (order: OrderView) => ({ ...toPlainOrder(order), orderType: orderType(order) });

/** The venue's plain form: `cloid` and `reduceOnly` only where there is one. */
export const toPlainOrder = (order: OrderView) => ({
  coin: order.coin,
  side: wireSide(order.side),
  limitPx: wireNumber(order.limitPrice),
  sz: wireNumber(order.size),
  oid: order.oid,
  timestamp: order.placedAtMs,
  origSz: wireNumber(order.originalSize),
  ...(order.reduceOnly ? { reduceOnly: true } : {}),
  ...(order.cloid === undefined ? {} : { cloid: order.cloid }),
});

export interface FrontendOrder {
  readonly coin: string;
  readonly side: 'A' | 'B';
  readonly limitPx: string;
  readonly sz: string;
  readonly oid: number;
  readonly timestamp: number;
  readonly triggerCondition: string;
  readonly isTrigger: boolean;
  readonly triggerPx: string;
  readonly children: readonly FrontendOrder[];
  readonly isPositionTpsl: boolean;
  readonly reduceOnly: boolean;
  readonly orderType: string;
  readonly origSz: string;
  readonly tif: string | null;
  readonly cloid: string | null;
}

/**
 * All other places: every field always there.
 * @param children orders that wait for this one to fill
 */
export function toFrontendOrder(order: OrderView, children: readonly OrderView[] = []): FrontendOrder {
  const waiting = order.trigger && !order.trigger.hasFired ? order.trigger : undefined;
  return {
    coin: order.coin,
    side: wireSide(order.side),
    limitPx: wireNumber(order.limitPrice),
    sz: wireNumber(order.size),
    oid: order.oid,
    timestamp: order.placedAtMs,
    triggerCondition: waiting ? `Price ${firesWhen({ side: order.side, trigger: waiting })} ${waiting.price}` : 'N/A',
    isTrigger: waiting !== undefined,
    triggerPx: wireNumber(waiting?.price ?? '0'),
    children: children.map((child) => toFrontendOrder(child)),
    isPositionTpsl: order.trigger?.grouping === 'positionTpsl',
    reduceOnly: order.reduceOnly,
    orderType: orderType(order),
    origSz: wireNumber(order.originalSize),
    tif: waiting ? null : TIF[order.timeInForce],
    cloid: order.cloid ?? null,
  };
}

/** The account's open orders in this shape, each parent with the children that wait for it, oldest first. */
export function toFrontendOrders(orders: readonly OrderView[]): FrontendOrder[] {
  const children = new Map<number, OrderView[]>();
  for (const order of orders) {
    const parentOid = order.trigger?.hasFired ? undefined : order.trigger?.parentOid;
    if (parentOid === undefined) continue;
    const siblings = children.get(parentOid);
    if (siblings === undefined) children.set(parentOid, [order]);
    else siblings.push(order);
  }
  for (const siblings of children.values()) siblings.sort((a, b) => a.oid - b.oid);
  return orders.map((order) => toFrontendOrder(order, children.get(order.oid)));
}

export const toStatusChange = ({ order, status, timeMs, children }: OrderRow) => ({
  order: toFrontendOrder(order, children),
  status,
  statusTimestamp: timeMs,
});

/**
 * One order as `orderStatus` tells it: the venue's form and, beside it, the flat form of the specification, whose `oid`
 * is text and whose sizes are those of now.
 * @param toldSize coins, `sz` of the venue's form
 */
export const toOrderStatus = (row: OrderRow, toldSize: string) => ({
  status: 'order' as const,
  order: {
    ...toStatusChange({ ...row, order: { ...row.order, size: toldSize } }),
    coin: row.order.coin,
    oid: String(row.order.oid),
    side: wireSide(row.order.side),
    limitPx: wireNumber(row.order.limitPrice),
    sz: wireNumber(row.order.size),
    filledSz: wireNumber(row.order.filledSize),
    timestamp: row.order.placedAtMs,
  },
});
