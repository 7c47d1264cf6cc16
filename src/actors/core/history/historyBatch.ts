// The rows that a stretch of the journal adds to MongoDB's history, grouped by document, so that a thousand rows are
// a few dozen appends. A function of the entries alone: written twice it gives the same appends.
import type { Format } from '../../../shared/domain/formats.ts';
import type { AccountEntry } from '../messages/entry.ts';
import { bucketId, type NumberedRow } from '../messages/historyRows.ts';
import { cloidId, isOrderEnd, orderEndsId, writeStoredRow } from './historyDocuments.ts';
import { rowsOf } from './rowsOfEvents.ts';

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

/** Appends by document, gathered commit by commit. */
export class HistoryBatch {
  readonly format: Format;
  readonly #history = new Map<string, WritableAppend>();
  readonly #orderEnds = new Map<string, WritableAppend>();
  /** The order that ended last by `cloidId`: its oid, and the sequence number of the entry in which it ended. */
  readonly cloids = new Map<string, { readonly oid: number; readonly seq: number }>();

  /** @param format of the rows that it makes */
  constructor(format: Format) {
    this.format = format;
  }

  get history(): readonly Append[] {
    return [...this.#history.values()];
  }

  get orderEnds(): readonly Append[] {
    return [...this.#orderEnds.values()];
  }

  /** Commits come in the order of their numbers. */
  add({ number, entries }: JournalCommit): void {
    for (const entry of entries) this.addEntry(entry, number);
  }

  /** One entry of a commit, in the order that they have there. @returns how many rows it has */
  addEntry(entry: AccountEntry, commit: number): number {
    const rows = rowsOf(entry);
    for (const numbered of rows) this.#addRow(numbered, { account: entry.accountId, seq: entry.seq, commit });
    return rows.length;
  }

  #addRow(numbered: NumberedRow, { account, seq, commit }: { account: string; seq: number; commit: number }): void {
    const { number, row: content } = numbered;
    const row = { seq, timeMs: content.timeMs, text: writeStoredRow({ number, seq, row: content }, this.format) };
    append(this.#history, { id: bucketId(account, numbered.kind, numbered.number), account, commit }, row);
    if (numbered.kind !== 'orders' || !isOrderEnd(numbered.row)) return;
    const { oid, cloid } = numbered.row.order;
    append(this.#orderEnds, { id: orderEndsId(account, oid), account, commit }, row);
    if (cloid === undefined) return;
    this.cloids.set(cloidId(account, cloid), { oid, seq });
  }
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
