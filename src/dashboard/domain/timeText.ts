// Ages and moments as people read them. The clock is an input: the page corrects its own by the server's.

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './units.ts';

/** How old something is: `now`, `8 s`, `3 min`, `2 h`, `4 d`. @param ageMs below 0 counts as now */
export function age(ageMs: number): string {
  if (ageMs < SECOND_MS) return 'now';
  if (ageMs < MINUTE_MS) return `${Math.floor(ageMs / SECOND_MS)} s`;
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)} min`;
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)} h`;
  return `${Math.floor(ageMs / DAY_MS)} d`;
}

/** Where moments are shown: where the reader is, or UTC. */
export type TimeZone = 'local' | 'utc';

/** `11-23 22:40:05`, with the year where it is not that of `nowMs`. */
export function moment(timeMs: number, { zone, nowMs }: { zone: TimeZone; nowMs: number }): string {
  const { year, monthDay, time } = partsOf(timeMs, zone);
  return year === partsOf(nowMs, zone).year ? `${monthDay} ${time}` : `${year}-${monthDay} ${time}`;
}

function partsOf(timeMs: number, zone: TimeZone): { year: string; monthDay: string; time: string } {
  const format = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  });
  const [date = '', time = ''] = format.format(timeMs).split(' ');
  return { year: date.slice(0, 4), monthDay: date.slice(5), time };
}

/** How long after another moment something was: `at once`, `+ 120 ms`, `+ 8 s`, `+ 3 min`. */
export function between(fromMs: number, toMs: number): string {
  const ms = toMs - fromMs;
  if (ms <= 0) return 'at once';
  return ms < SECOND_MS ? `+ ${ms} ms` : `+ ${age(ms)}`;
}

/** A length of time in its two largest units: `3 d 4 h`, `12 min 5 s`, `0 s`. */
export function duration(ms: number): string {
  const units = [
    [DAY_MS, 'd'],
    [HOUR_MS, 'h'],
    [MINUTE_MS, 'min'],
    [SECOND_MS, 's'],
  ] as const;
  const first = units.findIndex(([length]) => ms >= length);
  if (first === -1) return '0 s';
  let left = ms;
  const parts = units.slice(first, first + 2).map(([length, name]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return { count, name };
  });
  return parts.flatMap(({ count, name }, i) => (i > 0 && count === 0 ? [] : [`${count} ${name}`])).join(' ');
}

/** What is left of a time: `7:59:03`, `4:05`; `0:00` when it is over. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / SECOND_MS));
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
