// GET …/account/orders and …/orders/open: each order once, at its last change, newest first. A page continues by row
// number and remembers the length of the log at the first page, so an order that changes meanwhile is neither missed
// nor shown twice.

import { Type } from '@sinclair/typebox';
import { statusOfOpen } from '../../actors/core/account/ownOrders.ts';
import { isOrderEnd } from '../../actors/core/history/historyDocuments.ts';
import type { NumberedRow, OrderRow } from '../../actors/core/messages/historyRows.ts';
import type { OrderView } from '../../actors/core/messages/order.ts';
import { Decimal, halfUp, toWire } from '../../shared/domain/decimal.ts';
import { readCursor, scan, writeCursor } from '../accounts/historyPages.ts';
import { askAccount, type Call, pastOf, type Services } from '../accounts/services.ts';
import {
  type AnswerFor,
  Cloid,
  CoinName,
  Cursor,
  exactly,
  IsoTime,
  OrderId,
  orNull,
  TradeSide,
  WireDecimal,
  words,
} from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { orderType } from '../domain/wireOrders.ts';
import { wireNumber } from '../domain/wireText.ts';
import type { ListQuery } from '../http/listQuery.ts';

export const ORDER_STATUSES = ['open', 'filled', 'canceled', 'rejected', 'triggered'] as const;
export type ListedStatus = (typeof ORDER_STATUSES)[number];
export const ListedStatus = named('ListedStatus', words(...ORDER_STATUSES));

/** Changes since the first page that are looked through for orders that were open then. */
const CHANGES_MAX = 4096;
const PRICE_DECIMALS = 8;

type OrdersRow = Extract<NumberedRow, { kind: 'orders' }>;

const OrderItem = named(
  'AccountOrder',
  exactly({
    oid: OrderId,
    cloid: orNull(Cloid),
    coin: CoinName,
    side: TradeSide,
    order_type: Type.String({ examples: ['Limit'] }),
    limit_price: WireDecimal,
    trigger_price: orNull(WireDecimal),
    size: described(WireDecimal, 'Coins that it could ever fill: as requested, less what was cut of a reduce-only order.'),
    filled_size: WireDecimal,
    average_price: orNull(WireDecimal),
    status: ListedStatus,
    reason: described(orNull(Type.String()), 'The exact status where `status` says less, e.g. `marginCanceled`.'),
    reduce_only: Type.Boolean(),
    created_at: IsoTime,
    updated_at: IsoTime,
  }),
);
type OrderItem = AnswerFor<typeof OrderItem>;

export const OrderPage = named('OrderPage', exactly({ items: Type.Array(OrderItem), next_cursor: Cursor }));

/** @param status absent = all; `triggered` = orders whose trigger has fired, as they were at that moment */
export async function readOrders(services: Services, call: Call, query: ListQuery & { status: ListedStatus | undefined }) {
  const { limit, cursor, coin, startMs, endMs, status } = query;
  if (status === 'open') return readOpenOrders(services, call, query);
  const { accountId } = call.caller;
  const list = ['orders', accountId, status ?? null, coin ?? null, startMs, endMs ?? null];
  const [before, totalThen] = cursor === undefined ? [] : readCursor(list, cursor);
  const open = new Map((await openOrdersOf(services, call)).map((order) => [order.oid, order]));
  const endedSince = totalThen === undefined ? new Map<number, OrderRow>() : await endsSince(services, call, totalThen);

  // For an order that changes or arrives during the request, the newest row counts.
  const isNewestPage = totalThen === undefined && endMs === undefined;
  const seen = new Set<number>();
  const toItem = ({ row }: OrdersRow): OrderItem | undefined => {
    if (coin !== undefined && row.order.coin !== coin) return undefined;
    if (status === 'triggered') return row.status === 'triggered' && !row.isCut ? toOrderItem(row) : undefined;
    if (seen.has(row.order.oid)) return undefined;
    seen.add(row.order.oid);
    const last = lastOf(row, open, endedSince) ?? (isNewestPage ? row : undefined);
    const item = last && toOrderItem(last);
    return item && (status === undefined || item.status === status) ? item : undefined;
  };
  const items: OrderItem[] = [];
  const scanned = await scan(services.history, { past: pastOf(call), kind: 'orders', before, startMs, endMs, limit }, (row) => {
    const item = row.kind === 'orders' && (totalThen === undefined || row.number < totalThen) ? toItem(row) : undefined;
    if (item) items.push(item);
    return item !== undefined;
  });
  const { next, total } = scanned;
  return { items, next_cursor: next === null ? null : writeCursor(list, [next, totalThen ?? total]) };
}

