// Numbers, ages and moments as people read them. Money, prices and sizes come from the server as text and keep its digits: these
// functions group and sign them, and cut them only where a bound is named. They never compute with them. The clock is an input:
// the page corrects its own by the server's.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './units.ts';

/** A space that does not break a line, thinner than a word's. */
const THIN = '\u202f';

/** `1234567.50` as `1 234 567.50`, with thin spaces. Text that is no plain decimal comes back as it is. */
export function grouped(text: string): string {
  const match = /^([+\-−]?)(\d+)(\.\d+)?$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', rest = ''] = match;
  return `${sign === '-' ? '−' : sign}${whole.replace(/\B(?=(\d{3})+$)/g, THIN)}${rest}`;
}

/**
 * USD with exactly two decimals, cut towards zero, so that it never shows more than there is.
 * @param options.isSigned shows `+` before gains
 */
export function usd(text: string, options: { isSigned?: boolean } = {}): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return text;
  const [, minus = '', whole = '', decimals = ''] = match;
  const cents = decimals.padEnd(2, '0').slice(0, 2);
  const isZero = /^0*$/.test(whole + cents);
  const sign = isZero ? '' : minus || (options.isSigned ? '+' : '');
  return grouped(`${sign}${whole}.${cents}`);
}

/** 0.1234 as `12.34 %`. @param share a number that the page has computed, or a server's text */
export function percent(share: number | string, { decimals = 2, isSigned = false } = {}): string {
  const value = Number(share) * 100;
  if (!Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(decimals);
  const sign = Number(text) === 0 ? '' : value < 0 ? '−' : isSigned ? '+' : '';
  return `${sign}${text}${THIN}%`;
}

/** -1, 0 or 1: the sign of a decimal text, without making it a number of the machine's first. */
export function signOf(text: string): -1 | 0 | 1 {
  if (!/[1-9]/.test(text)) return 0;
  return text.startsWith('-') ? -1 : 1;
}

/** The number with the other sign; zero has none. */
export function negated(text: string): string {
  if (signOf(text) === 0) return text.replace(/^-/, '');
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
}

/** An age: `now`, `8 s`, `3 min`, `2 h`, `4 d`. @param ageMs below 0 counts as now */
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

/** The rest of a time: `7:59:03`, `4:05`; `0:00` when it is over. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / SECOND_MS));
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
