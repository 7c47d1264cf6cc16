// The margin ratio of an account: the maintenance margin of a pool as a share of its equity, of the pool where it is highest. At 100
// percent the pool is liquidated (trading-rules 5.2).
import type { Account } from '../../actors/core/account/account.ts';
import { hasFreshMarks, healthOf, marginPoolKeys, marginPoolOf } from '../../actors/core/margin/positionMargin.ts';
import type { MarketView } from '../../market/domain/marketView.ts';
import { cutQuotient, type Decimal, halfUp, toWire, USD_DECIMALS, ZERO } from '../../shared/domain/decimal.ts';
import { crossing } from './percentThreshold.ts';

/** What margin depends on. */
export type MarginAccount = Pick<Account, 'cash' | 'positions'>;

interface PoolRatio {
  /** Of an isolated position; null = the cross pool. */
  readonly coin: string | null;
  readonly maintenance: Decimal;
  readonly equity: Decimal;
  readonly notional: Decimal;
}

export interface MarginNow {
  readonly highest: PoolRatio;
  /** False when a pool could not be judged, because a mark is too old: then nothing is known to have come back. */
  readonly isWhole: boolean;
}

const NO_POSITION: PoolRatio = { coin: null, maintenance: ZERO, equity: ZERO, notional: ZERO };
const PERCENT_DECIMALS = 2;

export function marginNow(account: MarginAccount, market: MarketView, nowMs: number): MarginNow {
  let highest = NO_POSITION;
  let isWhole = true;
  for (const key of marginPoolKeys(account)) {
    const pool = marginPoolOf(account, key);
    if (pool.positions.length === 0) continue;
    if (!hasFreshMarks(pool, market, nowMs)) isWhole = false;
    else {
      const ratio = { coin: key === 'cross' ? null : (pool.positions[0]?.coin ?? null), ...healthOf(pool, market) };
      if (isHigher(ratio, highest)) highest = ratio;
    }
  }
  return { highest, isWhole };
}

/** By cross-multiplication; an equity of 0 or less is beyond all others. */
function isHigher(a: PoolRatio, b: PoolRatio): boolean {
  if (b.maintenance.isZero()) return true;
  if (b.equity.lte(0)) return false;
  return a.equity.lte(0) || a.maintenance.times(b.equity).gt(b.maintenance.times(a.equity));
}

/**
 * Which thresholds are crossed, and which are told from now on.
 * @param told thresholds that were told and from which it has not come back
 */
export function marginCrossings(
  told: readonly string[],
  { highest, isWhole }: MarginNow,
  percents: readonly string[],
): { readonly told: readonly string[]; readonly crossed: readonly string[] } {
  const share = { part: highest.maintenance, whole: highest.equity };
  const changes = percents.map((percent) => ({ percent, change: crossing(told.includes(percent), share, percent) }));
  const crossed = changes.filter(({ change }) => change === 'crossed').map(({ percent }) => percent);
  const stays = changes.filter(({ percent, change }) => told.includes(percent) && (change !== 'back' || !isWhole));
  return { told: [...stays.map(({ percent }) => percent), ...crossed], crossed };
}

/** @param percent the threshold that was crossed */
export function marginData({ highest }: MarginNow, percent: string): Readonly<Record<string, string | null>> {
  const { coin, maintenance, equity, notional } = highest;
  return {
    percent,
    margin_ratio_percent: equity.lte(0) ? null : cutQuotient(maintenance.times(100), equity, PERCENT_DECIMALS).toFixed(),
    margin_mode: coin === null ? 'cross' : 'isolated',
    coin,
    maintenance_margin: usd(maintenance),
    account_value: usd(equity),
    notional: usd(notional),
  };
}

const usd = (value: Decimal): string => toWire(halfUp(value, USD_DECIMALS));
