// How far marks may move before an account could be below a maintenance margin (trading-rules 5.2). A margin pool's
// slack, its equity above maintenance, is shared out among its positions by notional. While no mark has moved
// adversely by more than its share, the sum of all losses is less than the slack, and no check is needed. Numbers are
// rough here and err on the side of a check; the liquidation itself is decided exactly.
import type { MarginTier } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Account, Position } from '../account/account.ts';
import { maintenanceTiers, marginTiersOf } from './positionMargin.ts';

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
