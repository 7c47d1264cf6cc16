// Searches an account's history from the newest row back, one page of rows at a time. The number of rows is bounded:
// a filter that matches little gives a short page and a cursor, never a request that reads without end.
import type { HistoryKind } from '../../actors/core/messages/command.ts';
import type { NumberedRow } from '../../actors/core/messages/historyRows.ts';
import type { Past } from '../accounts/heldHistory.ts';
import type { AccountHistory } from '../accounts/services.ts';

/** Rows read in one request, and in one look-up. */
const SCANNED_MAX = 8192;
const ROWS_PER_LOOKUP = 1024;

export interface Scan {
  readonly past: Past;
  readonly kind: HistoryKind;
  /** Rows with lower numbers only; absent = from the newest on. */
  readonly before?: number | undefined;
  readonly startMs: number;
  readonly endMs?: number | undefined;
  readonly limit: number;
}

export interface Scanned {
  /** Newest first. */
  readonly rows: readonly NumberedRow[];
  /** Where the next page begins: rows below it have not been read. `null` = there are none. */
  readonly next: number | null;
  /** Number of the next row that the account will get. */
  readonly total: number;
}

/** Returns at most `limit` rows that match. @throws as the history reader does */
export async function scan(history: AccountHistory, wanted: Scan, isWanted: (row: NumberedRow) => boolean): Promise<Scanned> {
  const { past, kind, startMs, endMs, limit } = wanted;
  const rows: NumberedRow[] = [];
  let before = wanted.before;
  let total = 0;
  for (let scanned = 0; scanned < SCANNED_MAX; scanned += ROWS_PER_LOOKUP) {
    const few = isWanted === everyRow ? limit - rows.length : ROWS_PER_LOOKUP;
    const page = await history.page(past, kind, { before, startMs, endMs, limit: few });
    total = Math.max(total, page.total);
    for (const row of page.rows) {
      if (!isWanted(row)) continue;
      rows.push(row);
      if (rows.length === limit) return { rows, next: row.number > page.first ? row.number : null, total };
    }
    if (page.next === null) return { rows, next: null, total };
    before = page.next;
  }
  return { rows, next: before ?? null, total };
}

/** Without a filter no more rows are read than are wanted. */
export const everyRow = (): boolean => true;
