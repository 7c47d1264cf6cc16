// Closes what a broken house rule wants closed: orders and TWAPs end, and each position goes to the book with a reduce-only market order,
// like one that the user sends. What the book does not take is tried again at the next mark of one of the coins, until nothing is left.
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import { actOf, type HouseState } from '../account/house/houseState.ts';
import { openOrderCount } from '../account/ownOrders.ts';
import { freshMarket } from '../checks/checkForm.ts';
import { checkExecution } from '../checks/checkOrder.ts';
import { marketLimit } from '../checks/readOrder.ts';
import { type Context, clockOf } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { endOrders, endTwaps } from '../orders/endOrders.ts';
import { executeOrder } from '../orders/executeOrder.ts';

interface InCoin {
  readonly coin: string;
}

/** Which coins are to be closed; undefined = none. */
export function closingScope(house: HouseState): ((open: InCoin) => boolean) | undefined {
  const closing = house.breaches.filter(({ rule }) => actOf(house, rule) === 'close');
  if (closing.length === 0) return undefined;
  if (closing.some(({ rule }) => rule !== 'coins')) return () => true;
  return ({ coin }) => house.rules.coins?.only.includes(coin) === false;
}

/** The positions that are still to be closed. */
export function positionsToClose({ house, positions }: Account): Position[] {
  const isConcerned = house && closingScope(house);
  return isConcerned ? [...positions.values()].filter(isConcerned) : [];
}

export function closeByRules(draft: Draft, context: Context): void {
  const { house } = draft.account;
  const isConcerned = house && closingScope(house);
  if (isConcerned === undefined) return;
  if (openOrderCount(draft.account) > 0) endOrders(draft, isConcerned, 'canceled');
  endTwaps(draft, isConcerned, { status: 'terminated' });
  const positions = positionsToClose(draft.account).sort((a, b) => a.asset - b.asset);
  for (const position of positions) close(draft, position, context);
}

/** As far as the book takes it now. A delisted coin is settled elsewhere. */
function close(draft: Draft, { asset: assetId, signedSize }: Position, context: Context): void {
  const { market, ids, nowMs } = context;
  const asset = market.asset(assetId);
  assert(asset, `position in unknown asset ${assetId}`);
  const fresh = freshMarket(market, { asset: assetId, nowMs: clockOf(context) });
  if (asset.isDelisted || fresh.type === 'stale') return;
  const side = signedSize.isPos() ? 'sell' : 'buy';
  const { markPrice, midPrice = markPrice } = fresh.prices;
  // In a book that is nearly empty the mid is far from what can be had.
  const reference = side === 'sell' ? Decimal.min(markPrice, midPrice) : Decimal.max(markPrice, midPrice);
  const limitPrice = marketLimit({ markPrice, midPrice: reference }, { side, sizeDecimals: asset.sizeDecimals });
  const form = { side, reduceOnly: true, timeInForce: 'ioc' } as const;
  const wanted = { ...form, asset, limitPrice, originalSize: signedSize.abs(), fresh, isOfAnyValue: true };
  const checked = checkExecution(draft, wanted, market);
  if (checked.type === 'rejected') return;
  const size = signedSize.abs().toString();
  const numbers = { limitPrice: limitPrice.toString(), size, originalSize: size, filledSize: '0', filledUsd: '0' };
  const view = { oid: ids.next(), asset: assetId, coin: asset.coin, ...form, ...numbers, placedAtMs: nowMs };
  executeOrder(draft, view, checked, { asset, context });
}
