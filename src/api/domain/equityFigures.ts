// Drawdown, falls, exposure, and the returns of days and months, computed from the points of an equity curve. Deposits are no gain: a
// step's return is its change of account value less deposits, divided by the account value before it, and returns are chained
// (trading-rules 4.11 and docs/analytics.md). Ratios are floating point: no money is computed here.

import { utcDay } from '../../shared/domain/calendar.ts';
import { Decimal, ZERO } from '../../shared/domain/decimal.ts';
import { DAY_MS } from '../../shared/domain/units.ts';

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

// Falls of an equity index below its peak: from the moment of the peak to the one at which it is reached again. docs/analytics.md defines
// them.

/** Falls that are told. */
export const FALLS_MAX = 5;

interface Fall {
  /** When the index was last at its peak. */
  readonly peakMs: number;
  /** When it was deepest below it. */
  readonly deepestMs: number;
  /** When it was there again; undefined = not yet. */
  readonly endMs: number | undefined;
  /** A share of the peak, > 0. */
  readonly depth: number;
}

/** The falls of points that are added one after the other. */
export class Falls {
  #peak = 0;
  #peakMs = 0;
  /** The one that has not ended. */
  #open: Fall | undefined;
  readonly #deepest: Fall[] = [];

  /** @returns how far this point is below the peak, as a share of the peak */
  add(timeMs: number, index: number): number {
    if (index >= this.#peak) {
      if (this.#open !== undefined) this.#keep({ ...this.#open, endMs: timeMs });
      this.#open = undefined;
      [this.#peak, this.#peakMs] = [index, timeMs];
      return 0;
    }
    const depth = 1 - index / this.#peak;
    if (this.#open === undefined || depth > this.#open.depth)
      this.#open = { peakMs: this.#peakMs, deepestMs: timeMs, endMs: undefined, depth };
    return depth;
  }

  /** Deepest first, FALLS_MAX of them; of equal ones the first. */
  deepest(): readonly Fall[] {
    const all = this.#open === undefined ? this.#deepest : [...this.#deepest, this.#open];
    return all.toSorted((a, b) => b.depth - a.depth).slice(0, FALLS_MAX);
  }

  #keep(fall: Fall): void {
    this.#deepest.push(fall);
    this.#deepest.sort((a, b) => b.depth - a.depth);
    this.#deepest.length = Math.min(this.#deepest.length, FALLS_MAX);
  }
}

/** The last point of a day, and the deepest of its falls. */
interface DayClose {
  /** Value at its end of one unit that was invested at its beginning: also on days after one on which all was lost. */
  readonly factor: number;
  /** Value of one unit that was invested at the start. */
  readonly index: number;
  /** Below the peak, as a share of it, at the day's last point. */
  readonly fall: number;
  /** The same at the deepest of its points. */
  readonly deepest: number;
  /** USD, decimal text. */
  readonly accountValue: string;
  readonly netDepositsUsd: string;
}

/** An equity curve by UTC days and months: what each brought, and how deep below the peak it was. docs/analytics.md defines the terms. */
export interface EquityDay {
  /** `2026-11-30`. */
  readonly day: string;
  /** Return of the day. */
  readonly share: number;
  /** Return from the period's beginning to the end of the day. */
  readonly growth: number;
  /** The deepest below the peak on that day, a share of the peak, not below 0. */
  readonly deepest: number;
  /** What the day brought less deposits, USD. Exact. */
  readonly gainUsd: Decimal;
  /** At its end, USD, decimal text. */
  readonly accountValue: string;
}

interface EquityMonth {
  /** `2026-11`. */
  readonly month: string;
  readonly share: number;
  readonly gainUsd: Decimal;
  readonly accountValue: string;
}

interface EquityMoment {
  readonly timeMs: number;
  readonly accountValue: string;
  readonly netDepositsUsd: string;
}

/**
 * Every UTC day from the first point to the last; one without a point returns 0 and ends as the day before.
 * @param closes by day
 */
function equityDays(first: EquityMoment, last: EquityMoment, closes: ReadonlyMap<string, DayClose>): readonly EquityDay[] {
  const days: EquityDay[] = [];
  const { accountValue, netDepositsUsd } = first;
  let before: DayClose = { factor: 1, index: 1, fall: 0, deepest: 0, accountValue, netDepositsUsd };
  const lastDayMs = Math.floor(last.timeMs / DAY_MS) * DAY_MS;
  for (let dayMs = Math.floor(first.timeMs / DAY_MS) * DAY_MS; dayMs <= lastDayMs; dayMs += DAY_MS) {
    const day = utcDay(dayMs);
    const close = closes.get(day) ?? { ...before, factor: 1, deepest: before.fall };
    const paidIn = new Decimal(close.netDepositsUsd).minus(before.netDepositsUsd);
    days.push({
      day,
      share: close.factor - 1,
      growth: close.index - 1,
      deepest: close.deepest,
      gainUsd: new Decimal(close.accountValue).minus(before.accountValue).minus(paidIn),
      accountValue: close.accountValue,
    });
    before = close;
  }
  return days;
}

/** The months of the days, oldest first: their returns chained, their gains added up. */
export function equityMonths(days: readonly EquityDay[]): readonly EquityMonth[] {
  const months = new Map<string, EquityMonth>();
  for (const { day, share, gainUsd, accountValue } of days) {
    const month = day.slice(0, 7);
    const known = months.get(month) ?? { share: 0, gainUsd: ZERO };
    months.set(month, {
      month,
      share: (1 + known.share) * (1 + share) - 1,
      gainUsd: known.gainUsd.plus(gainUsd),
      accountValue,
    });
  }
  return [...months.values()];
}
