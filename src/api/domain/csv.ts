// Records of CSV (RFC 4180) that no spreadsheet takes for a formula: text that begins like one gets an apostrophe before it. Numbers are
// written as they are, also those below 0.

/** What a cell holds. `null` = empty. */
export type Cell = { readonly text: string } | { readonly number: string | number } | null;

/** Behind whatever is blank; some take the wide forms of the same characters for them. */
const FORMULA = /^\s*[=+\-@|%＝＋－＠]/u;
/** Also what some readers take for the end of a line. */
const QUOTED = /[",\r\n\v\f\u0085\u2028\u2029]/;

/** A record with its end. */
export const csvRecord = (cells: readonly Cell[]): string => `${cells.map(written).join(',')}\r\n`;

function written(cell: Cell): string {
  if (cell === null) return '';
  if ('number' in cell) return String(cell.number);
  const safe = FORMULA.test(cell.text) ? `'${cell.text}` : cell.text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
