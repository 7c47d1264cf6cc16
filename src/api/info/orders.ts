// The account's orders. `openOrders` and `frontendOpenOrders` list the open ones, newest first, in the venue's two shapes. `orderStatus` has
// one order by our id or the client's, open or ended long ago. `historicalOrders` is the log of status changes, newest first.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import type { OrderRow } from '../../actors/core/messages/historyRows.ts';
import type { OrderTarget, OrderView } from '../../actors/core/messages/order.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { rememberFor } from '../../shared/domain/memo.ts';
import { askAccount, type Call, pastOf, type Services } from '../accounts/services.ts';
import { described } from '../contract/named.ts';
import { FrontendOrder, OpenOrder, OrderStatusAnswer, StatusChange } from '../contract/venueForms.ts';
import { HEAVY_QUESTION, LIGHT_QUESTION, QUESTION_OF_ROWS } from '../domain/requestPrice.ts';
import { toFrontendOrders, toOpenOrder, toOrderStatus, toStatusChange } from '../domain/wireOrders.ts';
import { JsonText } from '../domain/wireText.ts';
import { WholeNumber } from '../http/requestReader.ts';
import { latestRows, rowsBetween } from './accountRows.ts';
import { accountType, DexField, isMainDex } from './infoType.ts';

/** With more orders than this an answer takes milliseconds to read, to shape and to write each: others have their turn in between. */
const MANY = 1000;

/** @returns the account's open orders, newest first, in the shape that is made of them */
export async function readOpenOrders<Shape>(
  call: Call,
  services: Services,
  shape: (orders: readonly OrderView[]) => Shape,
): Promise<Shape> {
  const orders = await readOrders(call, services);
  if (orders.length <= MANY) return shape(orders.toReversed());
  return await shapedInTurns(orders, shape);
}

const readOrders = async (call: Call, services: Services): Promise<readonly OrderView[]> =>
  (await askAccount(call, services, { kind: 'openOrders' })).orders;

async function shapedInTurns<Shape>(
  orders: readonly OrderView[],
  shape: (orders: readonly OrderView[]) => Shape,
): Promise<Shape> {
  await nextTurn();
  const shaped = shape(orders.toReversed());
  await nextTurn();
  return shaped;
}

const fields = { dex: DexField };

const PLAIN = { about: 'Open orders, newest first.', price: HEAVY_QUESTION, fields, answers: Type.Array(OpenOrder) };

export const openOrders = accountType('openOrders', PLAIN, async (request, call, services) => {
  if (!isMainDex(request)) return [];
  const orders = await readOrders(call, services);
  return orders.length <= MANY ? plainText(orders) : shapedInTurns(orders, toOpenOrders);
});

const FRONTEND = {
  about: 'Open orders with all that a page shows, newest first.',
  price: HEAVY_QUESTION,
  fields,
  answers: Type.Array(FrontendOrder),
};

export const frontendOpenOrders = accountType('frontendOpenOrders', FRONTEND, async (request, call, services) => {
  if (!isMainDex(request)) return [];
  const orders = await readOrders(call, services);
  return orders.length <= MANY ? frontendText(orders) : shapedInTurns(orders, toFrontendOrders);
});

const toOpenOrders = (orders: readonly OrderView[]) => orders.map(toOpenOrder);

/** A view gives the same list again while the account has no new entry. */
const plainText = rememberFor((orders: readonly OrderView[]) => JsonText.of(toOpenOrders(orders.toReversed())));
const frontendText = rememberFor((orders: readonly OrderView[]) => JsonText.of(toFrontendOrders(orders.toReversed())));

// ccxt and the specification send our id as text.

export const OidField = described(
  Type.Union([WholeNumber, Type.String({ pattern: '^(0x[0-9a-fA-F]{32}|\\d{1,15})$' })], {
    expected: 'an order id or a cloid',
  }),
  'Our id as a number or text, or the client’s.',
);

/** Rows of one moment that are looked through: an action of 1,000 orders with what it ends. */
const ROWS_OF_AN_ACTION = 4000;

const STATUS = {
  about: 'One order by our id or the client’s, open or long gone.',
  price: LIGHT_QUESTION,
  fields: { oid: OidField },
  answers: OrderStatusAnswer,
  example: { oid: 16_000_003 },
};

export const orderStatus = accountType('orderStatus', STATUS, async ({ oid }, call, services) => {
  const row = await services.history.findOrder(pastOf(call), toTarget(oid));
  if (row === undefined) return { status: 'unknownOid' as const };
  const isLive = services.config.ORDER_STATUS_SZ === 'live';
  return toOrderStatus(row, isLive ? row.order.size : await sizeWhenTold(row, call, services));
});

/**
 * What was left of the order when its status was told last: as at the venue, fills of an open order change its size when they end it.
 * What takes size without a fill changes the size that was asked for, too.
 * @returns coins
 */
async function sizeWhenTold({ order, status }: OrderRow, call: Call, services: Services): Promise<string> {
  const { oid, placedAtMs, originalSize, filledSize, size } = order;
  if ((status !== 'open' && status !== 'triggered') || filledSize === '0') return size;
  const whenPlaced = { startMs: placedAtMs, endMs: placedAtMs, limit: ROWS_OF_AN_ACTION };
  const rows = await rowsBetween(call, services, { kind: 'orders', ...whenPlaced });
  const opened = rows.find((row) => row.order.oid === oid);
  return new Decimal(originalSize).minus(opened?.order.filledSize ?? 0).toString();
}

export function toTarget(oid: number | string): OrderTarget {
  if (typeof oid === 'string' && oid.startsWith('0x')) return { cloid: oid.toLowerCase() };
  return { oid: Number(oid) };
}

/** Of an answer and of the channel's first message. */
export const CHANGES_MAX = 2000;

const CHANGES = {
  about: 'Status changes of all orders, newest first, at most 2,000; one oid can be in it more than once.',
  price: QUESTION_OF_ROWS,
  fields: {},
  answers: Type.Array(StatusChange),
};

/** Rows that are kept beside a view are written once. */
const changesText = rememberFor((rows: readonly OrderRow[]) => JsonText.of(rows.map(toStatusChange)));

export const historicalOrders = accountType('historicalOrders', CHANGES, async (_request, call, services) =>
  changesText(await latestRows(call, services, { kind: 'orders', limit: CHANGES_MAX })),
);
