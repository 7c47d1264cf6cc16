// Reads all rows of a kind since a time, newest first, in chunks between which other requests are served. The number
// of rows is bounded, so that no request reads an account's whole history into memory.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HistoryKind } from '../../actors/core/messages/command.ts';
import type { HistoryRows } from '../../actors/core/messages/historyRows.ts';
import type { Past } from './historySources.ts';
import type { AccountHistory } from './services.ts';

/** Rows of one kind in one request: some two seconds of a node's time for all kinds together. */
export const ROWS_MAX = 100_000;
/** One look-up is parsed in one piece. */
const ROWS_PER_LOOKUP = 1024;

/**
 * Calls `take` with pieces of rows, between which other requests are served, since `startMs` up to `endMs`.
 * @returns time of the oldest row that was read when older ones of the range were left out, else undefined
 */
export async function readRowsSince<K extends HistoryKind>(
  history: AccountHistory,
  { past, kind, startMs, endMs }: { past: Past; kind: K; startMs: number; endMs: number },
  take: (rows: readonly HistoryRows[K][]) => void,
): Promise<number | undefined> {
  let before: number | undefined;
  for (let read = 0; read < ROWS_MAX; read += ROWS_PER_LOOKUP) {
    const page = await history.page(past, kind, { before, startMs, endMs, limit: ROWS_PER_LOOKUP });
    await inPieces(page.rows, (rows) => take(rows.map(({ row }) => row as HistoryRows[K])));
    if (page.next === null) return undefined;
    before = page.next;
    if (read + ROWS_PER_LOOKUP >= ROWS_MAX) return page.rows.at(-1)?.row.timeMs;
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
