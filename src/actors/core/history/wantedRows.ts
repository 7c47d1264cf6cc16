// Which of an account's history rows a question wants, among rows that are at hand: the same for the actor, which has their
// texts, and for an API node, which has them from a pod that gave all of them.
import type { RowsWanted } from '../messages/command.ts';

/** Where a row stands. Numbers and tids rise from row to row; times never fall. */
export interface RowPlace {
  readonly number: number;
  readonly timeMs: number;
  /** Of a fill. */
  readonly tid?: number | undefined;
}

/**
 * The rows that are wanted, in the order in which they are wanted, `limit` at most.
 * @param rows by rising numbers
 * @param first rows with lower numbers are no part of the history any more
 */
export function* wantedRows<Row extends RowPlace>(rows: readonly Row[], want: RowsWanted, first: number): Iterable<Row> {
  const low = indexOf(rows, Math.max(first, want.from ?? 0));
  const high = indexOf(rows, want.before ?? Number.POSITIVE_INFINITY);
  const { startMs = 0, endMs = Number.POSITIVE_INFINITY, maxTid = Number.POSITIVE_INFINITY, limit, newestFirst } = want;
  let left = limit;
  for (let i = low; i < high && left > 0; i++) {
    const row = rows[newestFirst ? high - 1 - (i - low) : i] as Row;
    if (row.timeMs < startMs || row.timeMs > endMs || (row.tid ?? 0) > maxTid) continue;
    left -= 1;
    yield row;
  }
}

/** Index of the first row whose number is not below this one. */
function indexOf(rows: readonly Pick<RowPlace, 'number'>[], number: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as RowPlace).number < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