/** Open orders, newest first; they are few, and all in memory. */
export async function readOpenOrders(services: Services, call: Call, query: ListQuery) {
  const { limit, cursor, coin, startMs, endMs = Number.POSITIVE_INFINITY } = query;
  const list = ['openOrders', call.caller.accountId, coin ?? null, startMs, query.endMs ?? null];
  const [belowOid = Number.POSITIVE_INFINITY] = cursor === undefined ? [] : readCursor(list, cursor);
  const wanted = (await openOrdersOf(services, call))
    .filter((order) => order.oid < belowOid && (coin === undefined || order.coin === coin))
    .filter(({ placedAtMs }) => placedAtMs >= startMs && placedAtMs <= endMs)
    .sort((a, b) => b.oid - a.oid);
  const shown = wanted.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map((order) => toOrderItem({ order, status: statusOfOpen(order), timeMs: order.placedAtMs })),
    next_cursor: last === undefined || wanted.length === shown.length ? null : writeCursor(list, [last.oid]),
  };
}

const openOrdersOf = async (services: Services, call: Call): Promise<readonly OrderView[]> =>
  (await askAccount(call, services, { kind: 'openOrders' })).orders;

/** The order as it is to be shown at this row; undefined where another row is its last. */
function lastOf(
  row: OrderRow,
  open: ReadonlyMap<number, OrderView>,
  endedSince: ReadonlyMap<number, OrderRow>,
): OrderRow | undefined {
  if (isOrderEnd(row)) return row;
  const { oid } = row.order;
  const now = open.get(oid);
  const live = now ?? endedSince.get(oid)?.order;
  // An order has another row when it has fired, when it rests since, and with each cut of its size.
  const isSame = row.order.trigger?.hasFired === live?.trigger?.hasFired && row.order.originalSize === live?.originalSize;
  const isLastChange = live !== undefined && row.status === statusOfOpen(live) && isSame;
  if (!isLastChange) return undefined;
  return now ? { order: now, status: row.status, timeMs: row.timeMs } : endedSince.get(oid);
}

/** Orders that have ended since the log had this length. */
async function endsSince({ history }: Services, call: Call, total: number): Promise<Map<number, OrderRow>> {
  const page = await history.page(pastOf(call), 'orders', { startMs: 0, limit: CHANGES_MAX });
  const ends = page.rows.flatMap((row) => (row.kind === 'orders' && row.number >= total && isOrderEnd(row.row) ? [row.row] : []));
  return new Map(ends.map((row) => [row.order.oid, row]));
}

export const toOrderItem = ({ order, status, timeMs }: OrderRow): OrderItem => ({
  oid: order.oid,
  cloid: order.cloid ?? null,
  coin: order.coin,
  side: order.side,
  order_type: orderType(order),
  limit_price: wireNumber(order.limitPrice),
  trigger_price: order.trigger ? wireNumber(order.trigger.price) : null,
  size: wireNumber(order.originalSize),
  filled_size: wireNumber(order.filledSize),
  average_price: averagePrice(order),
  status: listedStatus(status),
  /** The exact status where the group says less. */
  reason: listedStatus(status) === status ? null : status,
  reduce_only: order.reduceOnly,
  created_at: new Date(order.placedAtMs).toISOString(),
  updated_at: new Date(timeMs).toISOString(),
});

function listedStatus(status: OrderRow['status']): ListedStatus {
  if (status === 'open' || status === 'filled' || status === 'triggered') return status;
  return status === 'rejected' || status.endsWith('Rejected') ? 'rejected' : 'canceled';
}

/** `null` before the first fill. */
function averagePrice({ filledSize, filledUsd }: OrderView): string | null {
  if (filledUsd === undefined || filledSize === '0') return null;
  return toWire(halfUp(new Decimal(filledUsd).div(filledSize), PRICE_DECIMALS));
}
