// Pages of a list. A cursor is text that a client sends back: row numbers, which later rows do not move, and a digest
// that binds them to the account and the filters. It is no secret: a forged cursor reads another part of the caller's
// own list.
import { createHash } from 'node:crypto';
import type { HistoryKind } from '../../actors/core/messages/command.ts';
import type { NumberedRow } from '../../actors/core/messages/historyRows.ts';
import { RequestError } from '../../shared/errors.ts';
import type { Past } from './historySources.ts';
import type { AccountHistory } from './services.ts';

const DIGEST_CHARACTERS = 16;
const CURSOR_FORM = /^[\w-]{1,256}$/;

/** @param list names the list: account, endpoint and filters */
export function writeCursor(list: readonly unknown[], places: readonly number[]): string {
  return Buffer.from(JSON.stringify([...places, digestOf(list, places)])).toString('base64url');
}

/**
 * The row numbers in a cursor of this list.
 * @throws {RequestError} 400 for text that `writeCursor` has not made for the same list
 */
export function readCursor(list: readonly unknown[], cursor: string): readonly number[] {
  const places = (CURSOR_FORM.test(cursor) ? parse(cursor) : undefined)?.slice(0, -1) ?? [];
  // Written again it must give the same text: no other digest, no other spelling.
  if (!places.every(isRowNumber) || writeCursor(list, places) !== cursor) {
    throw new RequestError(400, 'invalid_cursor', 'The cursor is not one of this list with these filters.');
  }
  return places;
}

const isRowNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function parse(cursor: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined; // the client's text: the caller says what is wrong with it
  }
}

const digestOf = (list: readonly unknown[], places: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify([list, places]))
    .digest('base64url')
    .slice(0, DIGEST_CHARACTERS);

/** Rows read in one request, and in one look-up. */
const SCANNED_MAX = 8192;
const ROWS_PER_LOOKUP = 1024;

interface Scan {
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

/**
 * Searches an account's history from the newest row back, one page of rows at a time. The number of rows is bounded: a filter
 * that matches little gives a short page and a cursor, never a request that reads without end.
 * Returns at most `limit` rows that match. @throws as the history reader does
 */
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
