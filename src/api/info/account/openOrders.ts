// `openOrders` and `frontendOpenOrders`: the account's open orders, newest first, in the venue's two shapes.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import type { OrderView } from '../../../actors/core/messages/historyRows.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import type { Call, Services } from '../../accounts/services.ts';
import { FrontendOrder, OpenOrder } from '../../contract/venueForms.ts';
import { HEAVY_QUESTION } from '../../domain/requestPrice.ts';
import { JsonText } from '../../domain/wireText.ts';
import { accountType, DexField, isMainDex } from '../infoType.ts';
import { toFrontendOrders, toOpenOrder } from '../wireOrders.ts';

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
