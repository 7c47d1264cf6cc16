// Maintenance margin by notional: tiers with a deduction that makes the steps meet (trading-rules 4.3). It depends on
// the coin's tiers alone, never on the leverage a user chose.
import type { MarginTier } from '../../../market/domain/asset.ts';
import { cut6, type Decimal, settle, ZERO } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';

/** One tier ready for use: maintenance of a notional in it = `notional / divisor - deduction`. */
export interface MaintenanceTier {
  readonly lowerBound: Decimal;
  readonly maxLeverage: number;
  /** Twice the maximum leverage: 1 / maintenance margin rate. */
  readonly divisor: number;
  /** USD. */
  readonly deduction: Decimal;
}

/** The tiers with their deductions, ascending. */
export const maintenanceTiers = rememberFor((tiers: readonly MarginTier[]): readonly MaintenanceTier[] => {
  const result: MaintenanceTier[] = [];
  for (const { lowerBound, maxLeverage } of tiers) {
    const below = result.at(-1);
    const divisor = 2 * maxLeverage;
    const step = below ? lowerBound.div(divisor).minus(lowerBound.div(below.divisor)) : ZERO;
    result.push({ lowerBound, maxLeverage, divisor, deduction: (below?.deduction ?? ZERO).plus(step) });
  }
  return result;
});

/** The tier of a notional; a boundary belongs to the lower one. */
export function tierOf<Tier extends MarginTier>(tiers: readonly Tier[], notional: Decimal): Tier {
  let tier = tiers[0];
  for (const next of tiers) if (notional.gt(next.lowerBound)) tier = next;
  if (!tier) throw new Error('Broken invariant: a margin table has at least one tier');
  return tier;
}

/** USD, cut after 6 decimals. */
export function maintenanceMargin(tiers: readonly MarginTier[], notional: Decimal): Decimal {
  return maintenanceIn(tierOf(maintenanceTiers(tiers), notional), notional);
}

/** The line of one tier at any notional, also outside it (a liquidation price may lie in another tier), cut after 6 decimals. */
export function maintenanceIn({ divisor, deduction }: MaintenanceTier, notional: Decimal): Decimal {
  return cut6(settle(notional.div(divisor).minus(deduction)));
}
