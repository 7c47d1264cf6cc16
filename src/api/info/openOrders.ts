// `openOrders` and `frontendOpenOrders`: the account's open orders, newest first, in the venue's two shapes.
import type { OrderView } from '../../actors/domain/history.ts';
import { askAccount } from '../accountQuery.ts';
import type { Call, Services } from '../call.ts';
import { accountType, DexField, requireMainDex } from './infoType.ts';
import { toFrontendOrders, toPlainOrder } from './orderShapes.ts';

export async function readOpenOrders(call: Call, services: Services): Promise<OrderView[]> {
  const { orders } = await askAccount(call, services, { kind: 'openOrders' });
  return orders.toReversed();
}

export const openOrders = accountType('openOrders', { dex: DexField }, async (request, call, services) => {
  requireMainDex(request);
  return (await readOpenOrders(call, services)).map(toPlainOrder);
});

export const frontendOpenOrders = accountType('frontendOpenOrders', { dex: DexField }, async (request, call, services) => {
  requireMainDex(request);
  return toFrontendOrders(await readOpenOrders(call, services));
});
