// Whether an order's plan may happen: the tier limit on leverage, then margin (trading-rules 4.4, 4.6). The same check
// serves an order on arrival and a resting order at its match; only reducing needs no margin at all.
import type { Asset } from '../../market/domain/asset.ts';
import type { MarketView } from '../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../shared/domain/decimal.ts';
import type { Side } from './command.ts';
import { leverageOf } from './leverageSetting.ts';
import { freeMargin, type MarginState } from './margin.ts';
import { tierOf } from './marginTiers.ts';
import { type HoldingOrder, openingNotional, openingOrders } from './orderHolds.ts';
import { type Holding, isSameSide } from './position.ts';
import { valuationOf } from './valuation.ts';

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

/** An account or draft before the plan; its orders by oid. */
export interface JudgedState extends MarginState {
  readonly orders: ReadonlyMap<number, HoldingOrder>;
}

/** Judges a plan against the account as it is before it. `before` is not changed. */
export function judgePlan(before: JudgedState, plan: Plan, market: MarketView): Verdict {
  const after = stateAfter(before, plan);
  if (!plan.opens && !restOpens(after, plan)) return 'accepted';
  if (exceedsTier(after, plan, market)) return 'tierLimit';
  return freeMargin(after, market).isNeg() ? 'insufficientMargin' : 'accepted';
}

function stateAfter(before: JudgedState, { asset, after, rest, gone }: Plan): MarginState {
  const { cash, position } = after;
  const orders: HoldingOrder[] = [];
  for (const [oid, order] of before.orders) if (!gone.has(oid)) orders.push(order);
  if (rest) orders.push(rest);
  if (position === before.positions.get(asset.id)) return { ...before, cash, orders };

  const positions = new Map(before.positions);
  if (position) positions.set(asset.id, position);
  else positions.delete(asset.id);
  return { cash, positions, leverage: before.leverage, orders };
}

/** True when the resting part is more than what closes the position beside the orders already there. */
function restOpens({ orders }: MarginState, { asset, side, rest, after: { position } }: Plan): boolean {
  if (!rest || rest.reduceOnly) return false;
  if (!position || isSameSide(position, side)) return true;
  const all = openingOrders(orders.values(), asset.id, side);
  const others = all.filter((order) => order !== rest);
  return openingNotional(all, position).gt(openingNotional(others, position));
}

/** Position at mark plus same-side resting orders at their prices, in a tier that allows less than the leverage in use. */
function exceedsTier({ orders, leverage }: MarginState, { asset, side, after: { position } }: Plan, market: MarketView): boolean {
  if (asset.marginTiers.length < 2) return false;
  const held: Decimal = position && isSameSide(position, side) ? valuationOf(position, market).notional : ZERO;
  const notional = held.plus(openingNotional(openingOrders(orders.values(), asset.id, side), position));
  return tierOf(asset.marginTiers, notional).maxLeverage < leverageOf({ leverage }, asset).leverage;
}
