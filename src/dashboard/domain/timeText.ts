// Ages and moments as people read them. The clock is an input: the page corrects its own by the server's.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

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
