// The mark at which a position would be liquidated: the venue's published formula, solved for the tier of the
// notional at that price (trading-rules 5.2). It is only shown; liquidation itself compares equity with maintenance.
import type { MarginTier } from '../../../market/domain/asset.ts';
import { Decimal, halfUp, roundOffResidue } from '../../../shared/domain/decimal.ts';
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
export function liquidationPrice(exposure: Exposure): Decimal | undefined {
  const prices = maintenanceTiers(exposure.marginTiers).map((tier) => priceIn(tier, exposure));
  const first = exposure.signedSize.isPos() ? Decimal.max(...prices) : Decimal.min(...prices);
  const price = halfUp(roundOffResidue(first), PRICE_DECIMALS);
  return price.gt(0) ? price : undefined;
}

/** `price - d * margin_available / s / (1 - l * d)`, with the maintenance at the mark cut after 6 decimals as the venue does. */
function priceIn(tier: MaintenanceTier, { signedSize, markPrice, equity }: Exposure): Decimal {
  const direction = signedSize.isPos() ? 1 : -1;
  const available = equity.minus(maintenanceIn(tier, signedSize.abs().times(markPrice)));
  return markPrice.minus(available.times(tier.divisor).div(signedSize.times(tier.divisor - direction)));
}
