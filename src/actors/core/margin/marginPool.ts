// What is liquidated together: the cross cash with all cross positions, or one isolated position with its margin
// (trading-rules 5.2). A pool below its maintenance margin is liquidated, whatever the other pools of the account
// hold.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import { maintenanceOf, valuationOf } from './positionMargin.ts';

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
