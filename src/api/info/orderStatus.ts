// `orderStatus`: one order by our id or the client's, open or long gone. ccxt and the specification send our id as text.
import { Type } from '@sinclair/typebox';
import type { OrderTarget } from '../../actors/domain/command.ts';
import { unreadable, WholeNumber } from '../requestReader.ts';
import { accountType } from './infoType.ts';
import { toOrderStatus } from './orderShapes.ts';

/** Our id as a number or text, or the client's. */
export const OidField = Type.Union([WholeNumber, Type.String({ pattern: '^(0x[0-9a-fA-F]{32}|\\d{1,16})$' })], {
  expected: 'an order id or a cloid',
});

export const orderStatus = accountType('orderStatus', { oid: OidField }, async ({ oid }, call, services) => {
  const row = await services.history.findOrder(call.caller.accountId, toTarget(oid));
  return row === undefined ? { status: 'unknownOid' } : toOrderStatus(row);
});

/** @throws {RequestError} 400 for an id that JavaScript cannot hold */
export function toTarget(oid: number | string): OrderTarget {
  if (typeof oid === 'string' && oid.startsWith('0x')) return { cloid: oid.toLowerCase() };
  const id = Number(oid);
  if (!Number.isSafeInteger(id)) throw unreadable('oid must be an order id or a cloid');
  return { oid: id };
}
