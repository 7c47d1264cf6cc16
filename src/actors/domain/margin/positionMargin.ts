// The margin tiers and maintenance of a held position. A position can outlive what the market view knows of its asset (a
// view that is still empty after a start): it then counts with one tier at its own leverage, and nothing crashes.
import type { MarginTier } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Position } from '../account/account.ts';
import { maintenanceMargin } from './marginTiers.ts';
import { type Valuation, valuationOf } from './valuation.ts';

/** Tiers of the coin, ascending. */
export function marginTiersOf({ asset, leverage }: Position, market: MarketView): readonly MarginTier[] {
  return market.asset(asset)?.marginTiers ?? [{ lowerBound: ZERO, maxLeverage: leverage }];
}

/** Maintenance margin at mark, USD, cut after 6 decimals. */
export function maintenanceOf(position: Position, market: MarketView): Decimal {
  return maintenanceBy(valuationOf(position, market), marginTiersOf(position, market)).maintenance;
}

const maintenanceBy = rememberFor(
  ({ notional }: Valuation, tiers: readonly MarginTier[]) => ({ tiers, maintenance: maintenanceMargin(tiers, notional) }),
  (last, tiers) => last.tiers === tiers,
);

/** Sum over the cross positions, USD. */
export function crossMaintenance(positions: Iterable<Position>, market: MarketView): Decimal {
  let sum = ZERO;
  for (const position of positions) if (position.marginMode === 'cross') sum = sum.plus(maintenanceOf(position, market));
  return sum;
}
