// Compares the history rows that an account's entries give with those that MongoDB has, document by document.
import type { HistoryStart } from '../../actors/domain/account/account.ts';
import { parseStoredRow, type RowsDocument, writeStoredRow } from '../../actors/domain/history/historyDocuments.ts';
import { rowsOf } from '../../actors/domain/history/rowsOfEvents.ts';
import type { HistoryKind } from '../../actors/domain/messages/command.ts';
import type { AccountEntry } from '../../actors/domain/messages/entry.ts';
import { bucketId, ROWS_PER_BUCKET } from '../../actors/domain/messages/historyRows.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { Differs, firstDifference, shown } from './firstDifference.ts';

interface Bucket {
  readonly first: number;
  /** By number of the row. */
  readonly rows: Map<number, { readonly seq: number; readonly row: unknown }>;
}

export class RowsVerifier {
  readonly #mongo: MongoConnection;
  readonly #accountId: string;
  readonly #start: HistoryStart | undefined;
  /** Numbers between entries that came: their rows may be there or not. */
  readonly #gaps: { readonly from: number; readonly to: number }[] = [];
  readonly #buckets = new Map<HistoryKind, Bucket>();
  #firstSeq: number | undefined;
  #lastSeq = 0;
  compared = 0;

  /** @param start rows before it are no part of the history; undefined = all are */
  constructor(mongo: MongoConnection, accountId: string, start: HistoryStart | undefined) {
    this.#mongo = mongo;
    this.#accountId = accountId;
    this.#start = start;
  }

  /** Entries come by rising numbers, without those that do not count or are not there any more. @throws {Differs} */
  async add(entry: AccountEntry): Promise<void> {
    this.#firstSeq ??= entry.seq;
    if (this.#lastSeq > 0 && entry.seq > this.#lastSeq + 1) this.#gaps.push({ from: this.#lastSeq + 1, to: entry.seq - 1 });
    for (const { kind, number, row } of rowsOf(entry)) {
      if (number < (this.#start?.firstRows[kind] ?? 0)) continue;
      const first = number - (number % ROWS_PER_BUCKET);
      let bucket = this.#buckets.get(kind);
      if (bucket?.first !== first) {
        if (bucket) await this.#compare(kind, bucket);
        bucket = { first, rows: new Map() };
        this.#buckets.set(kind, bucket);
      }
      bucket.rows.set(number, { seq: entry.seq, row });
    }
    this.#lastSeq = entry.seq;
  }

  /** @throws {Differs} */
  async end(): Promise<void> {
    for (const [kind, bucket] of this.#buckets) await this.#compare(kind, bucket);
    this.#buckets.clear();
  }

  #hasCome(seq: number): boolean {
    if (seq < (this.#firstSeq ?? 0) || seq > this.#lastSeq) return false;
    return !this.#gaps.some(({ from, to }) => seq >= from && seq <= to);
  }

  async #compare(kind: HistoryKind, { first, rows }: Bucket): Promise<void> {
    const _id = bucketId(this.#accountId, kind, first);
    const where = `history ${_id}`;
    const document = await this.#mongo.db.collection<RowsDocument>(collections.history).findOne({ _id });
    const stored = new Map<number, ReturnType<typeof parseStoredRow>>();
    for (const text of document?.rows ?? []) {
      const row = readable(text, where);
      if (stored.has(row.number))
        throw new Differs({ seq: row.seq, where, field: `row ${row.number}`, expected: 'once', found: 'twice' });
      stored.set(row.number, row);
    }
    for (const [number, { seq, row }] of rows) {
      const expected = parseStoredRow(writeStoredRow({ number, seq, row }, NEWEST_FORMAT));
      const found = stored.get(number);
      const field = `row ${number}`;
      if (found === undefined) throw new Differs({ seq, where, field, expected: shown(expected.row), found: 'nothing' });
      const difference = firstDifference(expected, found, field);
      if (difference !== undefined) throw new Differs({ seq, where, ...difference });
      stored.delete(number);
      this.compared += 1;
    }
    for (const { number, seq, row } of stored.values()) {
      if (this.#hasCome(seq)) throw new Differs({ seq, where, field: `row ${number}`, expected: 'nothing', found: shown(row) });
    }
  }
}

function readable(text: string, where: string): ReturnType<typeof parseStoredRow> {
  try {
    return parseStoredRow(text);
  } catch (error) {
    if (error instanceof Error && error.name === 'NewerFormat') throw error;
    throw new Differs({ where, field: 'rows', expected: 'a history row', found: shown(text) });
  }
}
