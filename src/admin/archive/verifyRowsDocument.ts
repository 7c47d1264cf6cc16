// A document of rows compared with itself: what it says of its rows is what they say.
import { parseStoredRow, type RowsDocument } from '../../actors/core/history/historyDocuments.ts';
import type { CameEntries } from './cameEntries.ts';
import { Differs, shown } from './firstDifference.ts';

export type ReadRow = ReturnType<typeof parseStoredRow<{ readonly timeMs: number }>>;

/** What a document belongs to. */
interface Of {
  readonly account: string;
  readonly shard: number;
  readonly came: CameEntries;
}

/** Its rows by their numbers. @throws {Differs} when one is twice, or none */
export function readRows(document: Pick<RowsDocument, 'rows'> | null, where: string): Map<number, ReadRow> {
  const rows = new Map<number, ReadRow>();
  for (const text of document?.rows ?? []) {
    const row = readable(text, where);
    const field = `row ${row.number}`;
    if (rows.has(row.number)) throw new Differs({ seq: row.seq, where, field, expected: 'once', found: 'twice' });
    rows.set(row.number, row);
  }
  return rows;
}

/** @param last of its rows @throws {Differs} */
export function verifyHead(document: RowsDocument, { where, last }: { where: string; last: ReadRow | undefined }, of: Of): void {
  const { account, shard, came } = of;
  const expected = {
    ...{ account, shard },
    // Rows that Redis lost are taken out. The number stays: it was used.
    lastSeq: came.isWithoutEffect(document.lastSeq) ? document.lastSeq : (last?.seq ?? document.lastSeq),
    lastTimeMs: last?.row.timeMs ?? 0,
  };
  for (const [field, value] of Object.entries(expected)) {
    const found = document[field as keyof typeof expected];
    if (found !== value) throw new Differs({ seq: document.lastSeq, where, field, expected: shown(value), found: shown(found) });
  }
}

function readable(text: string, where: string): ReadRow {
  try {
    return parseStoredRow(text);
  } catch (error) {
    if (error instanceof Error && error.name === 'NewerFormat') throw error;
    throw new Differs({ where, field: 'rows', expected: 'a history row', found: shown(text) });
  }
}
