// An equity curve by UTC days and months: what each brought, and how deep below the peak it was. docs/analytics.md defines the terms.

import { utcDay } from '../../shared/domain/calendar.ts';
import { Decimal, ZERO } from '../../shared/domain/decimal.ts';
import { DAY_MS } from '../../shared/domain/units.ts';

/** The last point of a day, and the deepest of its falls. */
export interface DayClose {
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

export interface EquityMonth {
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
export function equityDays(first: EquityMoment, last: EquityMoment, closes: ReadonlyMap<string, DayClose>): readonly EquityDay[] {
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
