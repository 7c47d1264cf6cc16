// What every order must be before the rules of its kind are asked: of a coin that trades, on market data of now, under a
// free cloid, with a size and a limit price on their grids. The first part of the checks of trading-rules 1.7.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { findOrder } from '../account/ownOrders.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';
import { type FreshMarket, freshMarket } from './freshMarket.ts';
import { hasTooManyDecimals, hasTooManyFigures, isWholeLots } from './priceGrid.ts';
import type { ReadOrder } from './readOrder.ts';

/** An order in good form. */
export interface OrderForm {
  readonly type: 'wellFormed';
  readonly originalSize: Decimal;
  readonly limitPrice: Decimal;
  readonly fresh: FreshMarket;
}

export interface OrderContext {
  readonly nowMs: number;
  readonly market: MarketView;
}

/** @param options.mayBeZero the size may be 0: all of the position */
export function judgeForm(
  account: Account,
  { request: { cloid }, size, limitPrice }: ReadOrder,
  asset: Asset,
  { nowMs, market, mayBeZero = false }: OrderContext & { readonly mayBeZero?: boolean },
): OrderForm | Rejection {
  const id = { asset: asset.id };
  if (asset.isDelisted) return rejection('halted', id);
  const fresh = freshMarket(market, { asset: asset.id, nowMs });
  if (fresh.type === 'stale') return rejection('staleMarket', { ...id, age: fresh.age });
  if (cloid !== undefined && findOrder(account, { cloid })) return rejection('cloidInUse', id);

  if (!size) return rejection('invalidSize', id);
  if (size.isZero() && !mayBeZero) return rejection('zeroSize', id);
  if (!isWholeLots(size, asset.sizeDecimals)) return rejection('invalidSize', id);

  if (!limitPrice || limitPrice.isZero()) return rejection('invalidPrice', id);
  if (hasTooManyFigures(limitPrice)) return rejection('priceOffTick', id);
  if (hasTooManyDecimals(limitPrice, asset.sizeDecimals)) return rejection('invalidPrice', id);
  return { type: 'wellFormed', originalSize: size, limitPrice, fresh };
}
