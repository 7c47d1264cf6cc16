// Whether an order's plan may be carried out: the tier limit on leverage, then margin (trading-rules 4.4, 4.6). The
// same check serves an order on arrival and a resting order at its match. A plan that only reduces needs no margin.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Position } from '../account/account.ts';
import { NO_SIDES, rowOf, type Sides } from '../account/openOrderBook.ts';
import { type MarginState, openingNotional, RunningMargin } from '../margin/margin.ts';
import { type Holding, isSameSide } from '../margin/position.ts';
import { leverageOf, surplusOf, tierOf, valuationOf } from '../margin/positionMargin.ts';
import type { Side } from '../messages/order.ts';
import type { RejectReason } from '../messages/rejection.ts';

/** What an order would do. */
interface Plan {
  readonly asset: Asset;
  readonly side: Side;
  readonly limitPrice: Decimal;
  readonly reduceOnly: boolean;
  /** Cash and position of the coin after the planned fills, fees paid; as they are when there is none. */
  readonly after: Holding;
  /** True when a planned fill opens or increases the position, if only with a part. */
  readonly opens: boolean;
  /** Coins that would rest. */
  readonly rest: Decimal;
  /** Orders of the coin that are still on the book then, without the rest: not those canceled by the plan, nor the matched one itself. */
  readonly others: Sides;
}

export type MarginVerdict = 'accepted' | 'tierLimit' | 'insufficientMargin';

/**
 * Checks a plan against the account before it. `before` is not changed.
 * @param margin of the decision that the check is part of
 */
export function checkMargin(before: MarginState, plan: Plan, market: MarketView, margin = new RunningMargin()): MarginVerdict {
  const { asset, others, after } = plan;
  const sides = plan.rest.isZero() ? others : sidesWith(others, plan);
  if (!plan.opens && !restOpens({ others, sides }, plan)) return 'accepted';
  if (exceedsTier(before, { ...plan, sides }, market)) return 'tierLimit';
  if (isBelowMaintenance(after.position, market)) return 'insufficientMargin';
  return margin.freeAfter(before, { asset: asset.id, ...after, sides }, market).isNeg() ? 'insufficientMargin' : 'accepted';
}

/** Resting orders of a coin, none if there is no order of it. */
export function sidesOf({ orders }: Pick<MarginState, 'orders'>, asset: number): Sides {
  return orders.sides.get(asset) ?? NO_SIDES;
}

/** True when fills leave an isolated position that would be liquidated at once: its own margin is all that it has. */
function isBelowMaintenance(position: Position | undefined, market: MarketView): boolean {
  return position?.marginMode === 'isolated' && surplusOf(position, market).isNeg();
}

/** With what would rest. Its place among orders of the same price does not matter to margin. */
function sidesWith(others: Sides, { side, limitPrice: price, rest: size, reduceOnly }: Plan): Sides {
  return { ...others, [side]: others[side].with(rowOf(Number.MAX_SAFE_INTEGER, { price, size, reduceOnly })) };
}

/** True when the resting part is more than what closes the position beside the orders already there. */
function restOpens(
  { others, sides }: { readonly others: Sides; readonly sides: Sides },
  { side, rest, reduceOnly, after: { position } }: Plan,
): boolean {
  if (rest.isZero() || reduceOnly) return false;
  if (!position || isSameSide(position, side)) return true;
  return openingNotional(sides, side, position).gt(openingNotional(others, side, position));
}

/** Position at mark plus same-side resting orders at their prices, in a tier that allows less than the leverage in use. */
function exceedsTier(
  { leverage }: Pick<MarginState, 'leverage'>,
  { asset, side, sides, after: { position } }: Pick<Plan, 'asset' | 'side' | 'after'> & { readonly sides: Sides },
  market: MarketView,
): boolean {
  if (asset.marginTiers.length < 2) return false;
  const held: Decimal = position && isSameSide(position, side) ? valuationOf(position, market).notional : ZERO;
  const notional = held.plus(openingNotional(sides, side, position));
  return tierOf(asset.marginTiers, notional).maxLeverage < leverageOf({ leverage }, asset).leverage;
}

// What an order may not do while its coin's open interest is at the cap (trading-rules 1.9): fills of a taker that open or turn a
// position, and a rest beyond the oracle price that would open one. Orders that only reduce pass.

/**
 * The first reason against it; undefined where the coin is below its cap.
 * @param coins of the position that the order's side closes, and what the order would fill at once
 */
export function capRefusal(
  plan: Plan,
  { closable, filled }: { readonly closable: Decimal; readonly filled: Decimal },
  oraclePrice: Decimal,
): RejectReason | undefined {
  const { asset, opens, rest } = plan;
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
