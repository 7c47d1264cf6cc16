// `orderStatus`: one order by our id or the client's, whether it is open or ended long ago. ccxt and the
// specification send our id as text.

import { Type } from '@sinclair/typebox';
import type { OrderTarget } from '../../../actors/core/messages/command.ts';
import type { OrderRow } from '../../../actors/core/messages/historyRows.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { type Call, pastOf, type Services } from '../../accounts/services.ts';
import { described } from '../../contract/named.ts';
import { OrderStatusAnswer } from '../../contract/venueForms.ts';
import { LIGHT_QUESTION } from '../../domain/requestPrice.ts';
import { WholeNumber } from '../../http/requestReader.ts';
import { rowsBetween } from '../history/accountRows.ts';
import { accountType } from '../infoType.ts';
import { toOrderStatus } from '../wireOrders.ts';

export const OidField = described(
  Type.Union([WholeNumber, Type.String({ pattern: '^(0x[0-9a-fA-F]{32}|\\d{1,15})$' })], {
    expected: 'an order id or a cloid',
  }),
  'Our id as a number or text, or the client’s.',
);

/** Rows of one moment that are looked through: an action of 1,000 orders with what it ends. */
const ROWS_OF_AN_ACTION = 4000;

const CONTRACT = {
  about: 'One order by our id or the client’s, open or long gone.',
  price: LIGHT_QUESTION,
  fields: { oid: OidField },
  answers: OrderStatusAnswer,
  example: { oid: 16_000_003 },
};

export const orderStatus = accountType('orderStatus', CONTRACT, async ({ oid }, call, services) => {
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
