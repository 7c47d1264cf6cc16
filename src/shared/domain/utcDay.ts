// The UTC day of a time, without a Date object: rules use no clock and no calendar of the machine that they run on.
import { rememberLatest } from './memo.ts';
import { DAY_MS } from './units.ts';

/** 1970-01-01 in days since 0000-03-01; years that begin in March put the leap day last. */
const EPOCH_SHIFT_DAYS = 719_468;
/** Length of the calendar's 400-year cycle. */
const ERA_DAYS = 146_097;

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
