// Calendar days and months without a Date object: rules use no clock and no calendar of the machine that they run on.

import { rememberLatest } from './memo.ts';
import { DAY_MS } from './units.ts';

/** 1970-01-01 in days since 0000-03-01; years that begin in March put the leap day last. */
const EPOCH_SHIFT_DAYS = 719_468;
/** Length of the calendar's 400-year cycle. */
const ERA_DAYS = 146_097;

/**
 * The same day and time so many months later, UTC: paid time ends on the same day of a later month. The last day of the month where it has
 * no such day (31 January and one month: 28 or 29 February).
 * @param timeMs ms since the epoch, not before it
 * @param months a whole number, may be negative
 */
export function addMonths(timeMs: number, months: number): number {
  const [year = 0, month = 0, day = 0] = utcDay(timeMs).split('-').map(Number);
  const count = year * 12 + (month - 1) + months;
  const first = dayNumber(Math.floor(count / 12), modulo(count, 12) + 1, 1);
  const nextFirst = dayNumber(Math.floor((count + 1) / 12), modulo(count + 1, 12) + 1, 1);
  return Math.min(first + day - 1, nextFirst - 1) * DAY_MS + modulo(timeMs, DAY_MS);
}

/** A span as whole months, counted from its end, and a part of the month before them. */
interface MonthSpan {
  readonly whole: number;
  /** Of the month that ends where the whole ones begin, ms; less than `monthMs`. */
  readonly restMs: number;
  readonly monthMs: number;
}

/** Calendar months from one time to a later one, counted back from the end. None when the second is not later. */
export function monthsBetween(fromMs: number, untilMs: number): MonthSpan {
  let whole = 0;
  while (addMonths(untilMs, -whole - 1) >= fromMs) whole += 1;
  const beginMs = addMonths(untilMs, -whole);
  return { whole, restMs: Math.max(0, beginMs - fromMs), monthMs: beginMs - addMonths(untilMs, -whole - 1) };
}

/** @see https://howardhinnant.github.io/date_algorithms.html#days_from_civil */
function dayNumber(year: number, month: number, day: number): number {
  const yearFromMarch = month <= 2 ? year - 1 : year;
  const era = Math.floor(yearFromMarch / 400);
  const yearOfEra = yearFromMarch - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * ERA_DAYS + dayOfEra - EPOCH_SHIFT_DAYS;
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

/** `2026-11-21` for a time in milliseconds since 1970. */
export function utcDay(timeMs: number): string {
  return toText(Math.floor(timeMs / DAY_MS));
}

/**
 * The day of this number since 1970, remembered: most questions are about today.
 * @see https://howardhinnant.github.io/date_algorithms.html#civil_from_days
 */
const toText = rememberLatest((dayNumber: number): string => {
  const days = dayNumber + EPOCH_SHIFT_DAYS;
  const era = Math.floor(days / ERA_DAYS);
  const dayOfEra = days - era * ERA_DAYS;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
});
