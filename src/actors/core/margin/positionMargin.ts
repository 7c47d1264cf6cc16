// The margin of one position, and of a pool of positions that are liquidated together.
import type { Asset, MarginTier } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { cut6, cutPerLeverage, type Decimal, perLeverage, roundOffResidue, ZERO } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Account, LeverageSetting, Position } from '../account/account.ts';
import { entryPriceOf, signedCost } from './position.ts';

// The margin of a position: the mode and leverage of its coin (trading-rules 4.2), its value at the venue's mark
// (trading-rules 5.1), and its maintenance by notional: tiers with a deduction that makes the steps meet. They depend
// on the coin alone, never on the leverage that a user chose (trading-rules 4.3). A position can outlive the market
// view's data of its asset (a view that is still empty after a start). It then counts with one tier at its own
// leverage, and nothing crashes.

/** Leverage without a setting, where the coin allows it. */
const LEVERAGE_DEFAULT = 20;

/** The setting in force for a coin, whether it holds a position or not. */
export function leverageOf(account: Pick<Account, 'leverage'>, asset: Asset): LeverageSetting {
  return account.leverage.get(asset.id) ?? defaultLeverage(asset);
}

/** Cross (isolated on isolated-only coins), 20x or the coin's maximum. */
export function defaultLeverage(asset: Asset): LeverageSetting {
  return {
    marginMode: asset.onlyIsolated ? 'isolated' : 'cross',
    leverage: Math.min(LEVERAGE_DEFAULT, asset.maxLeverage),
  };
}

export interface Valuation {
  /** Mark of the coin, while it has one. */
  readonly mark: Decimal | undefined;
  /** Mark, or the entry price while the coin has none: the position then counts with no gain and no loss. */
  readonly markPrice: Decimal;
  /** USD, size times mark (`positionValue`). */
  readonly notional: Decimal;
  /** The same with the position's sign. */
  readonly signedNotional: Decimal;
  /** Cross: initial margin, cut after 6 decimals. Isolated: the position's equity. */
  readonly marginUsed: Decimal;
  /** What a cross position adds to free margin: its value less its initial margin. */
  readonly free: Decimal;
}

/** A position at its current mark. */
export function valuationOf(position: Position, market: MarketView): Valuation {
  return valuationAt(position, market.prices(position.asset)?.markPrice);
}

/** The same, not remembered: for what is computed once of a mark. */
export function valueAt(position: Position, mark: Decimal | undefined): Valuation {
  const { marginMode, leverage, rawUsd } = position;
  const markPrice = mark ?? entryPriceOf(position);
  const signedNotional = mark ? position.signedSize.times(mark) : signedCost(position);
  const notional = signedNotional.abs();
  const marginUsed = marginMode === 'cross' ? cutPerLeverage(notional, leverage) : rawUsd.plus(signedNotional);
  return { mark, markPrice, notional, signedNotional, marginUsed, free: signedNotional.minus(marginUsed) };
}

const valuationAt = rememberFor(
  valueAt,
  (last, mark) => last.mark === mark || (mark !== undefined && last.mark?.eq(mark) === true),
);

/** Tiers of the coin, ascending. */
export function marginTiersOf({ asset, leverage }: Position, market: MarketView): readonly MarginTier[] {
  return market.asset(asset)?.marginTiers ?? [{ lowerBound: ZERO, maxLeverage: leverage }];
}

/** Maintenance margin at mark, USD, cut after 6 decimals. */
function maintenanceOf(position: Position, market: MarketView): Decimal {
  return maintenanceBy(valuationOf(position, market), marginTiersOf(position, market)).maintenance;
}

/** What the position adds to its margin pool beyond its maintenance margin, USD; an isolated one is a pool of its own. */
export function surplusOf(position: Position, market: MarketView): Decimal {
  const valuation = valuationOf(position, market);
  const { crossSurplus, maintenance } = maintenanceBy(valuation, marginTiersOf(position, market));
  return position.marginMode === 'cross' ? crossSurplus : valuation.marginUsed.minus(maintenance);
}

const maintenanceBy = rememberFor(
  ({ notional, signedNotional }: Valuation, tiers: readonly MarginTier[]) => {
    const maintenance = maintenanceMargin(tiers, notional);
    return { tiers, maintenance, crossSurplus: signedNotional.minus(maintenance) };
  },
  (last, tiers) => last.tiers === tiers,
);

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
  const { divisor, deduction } = tierOf(maintenanceTiers(tiers), notional);
  if (deduction.isZero()) return cutPerLeverage(notional, divisor);
  return cut6(roundOffResidue(perLeverage(notional, divisor).minus(deduction)));
}

// What is liquidated together: the cross cash with all cross positions, or one isolated position with its margin
// (trading-rules 5.2). A pool below its maintenance margin is liquidated, whatever the other pools of the account
// hold.

/** `'cross'`, or the asset of an isolated position. */
export type MarginPoolKey = 'cross' | number;

export interface MarginPool {
  readonly key: MarginPoolKey;
  /** `rawX`, or `rawI` of the isolated position, USD. */
  readonly cash: Decimal;
  readonly positions: readonly Position[];
}

/** All margin pools in the order in which they are checked: isolated ones by asset id, then cross. */
export function marginPoolKeys({ positions }: Pick<Account, 'positions'>): MarginPoolKey[] {
  const isolated: number[] = [];
  for (const { asset, marginMode } of positions.values()) if (marginMode === 'isolated') isolated.push(asset);
  return [...isolated.sort((a, b) => a - b), 'cross'];
}

/** The pool as it is; without positions when they are gone. */
export function marginPoolOf({ cash, positions }: Pick<Account, 'cash' | 'positions'>, key: MarginPoolKey): MarginPool {
  if (key === 'cross') {
    return { key, cash, positions: [...positions.values()].filter(({ marginMode }) => marginMode === 'cross') };
  }
  const position = positions.get(key);
  return position?.marginMode === 'isolated'
    ? { key, cash: position.rawUsd, positions: [position] }
    : { key, cash: ZERO, positions: [] };
}

/** USD at the current marks. */
export interface MarginPoolHealth {
  readonly equity: Decimal;
  /** Sum of the positions' maintenance margins, each cut after 6 decimals. */
  readonly maintenance: Decimal;
  readonly notional: Decimal;
}

export function healthOf({ cash, positions }: MarginPool, market: MarketView): MarginPoolHealth {
  let equity = cash;
  let maintenance = ZERO;
  let notional = ZERO;
  for (const position of positions) {
    const value = valuationOf(position, market);
    equity = equity.plus(value.signedNotional);
    notional = notional.plus(value.notional);
    maintenance = maintenance.plus(maintenanceOf(position, market));
  }
  return { equity, maintenance, notional };
}

/** Strictly below maintenance. */
export function isLiquidatable({ equity, maintenance }: MarginPoolHealth): boolean {
  return equity.lt(maintenance);
}

/** Strictly below two thirds of maintenance: the book gets one chance and no further. */
export function isForBackstop({ equity, maintenance }: MarginPoolHealth): boolean {
  return equity.times(3).lt(maintenance.times(2));
}

/** False while the mark of any of its positions is missing or older than its bound: no account is liquidated on stale prices. */
export function hasFreshMarks({ positions }: Pick<MarginPool, 'positions'>, market: MarketView, nowMs: number): boolean {
  return positions.every(({ asset }) => {
    const prices = market.prices(asset);
    return prices !== undefined && nowMs - prices.timeMs <= market.maxAgeMs;
  });
}
