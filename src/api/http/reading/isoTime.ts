// Times that callers write as ISO 8601 texts. `Date.parse` reads 30 February as 2 March: a key would end on another day than it was told.

const DATE = /^(\d{4})-(\d{2})-(\d{2})/;
const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** ms since the epoch of a date and time with its zone; undefined for any other text, and for a day that no calendar has. */
export function readIsoTime(text: string): number | undefined {
  if (!WITH_ZONE.test(text) || !isDay(text)) return undefined;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** The same, and of a day alone its begin, UTC. */
export function readIsoTimeOrDay(text: string): number | undefined {
  if (!DAY.test(text)) return readIsoTime(text);
  return isDay(text) ? Date.parse(text) : undefined;
}

function isDay(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  // The day 0 of the next month is the last one of this. Years before 100 would be taken for those of a century.
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= last.getUTCDate();
}
