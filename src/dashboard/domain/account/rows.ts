// Lists that REST begins and a stream continues. A row has a key and the number of its journal entry: a row that comes twice, or
// late, changes nothing.

/** A row with the journal entry that it shows: of an answer its `X-Account-Seq`, of a message its `seq`. */
export interface Placed<Row> {
  readonly row: Row;
  readonly seq: number;
}

/** The identity and the time of a list's rows, and how many it holds. */
export interface RowKind<Row> {
  readonly keyOf: (row: Row) => string | number;
  /** The list is sorted by this time, newest first, ms since the epoch. */
  readonly timeOf: (row: Row) => number;
  /** Rows that are kept, the newest; the others are dropped. */
  readonly rowsMax: number;
}

/**
 * Adds rows to a list. A row replaces one with the same key unless it is of an earlier entry.
 * @param rows newest first
 * @param more in the order in which they came
 * @returns newest first
 */
export function mergeRows<Row>(
  rows: readonly Placed<Row>[],
  more: readonly Placed<Row>[],
  { keyOf, timeOf, rowsMax }: RowKind<Row>,
): readonly Placed<Row>[] {
  const byKey = new Map(rows.map((placed) => [keyOf(placed.row), placed]));
  for (const placed of more) {
    const known = byKey.get(keyOf(placed.row));
    if (known === undefined || known.seq <= placed.seq) byKey.set(keyOf(placed.row), placed);
  }
  return [...byKey.values()].sort((a, b) => timeOf(b.row) - timeOf(a.row)).slice(0, rowsMax);
}
