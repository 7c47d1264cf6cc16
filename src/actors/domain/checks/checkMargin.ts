// Whether an order's plan may be carried out: the tier limit on leverage, then margin (trading-rules 4.4, 4.6). The
// same check serves an order on arrival and a resting order at its match. A plan that only reduces needs no margin.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { type HoldingOrder, NO_SIDES, type Sides, toRow, withoutRow, withRow } from '../account/openOrderBook.ts';
import { freeMargin, type MarginState, openingNotional } from '../margin/margin.ts';
import { type Holding, isSameSide } from '../margin/position.ts';
import { leverageOf, tierOf, valuationOf } from '../margin/positionMargin.ts';
import type { Side } from '../messages/command.ts';

/** What an order would do. */
export interface Plan {
  readonly asset: Asset;
  readonly side: Side;
  /** Cash and position of the coin after the planned fills, fees paid; as they are when there is none. */
  readonly after: Holding;
  /** True when a planned fill opens or increases the position, if only with a part. */
  readonly opens: boolean;
  /** What would rest, with its remaining size. */
  readonly rest?: HoldingOrder;
  /** Oids that are no longer on the book then: own orders canceled by the plan, the matched or modified order itself. */
  readonly gone: ReadonlySet<number>;
}

export type Verdict = 'accepted' | 'tierLimit' | 'insufficientMargin';

/** Checks a plan against the account before it. `before` is not changed. */
export function checkMargin(before: MarginState, plan: Plan, market: MarketView): Verdict {
  const others = sidesWithout(before, plan);
  const sides = plan.rest ? sidesWith(others, plan.rest) : others;
  if (!plan.opens && !restOpens({ others, sides }, plan)) return 'accepted';
  const after = stateAfter(before, plan, sides);
  if (exceedsTier(after, plan, market)) return 'tierLimit';
  return freeMargin(after, market).isNeg() ? 'insufficientMargin' : 'accepted';
}

/** Resting orders of the coin that the plan leaves. */
function sidesWithout({ orders }: MarginState, { asset, gone }: Plan): Sides {
  let sides = orders.sides.get(asset.id) ?? NO_SIDES;
  for (const oid of gone) sides = { buy: withoutRow(sides.buy, oid), sell: withoutRow(sides.sell, oid) };
  return sides;
}

/** Its place among orders of the same price does not matter to margin. */
function sidesWith(others: Sides, rest: HoldingOrder): Sides {
  const row = toRow(Number.MAX_SAFE_INTEGER, rest);
  return { ...others, [rest.side]: withRow(others[rest.side], rest.side, row) };
}

function stateAfter(before: MarginState, { asset, after }: Plan, sides: Sides): MarginState {
  const { cash, position } = after;
  const isSame = sides === (before.orders.sides.get(asset.id) ?? NO_SIDES);
  const orders = isSame ? before.orders : { sides: new Map(before.orders.sides).set(asset.id, sides) };
  if (position === before.positions.get(asset.id))
    return { cash, positions: before.positions, leverage: before.leverage, orders };

  const positions = new Map(before.positions);
  if (position) positions.set(asset.id, position);
  else positions.delete(asset.id);
  return { cash, positions, leverage: before.leverage, orders };
}

/** True when the resting part is more than what closes the position beside the orders already there. */
function restOpens(
  { others, sides }: { readonly others: Sides; readonly sides: Sides },
  { side, rest, after: { position } }: Plan,
): boolean {
  if (!rest || rest.reduceOnly) return false;
  if (!position || isSameSide(position, side)) return true;
  return openingNotional(sides, side, position).gt(openingNotional(others, side, position));
}

/** Position at mark plus same-side resting orders at their prices, in a tier that allows less than the leverage in use. */
function exceedsTier({ orders, leverage }: MarginState, { asset, side, after: { position } }: Plan, market: MarketView): boolean {
  if (asset.marginTiers.length < 2) return false;
  const held: Decimal = position && isSameSide(position, side) ? valuationOf(position, market).notional : ZERO;
  const notional = held.plus(openingNotional(orders.sides.get(asset.id) ?? NO_SIDES, side, position));
  return tierOf(asset.marginTiers, notional).maxLeverage < leverageOf({ leverage }, asset).leverage;
}
