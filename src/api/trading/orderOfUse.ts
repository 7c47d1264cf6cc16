// The order in which examples are of use: what a newcomer sends first comes first, on pages and in the contract. What
// is not named here follows in the order of the code.
import { EXAMPLE_ORDER } from '../exchange/order.ts';

/** Info types of a first hour. */
const FIRST_TYPES = [
  ...['allMids', 'meta', 'l2Book', 'userFills', 'explainFill', 'clearinghouseState', 'openOrders', 'explainOrder'],
  ...['orderStatus', 'historicalOrders', 'userFunding', 'portfolio', 'userRateLimit', 'candleSnapshot', 'recentTrades'],
  ...['metaAndAssetCtxs', 'frontendOpenOrders', 'userFillsByTime', 'fundingHistory', 'activeAssetData', 'userFees'],
];

/** Puts what a newcomer asks first before everything else. */
export const byUse = <T extends { readonly type: string }>(types: readonly T[]): T[] =>
  types.toSorted((a, b) => placeOf(a.type) - placeOf(b.type));

const placeOf = (type: string): number => {
  const place = FIRST_TYPES.indexOf(type);
  return place < 0 ? FIRST_TYPES.length : place;
};

const one = (order: object): object => ({ type: 'order', orders: [{ ...EXAMPLE_ORDER, ...order }], grouping: 'na' });

/** Actions of a first hour, each by a name of its own. */
export const firstActions = {
  buyAtTheMarket: one({ p: '0', t: { limit: { tif: 'Ioc' } } }),
  buyAtALimit: one({ c: '0x1234567890abcdef1234567890abcdef' }),
  cancelByOwnId: { type: 'cancelByCloid', cancels: [{ asset: 0, cloid: '0x1234567890abcdef1234567890abcdef' }] },
  closeAtTheMarket: one({ b: false, p: '0', r: true, t: { limit: { tif: 'Ioc' } } }),
};
