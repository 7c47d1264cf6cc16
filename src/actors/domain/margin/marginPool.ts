// What is liquidated together: the cross cash with all cross positions, or one isolated bucket with its position
// (trading-rules 5.2). A pocket below its maintenance margin is in trouble whatever the other pockets of the account hold.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import { maintenanceOf, valuationOf } from './positionMargin.ts';

/** `'cross'`, or the asset of an isolated position. */
export type PocketKey = 'cross' | number;

export interface Pocket {
  readonly key: PocketKey;
  /** `rawX`, or `rawI` of the bucket, USD. */
  readonly cash: Decimal;
  readonly positions: readonly Position[];
}

/** All pockets in the order in which they are checked: isolated ones by asset id, then cross. */
export function pocketKeys({ positions }: Pick<Account, 'positions'>): PocketKey[] {
  const isolated: number[] = [];
  for (const { asset, marginMode } of positions.values()) if (marginMode === 'isolated') isolated.push(asset);
  return [...isolated.sort((a, b) => a - b), 'cross'];
}

/** The pocket as it is; without positions when they are gone. */
export function pocketOf({ cash, positions }: Pick<Account, 'cash' | 'positions'>, key: PocketKey): Pocket {
  if (key === 'cross') {
    return { key, cash, positions: [...positions.values()].filter(({ marginMode }) => marginMode === 'cross') };
  }
  const position = positions.get(key);
  return position?.marginMode === 'isolated'
    ? { key, cash: position.rawUsd, positions: [position] }
    : { key, cash: ZERO, positions: [] };
}

/** USD at the marks of now. */
export interface PocketHealth {
  readonly equity: Decimal;
  /** Sum of the positions' maintenance margins, each cut after 6 decimals. */
  readonly maintenance: Decimal;
  readonly notional: Decimal;
}

export function healthOf({ cash, positions }: Pocket, market: MarketView): PocketHealth {
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
export function isLiquidatable({ equity, maintenance }: PocketHealth): boolean {
  return equity.lt(maintenance);
}

/** Strictly below two thirds of maintenance: the book gets no further chance. */
export function isForBackstop({ equity, maintenance }: PocketHealth): boolean {
  return equity.times(3).lt(maintenance.times(2));
}

/** False while the mark of any of its positions is missing or older than its bound: nobody is liquidated on old prices. */
export function hasFreshMarks({ positions }: Pocket, market: MarketView, nowMs: number): boolean {
  return positions.every(({ asset }) => {
    const prices = market.prices(asset);
    return prices !== undefined && nowMs - prices.timeMs <= market.maxAgeMs;
  });
}
