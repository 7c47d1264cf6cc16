// Drawdown, daily returns and exposure, computed from the points of an equity curve. Deposits are no gain: a step's
// return is its change of account value less deposits, divided by the account value before it, and returns are
// chained (trading-rules 4.11 and docs/analytics.md). Ratios are floating point: no money is computed here.

import { utcDay } from '../../shared/domain/calendar.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { type DayClose, type EquityDay, equityDays } from './equityDays.ts';
import { Falls } from './falls.ts';

/** Markets never close. */
const DAYS_PER_YEAR = 365;
const RATIO_DECIMALS = 6;
/** Returns of a rolling Sharpe ratio: as many days, the day itself the last. */
export const ROLLING_DAYS = 30;

export interface EquityFigurePoint {
  readonly timeMs: number;
  /** USD, decimal text. */
  readonly accountValue: string;
  readonly netDepositsUsd: string;
  readonly openPositions: number;
}

/** The figures of points that are added one after the other, so that many of them can be added in pieces. */
export class EquityFigures {
  /** Value of one unit that was invested at the start. */
  #index = 1;
  /** Each UTC day with a point, oldest first. */
  readonly #closes = new Map<string, DayClose>();
  readonly #falls = new Falls();
  #exposureMs = 0;
  #first: EquityFigurePoint | undefined;
  #last: EquityFigurePoint | undefined;

  /** @param point in ascending order; the first is what the period begins with, the last is now */
  add(point: EquityFigurePoint): void {
    const before = this.#last;
    const step = before === undefined ? 1 : 1 + returnOf(before, point);
    this.#index *= step;
    if (before !== undefined) {
      if (before.openPositions > 0) this.#exposureMs += point.timeMs - before.timeMs;
    }
    const fall = this.#falls.add(point.timeMs, this.#index);
    const day = utcDay(point.timeMs);
    const known = this.#closes.get(day);
    const deepest = Math.max(fall, known?.deepest ?? 0);
    const { accountValue, netDepositsUsd } = point;
    const factor = (known?.factor ?? 1) * step;
    this.#closes.set(day, { factor, index: this.#index, fall, deepest, accountValue, netDepositsUsd });
    this.#first ??= point;
    this.#last = point;
  }

  /** Every UTC day of the period, oldest first. */
  days(): readonly EquityDay[] {
    return this.#first === undefined || this.#last === undefined ? [] : equityDays(this.#first, this.#last, this.#closes);
  }

  /** The deepest falls, deepest first. */
  falls = (): ReturnType<Falls['deepest']> => this.#falls.deepest();

  tell() {
    const returns = this.days().map(({ share }) => share);
    const lengthMs = (this.#last?.timeMs ?? 0) - (this.#first?.timeMs ?? 0);
    return {
      max_drawdown: ratioText(this.falls()[0]?.depth ?? 0),
      sharpe_ratio: ratioOrNull(sharpeRatio(returns)),
      sortino_ratio: ratioOrNull(sortinoRatio(returns)),
      /** Seconds with a position open, and their share of the period. */
      exposure_time: Math.round(this.#exposureMs / 1000),
      exposure_share: ratioOrNull(lengthMs > 0 ? this.#exposureMs / lengthMs : undefined),
    };
  }
}

/** Mean of daily returns by their standard deviation (n - 1), annualised; undefined without two days or any deviation. */
export function sharpeRatio(returns: readonly number[]): number | undefined {
  if (returns.length < 2) return undefined;
  const mean = meanOf(returns);
  const deviation = Math.sqrt(returns.reduce((sum, r) => sum + (r - mean) ** 2, 0) / (returns.length - 1));
  return deviation < Number.EPSILON ? undefined : (mean / deviation) * Math.sqrt(DAYS_PER_YEAR);
}

/** Mean of daily returns by the root mean square of the negative ones over all days, annualised; undefined without a loss. */
export function sortinoRatio(returns: readonly number[]): number | undefined {
  if (returns.length < 2) return undefined;
  const downside = Math.sqrt(meanOf(returns.map((r) => Math.min(r, 0) ** 2)));
  return downside < Number.EPSILON ? undefined : (meanOf(returns) / downside) * Math.sqrt(DAYS_PER_YEAR);
}

/** The Sharpe ratio of each day and the 29 before it; undefined for the first 29, and without any deviation. */
export const rollingSharpe = (returns: readonly number[]): readonly (number | undefined)[] =>
  returns.map((_, i) => (i + 1 < ROLLING_DAYS ? undefined : sharpeRatio(returns.slice(i + 1 - ROLLING_DAYS, i + 1))));

/** At least -1: who owes more than he had has lost all of it, and what he pays in then is invested anew. */
function returnOf(before: EquityFigurePoint, after: EquityFigurePoint): number {
  const value = new Decimal(before.accountValue);
  if (value.lte(0)) return 0;
  const deposits = new Decimal(after.netDepositsUsd).minus(before.netDepositsUsd);
  return Math.max(-1, new Decimal(after.accountValue).minus(value).minus(deposits).div(value).toNumber());
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
/** A ratio or a share as answers have it. */
export const ratioText = (value: number): string => new Decimal(value).toDecimalPlaces(RATIO_DECIMALS).toFixed();
export const ratioOrNull = (value: number | undefined): string | null => (value === undefined ? null : ratioText(value));
