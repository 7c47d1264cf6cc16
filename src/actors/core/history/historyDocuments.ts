// The documents of an account's history in MongoDB, which the history writer makes and the API's history reader
// reads, by `_id` alone. Rows are JSON text: the store never looks into one, and writes text about eight times
// faster.
import { type Format, readForm, type Upcasters, writeForm } from '../../../shared/domain/formats.ts';
import type { AccountEntry } from '../messages/entry.ts';
import { bucketId, type HistoryKind, type HistoryRows, type NumberedRow, type OrderRow } from '../messages/historyRows.ts';
import { rowsOf } from './rowsOfEvents.ts';

/** Oids that share one document of ended orders: 256 of each shard when there are 16. */
export const ORDER_IDS_PER_BUCKET = 4096;

/** Up to ROWS_PER_BUCKET rows in the order of their numbers. `_id` is `bucketId` (history) or `orderEndsId` (orderEnds). */
export interface RowsDocument {
  readonly _id: string;
  /** The newest generation among its rows: rows of several may share a document, and each names its own. */
  readonly v: Format;
  readonly account: string;
  readonly shard: number;
  /** Newest commit that added rows; shows what MongoDB holds beyond a journal that has lost its end. */
  readonly commit: number;
  /** Sequence number of the newest entry whose rows are in: an append that begins at or below it has been here before. */
  readonly lastSeq: number;
  /** Time of the newest row. */
  readonly lastTimeMs: number;
  /** JSON of `StoredRow`. */
  readonly rows: readonly string[];
}

/** One row in a document, with its number and the sequence number of the entry it comes from. */
interface StoredRow<Row = unknown> {
  readonly number: number;
  readonly seq: number;
  readonly row: Row;
}

/** The order that ended last under a client's order id. `_id` is `cloidId`. */
export interface CloidDocument {
  readonly _id: string;
  readonly v: Format;
  readonly shard: number;
  readonly oid: number;
  /** Sequence number of the entry in which it ended; absent in documents from before it was written down. */
  readonly seq?: number;
}

/** The state of an account as of an entry. `_id` is the account's id. */
export interface SnapshotDocument {
  readonly _id: string;
  readonly v: Format;
  readonly shard: number;
  readonly seq: number;
  /** Commit up to which the account's entries are in. */
  readonly commit: number;
  /** `toSnapshot`'s text. */
  readonly text: string;
  /** The account went on from the snapshot of this number by something else than its entries. */
  readonly break?: SnapshotBreak & { readonly seq: number };
}

/** What the archive will say of a state that an account goes on from: one write makes it true, and a second one notes it there. */
export interface SnapshotBreak {
  readonly reason: 'entriesGivenUp' | 'rebuilt';
  /** Entries after this one, up to the snapshot, count no more. */
  readonly after: number;
  /** Of the snapshot. */
  readonly format: Format;
}

/** `_id` of the document with the end of order `oid`. */
export function orderEndsId(accountId: string, oid: number): string {
  return `${accountId}:${String(Math.floor(oid / ORDER_IDS_PER_BUCKET)).padStart(12, '0')}`;
}

export function cloidId(accountId: string, cloid: string): string {
  return `${accountId}:${cloid}`;
}

/** An order row that no other row of the order will follow. */
export function isOrderEnd({ status }: OrderRow): boolean {
  return status !== 'open' && status !== 'triggered';
}

const ROW_UPCASTERS: Upcasters = {};

/** The text of a row in its document. */
export const writeStoredRow = (row: StoredRow, format: Format): string => writeForm(row, format);

/** A row as it is stored. @throws {NewerFormat} when a newer build has written it; SyntaxError when it is no row */
export const parseStoredRow = <Row>(text: string): StoredRow<Row> => readForm('history row', JSON.parse(text), ROW_UPCASTERS);

/** A row and the sequence number of the entry that gave it. @throws as `parseStoredRow` */
export function readSequencedRow<K extends HistoryKind>(
  text: string,
  kind: K,
): { readonly seq: number; readonly row: Extract<NumberedRow, { kind: K }> } {
  const { number, seq, row } = parseStoredRow<HistoryRows[K]>(text);
  return { seq, row: { kind, number, row } as Extract<NumberedRow, { kind: K }> };
}

/** @throws as `parseStoredRow` */
export const readStoredRow = <K extends HistoryKind>(text: string, kind: K): Extract<NumberedRow, { kind: K }> =>
  readSequencedRow(text, kind).row;

// The rows that a stretch of the journal adds to MongoDB's history, grouped by document, so that a thousand rows are
// a few dozen appends. A function of the entries alone: written twice it gives the same appends.

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
