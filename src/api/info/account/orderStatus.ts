// `orderStatus`: one order by our id or the client's, whether it is open or ended long ago. ccxt and the
// specification send our id as text.
import { Type } from '@sinclair/typebox';
import type { OrderTarget } from '../../../actors/domain/messages/command.ts';
import { pastOf } from '../../accounts/services.ts';
import { described } from '../../contract/described.ts';
import { unreadable, WholeNumber } from '../../http/requestReader.ts';
import { OrderStatusAnswer } from '../answerSchemas.ts';
import { accountType } from '../infoType.ts';
import { toOrderStatus } from '../wireOrders.ts';

export const OidField = described(
  Type.Union([WholeNumber, Type.String({ pattern: '^(0x[0-9a-fA-F]{32}|\\d{1,16})$' })], {
    expected: 'an order id or a cloid',
  }),
  'Our id as a number or text, or the client’s.',
);

const CONTRACT = {
  about: 'One order by our id or the client’s, open or long gone.',
  fields: { oid: OidField },
  answers: OrderStatusAnswer,
  example: { oid: 16_000_003 },
};

export const orderStatus = accountType('orderStatus', CONTRACT, async ({ oid }, call, services) => {
  const row = await services.history.findOrder(pastOf(call), toTarget(oid));
  return row === undefined ? { status: 'unknownOid' as const } : toOrderStatus(row);
});

/** @throws {RequestError} 400 for an id that JavaScript cannot hold */
export function toTarget(oid: number | string): OrderTarget {
  if (typeof oid === 'string' && oid.startsWith('0x')) return { cloid: oid.toLowerCase() };
  const id = Number(oid);
  if (!Number.isSafeInteger(id)) throw unreadable('oid must be an order id or a cloid');
  return { oid: id };
}
