// What an order may not do while its coin's open interest is at the cap (trading-rules 1.9): fills of a taker that open or turn a
// position, and a rest beyond the oracle price that would open one. Orders that only reduce pass.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Side } from '../messages/command.ts';
import type { RejectReason } from '../messages/rejection.ts';

/** What an order would do. */
export interface CappedPlan {
  readonly asset: Asset;
  readonly side: Side;
  readonly limitPrice: Decimal;
  /** Coins of the position that the order's side closes. */
  readonly closable: Decimal;
  /** Fills at once would enlarge or turn the position. */
  readonly opens: boolean;
  /** Coins that it would fill at once, and those that would rest. */
  readonly filled: Decimal;
  readonly rest: Decimal;
}

/** The first reason against it; undefined where the coin is below its cap. */
export function capRefusal(plan: CappedPlan, oraclePrice: Decimal): RejectReason | undefined {
  const { asset, closable, opens, filled, rest } = plan;
  if (!asset.isAtOpenInterestCap) return undefined;
  if (opens) return closable.isZero() ? 'openInterestIncrease' : 'openInterestFlip';
  const restOpens = rest.gt(closable.minus(filled));
  return !rest.isZero() && restOpens && isBeyond(plan, oraclePrice) ? 'openInterestAggressive' : undefined;
}

/** True for a resting order whose fill may not open a position now: it would do so at a price beyond the oracle's. */
export function isCappedOut(
  asset: Asset,
  order: { readonly side: Side; readonly limitPrice: Decimal },
  market: MarketView,
): boolean {
  const oraclePrice = market.prices(asset.id)?.oraclePrice;
  return asset.isAtOpenInterestCap && oraclePrice !== undefined && isBeyond(order, oraclePrice);
}

/** More aggressive than the oracle: a buy above it, a sell below it. */
function isBeyond({ side, limitPrice }: { readonly side: Side; readonly limitPrice: Decimal }, oraclePrice: Decimal): boolean {
  return side === 'buy' ? limitPrice.gt(oraclePrice) : limitPrice.lt(oraclePrice);
}
