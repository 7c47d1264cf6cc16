// How far an account is below the peak of its equity, followed from one point of its equity curve to the next. What is paid in or out
// is no gain and no loss: it moves the peak in proportion, as the returns of docs/analytics.md do.
import type { EquityNote } from '../../actors/core/messages/historyRows.ts';
import { cutQuotient, Decimal, halfUp, toWire, USD_DECIMALS } from '../../shared/domain/decimal.ts';
import { crossing } from './percentThreshold.ts';

/** Decimal text, USD. */
export interface DrawdownState {
  /** In the money of the newest point: as if what was paid in and out since had been so then. */
  readonly peak: string;
  readonly value: string;
  readonly netDeposits: string;
  /** The percent that was told and from which it has not come back; null = none. */
  readonly told: string | null;
}

export interface DrawdownStep {
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
