// The mark at which a position would be liquidated: the venue's published formula, solved for the tier of the
// notional at that price (trading-rules 5.2). It is only shown; liquidation itself compares equity with maintenance.
import type { MarginTier } from '../../../market/domain/asset.ts';
import { type Decimal, halfUpQuotient } from '../../../shared/domain/decimal.ts';
import { type MaintenanceTier, maintenanceTiers } from './positionMargin.ts';

/** Decimals of the venue's recordings of 2025 and later. */
const PRICE_DECIMALS = 10;

export interface Exposure {
  /** Coins, long > 0; never 0. */
  readonly signedSize: Decimal;
  readonly markPrice: Decimal;
  readonly marginTiers: readonly MarginTier[];
  /**
   * The equity that covers the position, USD: isolated, the position's own; cross, the cross account value less the
   * maintenance of all OTHER cross positions.
   */
  readonly equity: Decimal;
}

/**
 * USD per coin, half up after 10 decimals; `undefined` when no price above zero liquidates the position.
 * Maintenance is the highest of its tiers' lines at every notional, so of the prices that the tiers give, the first one
 * that a falling (for a short: rising) mark meets is the one whose notional lies in its own tier.
 */
export function liquidationPrice({ signedSize, markPrice, equity, marginTiers }: Exposure): Decimal | undefined {
  const isLong = signedSize.isPos();
  const signedNotional = signedSize.times(markPrice);
  let first: Decimal | undefined;
  for (const tier of maintenanceTiers(marginTiers)) {
    const price = priceIn(tier, { signedSize, isLong, owed: signedNotional.minus(equity) });
    if (first === undefined || (isLong ? price.gt(first) : price.lt(first))) first = price;
  }
  return first?.gt(0) ? first : undefined;
}

/**
 * `price - d * margin_available / s / (1 - l * d)`, where the position's own maintenance is not cut: the price at which
 * `equity + szi * (price - mark)` is `price * s / divisor - deduction`. One quotient of exact numbers.
 * @param terms.owed signed notional at mark less equity, USD
 */
function priceIn(
  { divisor, deduction }: MaintenanceTier,
  { signedSize, isLong, owed }: Pick<Exposure, 'signedSize'> & { readonly isLong: boolean; readonly owed: Decimal },
): Decimal {
  return halfUpQuotient(owed.minus(deduction).times(divisor), signedSize.times(divisor - (isLong ? 1 : -1)), PRICE_DECIMALS);
}
