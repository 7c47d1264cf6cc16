// The venue's two shapes of an order, and a status change of one (wire-format 3.3).
import type { OrderRow, OrderView } from '../../actors/domain/history.ts';
import { wireNumber, wireSide } from '../wireText.ts';

const TIF: Readonly<Record<OrderView['timeInForce'], string>> = {
  gtc: 'Gtc',
  ioc: 'Ioc',
  alo: 'Alo',
  frontendMarket: 'FrontendMarket',
  liquidationMarket: 'LiquidationMarket',
};

/** An Ioc that a client sent is a `Limit` all the same; only these two are shown as "Market". */
const orderType = ({ timeInForce, twapId }: OrderView): string => {
  if (twapId !== undefined) return 'Twap Slice';
  return timeInForce === 'frontendMarket' || timeInForce === 'liquidationMarket' ? 'Market' : 'Limit';
};

/** `openOrders`: `cloid` and `reduceOnly` only where there is one; `orderType` is the specification's. */
export const toPlainOrder = (order: OrderView) => ({
  coin: order.coin,
  side: wireSide(order.side),
  limitPx: wireNumber(order.limitPrice),
  sz: wireNumber(order.size),
  oid: order.oid,
  timestamp: order.placedAtMs,
  origSz: wireNumber(order.originalSize),
  orderType: orderType(order),
  ...(order.reduceOnly ? { reduceOnly: true } : {}),
  ...(order.cloid === undefined ? {} : { cloid: order.cloid }),
});

/** All other places: every field always there. */
export const toFrontendOrder = (order: OrderView) => ({
  coin: order.coin,
  side: wireSide(order.side),
  limitPx: wireNumber(order.limitPrice),
  sz: wireNumber(order.size),
  oid: order.oid,
  timestamp: order.placedAtMs,
  triggerCondition: 'N/A',
  isTrigger: false,
  triggerPx: '0.0',
  children: [],
  isPositionTpsl: false,
  reduceOnly: order.reduceOnly,
  orderType: orderType(order),
  origSz: wireNumber(order.originalSize),
  tif: TIF[order.timeInForce],
  cloid: order.cloid ?? null,
});

export const toStatusChange = ({ order, status, timeMs }: OrderRow) => ({
  order: toFrontendOrder(order),
  status,
  statusTimestamp: timeMs,
});

/**
 * One order as `orderStatus` tells it: the venue's form and, beside it, the flat form of the specification, whose `oid`
 * is text.
 */
export const toOrderStatus = (row: OrderRow) => ({
  status: 'order',
  order: {
    ...toStatusChange(row),
    coin: row.order.coin,
    oid: String(row.order.oid),
    side: wireSide(row.order.side),
    limitPx: wireNumber(row.order.limitPrice),
    sz: wireNumber(row.order.size),
    filledSz: wireNumber(row.order.filledSize),
    timestamp: row.order.placedAtMs,
  },
});
