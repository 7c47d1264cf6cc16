// `openOrders` and `frontendOpenOrders`: the account's open orders, newest first, in the venue's two shapes.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import type { OrderView } from '../../../actors/domain/messages/historyRows.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import type { Call, Services } from '../../accounts/services.ts';
import { FrontendOrder, PlainOrder } from '../answerSchemas.ts';
import { accountType, DexField, requireMainDex } from '../infoType.ts';
import { toFrontendOrders, toPlainOrder } from '../wireOrders.ts';

/** With more orders than this an answer takes milliseconds to read, to shape and to write each: others have their turn in between. */
const MANY = 1000;

/** @returns the account's open orders, newest first, in the shape that is made of them */
export async function readOpenOrders<Shape>(
  call: Call,
  services: Services,
  shape: (orders: readonly OrderView[]) => Shape,
): Promise<Shape> {
  const { orders } = await askAccount(call, services, { kind: 'openOrders' });
  if (orders.length <= MANY) return shape(orders.toReversed());
  await nextTurn();
  const shaped = shape(orders.toReversed());
  await nextTurn();
  return shaped;
}

const fields = { dex: DexField };

const PLAIN = { about: 'Open orders, newest first.', fields, answers: Type.Array(PlainOrder) };

export const openOrders = accountType('openOrders', PLAIN, (request, call, services) => {
  requireMainDex(request);
  return readOpenOrders(call, services, (orders) => orders.map(toPlainOrder));
});

const FRONTEND = { about: 'Open orders with all that a page shows, newest first.', fields, answers: Type.Array(FrontendOrder) };

export const frontendOpenOrders = accountType('frontendOpenOrders', FRONTEND, (request, call, services) => {
  requireMainDex(request);
  return readOpenOrders(call, services, toFrontendOrders);
});
