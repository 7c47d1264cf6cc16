// What a stretch of the journal adds to MongoDB's history, grouped by document, so that a thousand rows are a few dozen
// appends. A function of the entries alone: written twice it gives the same appends.
import type { AccountEntry } from './entry.ts';
import { bucketId, type NumberedRow } from './history.ts';
import { cloidId, isOrderEnd, orderEndsId, type StoredRow } from './historyDocuments.ts';
import { rowsOf } from './rows.ts';

/** A commit as the journal holds it. */
export interface JournalCommit {
  readonly number: number;
  readonly timeMs: number;
  readonly epoch: number;
  /** The shard's id counter after the commit. */
  readonly idCounter: number;
  readonly entries: readonly AccountEntry[];
}

/** Rows for one document, in the order of their entries. */
export interface Append {
  readonly id: string;
  readonly account: string;
  readonly commit: number;
  readonly rows: readonly AppendedRow[];
}

export interface AppendedRow {
  readonly seq: number;
  readonly timeMs: number;
  /** JSON of a `StoredRow`. */
  readonly text: string;
}

export interface HistoryBatch {
  readonly history: readonly Append[];
  readonly orderEnds: readonly Append[];
  /** Newest ended oid by `cloidId`. */
  readonly cloids: ReadonlyMap<string, number>;
}

export function historyBatch(commits: readonly JournalCommit[]): HistoryBatch {
  const history = new Map<string, WritableAppend>();
  const orderEnds = new Map<string, WritableAppend>();
  const cloids = new Map<string, number>();
  for (const { number: commit, entries } of commits) {
    for (const entry of entries) {
      for (const numbered of rowsOf(entry)) {
        const { accountId: account, seq } = entry;
        const row = { seq, timeMs: numbered.row.timeMs, text: toText(numbered, seq) };
        append(history, { id: bucketId(account, numbered.kind, numbered.number), account, commit }, row);
        if (numbered.kind !== 'orders' || !isOrderEnd(numbered.row)) continue;
        const { oid, cloid } = numbered.row.order;
        append(orderEnds, { id: orderEndsId(account, oid), account, commit }, row);
        if (cloid !== undefined) cloids.set(cloidId(account, cloid), Math.max(oid, cloids.get(cloidId(account, cloid)) ?? 0));
      }
    }
  }
  return { history: [...history.values()], orderEnds: [...orderEnds.values()], cloids };
}

interface WritableAppend extends Append {
  commit: number;
  readonly rows: AppendedRow[];
}

function append(appends: Map<string, WritableAppend>, to: Omit<Append, 'rows'>, row: AppendedRow): void {
  const found = appends.get(to.id);
  if (found === undefined) {
    appends.set(to.id, { ...to, rows: [row] });
    return;
  }
  found.commit = to.commit;
  found.rows.push(row);
}

function toText({ number, row }: NumberedRow, seq: number): string {
  const stored: StoredRow = { number, seq, row };
  return JSON.stringify(stored);
}
