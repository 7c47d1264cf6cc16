// Drawdown, daily returns and exposure, computed from the points of an equity curve. Deposits are no gain: a step's
// return is its change of account value less deposits, divided by the account value before it, and returns are
// chained (trading-rules 4.11 and docs/analytics.md). Ratios are floating point: no money is computed here.
import { Decimal } from '../../shared/domain/decimal.ts';
import { utcDay } from '../../shared/domain/utcDay.ts';

const DAY_MS = 86_400_000;
/** Markets never close. */
const DAYS_PER_YEAR = 365;
const RATIO_DECIMALS = 6;

export interface EquityFigurePoint {
  readonly timeMs: number;
  /** USD, decimal text. */
  readonly accountValue: string;
  readonly netDepositsUsd: string;
  readonly openPositions: number;
}

/** The figures of points that are added one after the other, so that many of them can be added in pieces. */
export class EquityFigures {
  readonly #chain: Link[] = [];
  /** The index at the end of each UTC day. */
  readonly #closes = new Map<string, number>();
  #exposureMs = 0;
  #first: EquityFigurePoint | undefined;
  #last: EquityFigurePoint | undefined;

  /** @param point in ascending order; the first is what the period begins with, the last is now */
  add(point: EquityFigurePoint): void {
    const before = this.#last;
    const index = (this.#chain.at(-1)?.index ?? 1) * (before === undefined ? 1 : 1 + returnOf(before, point));
    if (before !== undefined && before.openPositions > 0) this.#exposureMs += point.timeMs - before.timeMs;
    this.#chain.push({ timeMs: point.timeMs, index });
    this.#closes.set(utcDay(point.timeMs), index);
    this.#first ??= point;
    this.#last = point;
  }

  tell() {
    const returns = dailyReturns(this.#chain, this.#closes);
    const lengthMs = (this.#last?.timeMs ?? 0) - (this.#first?.timeMs ?? 0);
    return {
      max_drawdown: text(maxDrawdown(this.#chain.map(({ index }) => index))),
      sharpe_ratio: textOrNull(sharpeRatio(returns)),
      sortino_ratio: textOrNull(sortinoRatio(returns)),
      /** Seconds with a position open, and their share of the period. */
      exposure_time: Math.round(this.#exposureMs / 1000),
      exposure_share: textOrNull(lengthMs > 0 ? this.#exposureMs / lengthMs : undefined),
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

/** The largest fall from a peak, as a share of the peak. */
export function maxDrawdown(values: readonly number[]): number {
  let peak = 0;
  let largest = 0;
  for (const value of values) {
    peak = Math.max(peak, value);
    if (peak > 0) largest = Math.max(largest, 1 - value / peak);
  }
  return largest;
}

interface Link {
  readonly timeMs: number;
  /** Value of one unit that was invested at the start. */
  readonly index: number;
}

function returnOf(before: EquityFigurePoint, after: EquityFigurePoint): number {
  const value = new Decimal(before.accountValue);
  if (value.lte(0)) return 0;
  const deposits = new Decimal(after.netDepositsUsd).minus(before.netDepositsUsd);
  return new Decimal(after.accountValue).minus(value).minus(deposits).div(value).toNumber();
}

/** One return for each UTC day of the period; a day without a point returns 0. */
function dailyReturns(chain: readonly Link[], closes: ReadonlyMap<string, number>): number[] {
  const [first] = chain;
  const last = chain.at(-1);
  if (!first || !last) return [];
  const returns: number[] = [];
  let before = first.index;
  const lastDayMs = Math.floor(last.timeMs / DAY_MS) * DAY_MS;
  for (let dayMs = Math.floor(first.timeMs / DAY_MS) * DAY_MS; dayMs <= lastDayMs; dayMs += DAY_MS) {
    const close = closes.get(utcDay(dayMs)) ?? before;
    returns.push(before === 0 ? 0 : close / before - 1);
    before = close;
  }
  return returns;
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const text = (value: number): string => new Decimal(value).toDecimalPlaces(RATIO_DECIMALS).toFixed();
const textOrNull = (value: number | undefined): string | null => (value === undefined ? null : text(value));
