// The mark at which a position would be liquidated: the venue's published formula, solved for the tier of the
// notional at that price (trading-rules 5.2). It is only shown; liquidation itself compares equity with maintenance.
import type { MarginTier } from '../../../market/domain/asset.ts';
import { type Decimal, halfUpQuotient } from '../../../shared/domain/decimal.ts';
import { type MaintenanceTier, maintenanceIn, maintenanceTiers } from './positionMargin.ts';

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
  const notional = signedSize.abs().times(markPrice);
  let first: Decimal | undefined;
  for (const tier of maintenanceTiers(marginTiers)) {
    const available = equity.minus(maintenanceIn(tier, notional));
    const price = priceIn(tier, { signedSize, markPrice, available });
    if (first === undefined || (isLong ? price.gt(first) : price.lt(first))) first = price;
  }
  return first?.gt(0) ? first : undefined;
}

/**
 * `price - d * margin_available / s / (1 - l * d)`, with the maintenance at the mark cut after 6 decimals as the venue does. One
 * quotient of exact numbers: `(price * s * (1/l - d) - margin_available / l) / (s * (1/l - d))`.
 */
function priceIn(
  { divisor }: MaintenanceTier,
  { signedSize, markPrice, available }: Pick<Exposure, 'signedSize' | 'markPrice'> & { readonly available: Decimal },
): Decimal {
  const size = signedSize.times(divisor - (signedSize.isPos() ? 1 : -1));
  return halfUpQuotient(markPrice.times(size).minus(available.times(divisor)), size, PRICE_DECIMALS);
}
