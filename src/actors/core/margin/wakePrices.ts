// The marks that matter to liquidation: how far marks may move without a check, and the price that is shown.
import type { MarginTier } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, halfUpQuotient } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Account, Position } from '../account/account.ts';
import { type MaintenanceTier, maintenanceTiers, marginTiersOf } from './positionMargin.ts';

// How far marks may move before an account could be below a maintenance margin (trading-rules 5.2). A margin pool's
// slack, its equity above maintenance, is shared out among its positions by notional. While no mark has moved
// adversely by more than its share, the sum of all losses is less than the slack, and no check is needed. Numbers are
// rough here and err on the side of a check; the liquidation itself is decided exactly.

/** A mark at which the account has to be checked again. */
export interface WakePrice {
  readonly asset: number;
  /** `falls`: a mark at or below `price` wakes. `rises`: one at or above it. */
  readonly when: 'falls' | 'rises';
  /** USD per coin; infinite when any mark wakes, because the pool is in danger or a mark of it is not known. */
  readonly price: number;
}

/** Share of all amounts involved that numbers may be wrong by, far more than double precision ever is. */
export const ROUGHNESS = 1e-11;
/** USD that the cut of a maintenance margin may add up to, per position. */
const CUT_USD = 2e-6;

/** Wake prices for all positions of an account; a long that no mark above zero endangers has none. */
export function wakePrices({ cash, positions }: Pick<Account, 'cash' | 'positions'>, market: MarketView): WakePrice[] {
  const prices: WakePrice[] = [];
  const cross: Position[] = [];
  for (const position of positions.values()) {
    if (position.marginMode === 'cross') cross.push(position);
    else addWakePrices(prices, [position], position.rawUsd, market);
  }
  if (cross.length > 0) addWakePrices(prices, cross, cash, market);
  return prices;
}

/** True when every mark wakes a pool of the account. */
export function isInDanger(prices: readonly WakePrice[]): boolean {
  return prices.some(({ price }) => !Number.isFinite(price));
}

function addWakePrices(prices: WakePrice[], positions: readonly Position[], cash: Decimal, market: MarketView): void {
  const share = shareOf(positions, cash, market);
  for (const position of positions) {
    const { asset } = position;
    const isLong = position.signedSize.isPos();
    const mark = share === undefined ? 0 : markOf(position, market);
    if (share === undefined) prices.push({ asset, when: isLong ? 'falls' : 'rises', price: isLong ? Infinity : -Infinity });
    else if (!isLong) prices.push({ asset, when: 'rises', price: mark * (1 + share) });
    else if (share < 1) prices.push({ asset, when: 'falls', price: mark * (1 - share) });
  }
}

/** Part of its mark by which each coin may move adversely; undefined when it may not move at all. */
function shareOf(positions: readonly Position[], cash: Decimal, market: MarketView): number | undefined {
  let slack = cash.toNumber();
  let gross = Math.abs(slack);
  let lossPerMove = 0;
  for (const position of positions) {
    const mark = markOf(position, market);
    if (Number.isNaN(mark)) return undefined;
    const tiers = marginTiersOf(position, market);
    const value = position.signedSize.toNumber() * mark;
    const notional = Math.abs(value);
    slack += value - roughMaintenance(tiers, notional);
    gross += notional;
    lossPerMove += value > 0 ? notional : notional * (1 + steepest(tiers));
  }
  const sure = slack - gross * ROUGHNESS - positions.length * CUT_USD;
  return sure > 0 ? sure / lossPerMove : undefined;
}

function markOf({ asset }: Position, market: MarketView): number {
  return market.prices(asset)?.markPrice.toNumber() ?? Number.NaN;
}

/** The tiers in numbers. */
const roughTiers = rememberFor((tiers: readonly MarginTier[]) => {
  const exact = maintenanceTiers(tiers);
  return {
    divisors: exact.map(({ divisor }) => divisor),
    deductions: exact.map(({ deduction }) => deduction.toNumber()),
  };
});

/** The highest of the tiers' lines, which is the one of the notional's own tier (trading-rules 4.3). */
function roughMaintenance(tiers: readonly MarginTier[], notional: number): number {
  const { divisors, deductions } = roughTiers(tiers);
  let highest = 0;
  for (let i = 0; i < divisors.length; i++) {
    highest = Math.max(highest, notional / (divisors[i] as number) - (deductions[i] as number));
  }
  return highest;
}

/** What a dollar more of notional adds to maintenance at most. */
function steepest(tiers: readonly MarginTier[]): number {
  const { divisors } = roughTiers(tiers);
  return 1 / Math.min(...divisors);
}

// The mark at which a position would be liquidated: the venue's published formula, solved for the tier of the
// notional at that price (trading-rules 5.2). It is only shown; liquidation itself compares equity with maintenance.

/** Decimals of the venue's recordings of 2025 and later. */
const PRICE_DECIMALS = 10;

interface Exposure {
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
