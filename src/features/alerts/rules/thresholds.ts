// The thresholds of alerts: of a fall of the equity, of a margin ratio, and of the end of a trial. A share that crosses
// a threshold gives an alert. The next alert at this threshold needs a share below nine tenths of the threshold first: a share that swings
// around a threshold gives one alert.

import type { Account } from '../../../actors/core/account/account.ts';
import { hasFreshMarks, healthOf, marginPoolKeys, marginPoolOf } from '../../../actors/core/margin/positionMargin.ts';
import type { EquityNote } from '../../../actors/core/messages/historyRows.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { expiryOf, type PaidUntil } from '../../../shared/domain/billing/subscription.ts';
import { cutQuotient, Decimal, halfUp, toWire, USD_DECIMALS, ZERO } from '../../../shared/domain/decimal.ts';
import { DAY_MS } from '../../../shared/domain/units.ts';

/** It is told again after the share was below nine tenths of the threshold. */
const BACK_SHARE = '0.9';

/** A part of a whole, both USD. A whole of 0 or less has lost more than everything. */
interface Share {
  readonly part: Decimal;
  readonly whole: Decimal;
}

/** Exact: no quotient is made. @param percent decimal text @returns `back` only when it has been told */
function crossing(isTold: boolean, { part, whole }: Share, percent: string): 'crossed' | 'back' | 'none' {
  const scaled = part.times(100);
  const at = whole.times(percent);
  if (!isTold) return part.gt(0) && scaled.gte(at) ? 'crossed' : 'none';
  const isBack = part.lte(0) || (whole.gt(0) && scaled.lt(at.times(BACK_SHARE)));
  return isBack ? 'back' : 'none';
}

// How far an account is below the peak of its equity, followed from one point of its equity curve to the next. What is paid in or out
// is no gain and no loss: it moves the peak in proportion, as the returns of docs/analytics.md do.

/** Decimal text, USD. */
export interface DrawdownState {
  /** In the money of the newest point: as if what was paid in and out since had been so then. */
  readonly peak: string;
  readonly value: string;
  readonly netDeposits: string;
  /** The percent that was told and from which it has not come back; null = none. */
  readonly told: string | null;
}

interface DrawdownStep {
  readonly state: DrawdownState;
  /** Absent: nothing to tell. */
  readonly alert?: Readonly<Record<string, string>>;
}

const PERCENT_DECIMALS = 2;

/** @param before undefined = this is the first point @param percent from which on it is told */
export function followEquity(before: DrawdownState | undefined, point: EquityNote, percent: string): DrawdownStep {
  const value = new Decimal(point.accountValue);
  const peak = peakAt(before, point);
  const isTold = before?.told === percent;
  const fall = { part: peak.minus(value), whole: peak };
  const change = crossing(isTold, fall, percent);
  const told = change === 'crossed' || (isTold && change === 'none') ? percent : null;
  const { accountValue, netDepositsUsd: netDeposits } = point;
  const state = { peak: peak.toFixed(), value: accountValue, netDeposits, told };
  if (change !== 'crossed') return { state };
  const alert = {
    percent,
    drawdown_percent: cutQuotient(fall.part.times(100), fall.whole, PERCENT_DECIMALS).toFixed(),
    peak: toWire(halfUp(peak, USD_DECIMALS)),
    account_value: accountValue,
    net_deposits: netDeposits,
  };
  return { state, alert };
}

function peakAt(before: DrawdownState | undefined, point: EquityNote): Decimal {
  const value = new Decimal(point.accountValue);
  const paidIn = new Decimal(point.netDepositsUsd);
  // Neither a position nor a gain: the account has just begun, or begins anew.
  if (before === undefined || (point.openPositions === 0 && value.eq(paidIn))) return value;
  const flow = paidIn.minus(before.netDeposits);
  const earned = value.minus(flow);
  if (earned.lte(0) && !flow.isZero()) return value;
  const peak = Decimal.max(before.peak, earned);
  return flow.isZero() ? peak : peak.times(value).div(earned);
}

// The margin ratio of an account: the maintenance margin of a pool as a share of its equity, of the pool where it is highest. At 100
// percent the pool is liquidated (trading-rules 5.2).

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
const RATIO_DECIMALS = 2;

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
    margin_ratio_percent: equity.lte(0) ? null : cutQuotient(maintenance.times(100), equity, RATIO_DECIMALS).toFixed(),
    margin_mode: coin === null ? 'cross' : 'isolated',
    coin,
    maintenance_margin: usd(maintenance),
    account_value: usd(equity),
    notional: usd(notional),
  };
}

const usd = (value: Decimal): string => toWire(halfUp(value, USD_DECIMALS));

// What there is to tell of the end of a trial or of a paid time, at a moment: one day before it, and when it is over.

interface TrialEnd {
  readonly stage: 'day_before' | 'over';
  readonly of: 'trial' | 'subscription';
  readonly endMs: number;
  /** When there was first something to tell. */
  readonly timeMs: number;
}

/** @returns undefined while the end is more than a day away */
export function trialEndAt(paid: PaidUntil, nowMs: number): TrialEnd | undefined {
  const endMs = expiryOf(paid);
  if (nowMs < endMs - DAY_MS) return undefined;
  const of = paid.subscriptionExpiresAtMs === null ? 'trial' : 'subscription';
  return nowMs < endMs ? { stage: 'day_before', of, endMs, timeMs: endMs - DAY_MS } : { stage: 'over', of, endMs, timeMs: endMs };
}
