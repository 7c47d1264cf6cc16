// Reads an account's history page by page, newest first, and never without end. A client goes on with a cursor: row numbers, which later
// rows do not move, and a digest that binds the numbers to the account and the filters. A cursor is no secret: a forged one reads another
// part of the caller's own list.
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HistoryKind, HistoryRows, NumberedRow } from '../../actors/core/messages/historyRows.ts';
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

/** Rows of one kind in one request: some two seconds of a node's time for all kinds together. */
export const ROWS_MAX = 100_000;
/** One look-up is parsed in one piece. */
const ROWS_AT_ONCE = 1024;

/**
 * Reads all rows of a kind since `startMs` up to `endMs`, newest first, and calls `take` with pieces of them. Other requests have their turn
 * between the pieces. The number of rows has a bound, so that no request reads an account's whole history into memory.
 * @returns time of the oldest row that was read when older ones of the range were left out, else undefined
 */
export async function readRowsSince<K extends HistoryKind>(
  history: AccountHistory,
  { past, kind, startMs, endMs }: { past: Past; kind: K; startMs: number; endMs: number },
  take: (rows: readonly HistoryRows[K][]) => void,
): Promise<number | undefined> {
  let before: number | undefined;
  for (let read = 0; read < ROWS_MAX; read += ROWS_AT_ONCE) {
    const page = await history.page(past, kind, { before, startMs, endMs, limit: ROWS_AT_ONCE });
    await inPieces(page.rows, (rows) => take(rows.map(({ row }) => row as HistoryRows[K])));
    if (page.next === null) return undefined;
    before = page.next;
    if (read + ROWS_AT_ONCE >= ROWS_MAX) return page.rows.at(-1)?.row.timeMs;
  }
  return undefined;
}

/** Items of one piece: a millisecond or two even where each costs much. */
export const PIECE = 64;

/**
 * Works through many items in pieces, between which the node serves other requests: a read of 100,000 rows must not hold up
 * an order.
 * Gives all items to `take`, in their order.
 */
export async function inPieces<Item>(items: readonly Item[], take: (piece: readonly Item[]) => void): Promise<void> {
  for (let from = 0; from < items.length; from += PIECE) {
    take(items.slice(from, from + PIECE));
    if (from + PIECE < items.length) await nextTurn();
  }
}
