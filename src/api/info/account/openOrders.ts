// `openOrders` and `frontendOpenOrders`: the account's open orders, newest first, in the venue's two shapes.

import { Type } from '@sinclair/typebox';
import type { OrderView } from '../../../actors/domain/messages/historyRows.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import type { Call, Services } from '../../accounts/services.ts';
import { FrontendOrder, PlainOrder } from '../answerSchemas.ts';
import { accountType, DexField, requireMainDex } from '../infoType.ts';
import { toFrontendOrders, toPlainOrder } from '../wireOrders.ts';

export async function readOpenOrders(call: Call, services: Services): Promise<OrderView[]> {
  const { orders } = await askAccount(call, services, { kind: 'openOrders' });
  return orders.toReversed();
}

const fields = { dex: DexField };

const PLAIN = { about: 'Open orders, newest first.', fields, answers: Type.Array(PlainOrder) };

export const openOrders = accountType('openOrders', PLAIN, async (request, call, services) => {
  requireMainDex(request);
  return (await readOpenOrders(call, services)).map(toPlainOrder);
});

const FRONTEND = { about: 'Open orders with all that a page shows, newest first.', fields, answers: Type.Array(FrontendOrder) };

export const frontendOpenOrders = accountType('frontendOpenOrders', FRONTEND, async (request, call, services) => {
  requireMainDex(request);
  return toFrontendOrders(await readOpenOrders(call, services));
});
