// Compares the history rows that an account's entries give with those that MongoDB has, document by document.
import type { HistoryStart } from '../../actors/core/account/account.ts';
import { parseStoredRow, type RowsDocument, writeStoredRow } from '../../actors/core/history/historyDocuments.ts';
import type { HistoryKind } from '../../actors/core/messages/command.ts';
import { bucketId, type NumberedRow, ROWS_PER_BUCKET } from '../../actors/core/messages/historyRows.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { CameEntries } from './cameEntries.ts';
import { Differs, firstDifference, shown } from './firstDifference.ts';
import type { NamedCommit } from './verifyCommits.ts';
import { readRows, verifyHead } from './verifyRowsDocument.ts';

interface Bucket {
  readonly first: number;
  /** By number of the row. */
  readonly rows: Map<number, { readonly seq: number; readonly row: unknown }>;
}

/** What the verifiers of stored rows are given. */
export interface RowsParts {
  readonly mongo: MongoConnection;
  readonly account: string;
  readonly shard: number;
  /** Rows before it are no part of the history; undefined = all are. */
  readonly start: HistoryStart | undefined;
  /** Without those that do not count or are not there any more. */
  readonly came: CameEntries;
  readonly commits: NamedCommit[];
  /** Newest entry that Redis has: rows of those that are not archived yet are on their way; 0 = none. */
  readonly newest: number;
}

export class RowsVerifier {
  readonly #parts: RowsParts;
  readonly #buckets = new Map<HistoryKind, Bucket>();
  compared = 0;

  constructor(parts: RowsParts) {
    this.#parts = parts;
  }

  /** Rows of one entry; entries come by rising numbers. @throws {Differs} */
  async add(seq: number, rows: readonly NumberedRow[]): Promise<void> {
    for (const { kind, number, row } of rows) {
      if (number < (this.#parts.start?.firstRows[kind] ?? 0)) continue;
      const first = number - (number % ROWS_PER_BUCKET);
      let bucket = this.#buckets.get(kind);
      if (bucket?.first !== first) {
        if (bucket) await this.#compare(kind, bucket);
        bucket = { first, rows: new Map() };
        this.#buckets.set(kind, bucket);
      }
      bucket.rows.set(number, { seq, row });
    }
  }

  /** @throws {Differs} */
  async end(): Promise<void> {
    for (const [kind, bucket] of this.#buckets) await this.#compare(kind, bucket);
    this.#buckets.clear();
  }

  async #compare(kind: HistoryKind, { first, rows }: Bucket): Promise<void> {
    const { mongo, account, came, commits } = this.#parts;
    const _id = bucketId(account, kind, first);
    const where = `history ${_id}`;
    const document = await mongo.db.collection<RowsDocument>(collections.history).findOne({ _id });
    const stored = readRows(document, where);
    const last = [...stored.values()].at(-1);
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
      if (came.has(seq)) throw new Differs({ seq, where, field: `row ${number}`, expected: 'nothing', found: shown(row) });
    }
    if (document === null) return;
    verifyHead(document, { where, last }, this.#parts);
    commits.push({ seq: document.lastSeq, commit: document.commit, where });
  }
}
