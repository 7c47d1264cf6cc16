// Calendar months without a Date object: paid time ends on the same day of a later month, whatever the months'
// lengths.
import { DAY_MS } from './units.ts';
import { utcDay } from './utcDay.ts';

/** 1970-01-01 in days since 0000-03-01; years that begin in March put the leap day last. */
const EPOCH_SHIFT_DAYS = 719_468;
/** Length of the calendar's 400-year cycle. */
const ERA_DAYS = 146_097;

/**
 * The same day and time so many months later, UTC; the last day of the month where it has no such day (31 January and
 * one month: 28 or 29 February).
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
export interface MonthSpan {
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
