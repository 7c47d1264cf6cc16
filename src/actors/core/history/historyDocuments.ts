// The documents of an account's history in MongoDB, which the history writer makes and the API's history reader
// reads, by `_id` alone. Rows are JSON text: the store never looks into one, and writes text about eight times
// faster.
import { type Format, readForm, type Upcasters, writeForm } from '../../../shared/domain/formats.ts';
import type { HistoryKind } from '../messages/command.ts';
import type { HistoryRows, NumberedRow, OrderRow } from '../messages/historyRows.ts';

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
export interface StoredRow<Row = unknown> {
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
