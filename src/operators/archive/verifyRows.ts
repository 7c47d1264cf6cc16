// Compares the history rows that an account's entries give with those that MongoDB has, document by document.
import type { HistoryStart } from '../../actors/core/account/account.ts';
import { parseStoredRow, type RowsDocument, writeStoredRow } from '../../actors/core/history/historyDocuments.ts';
import { bucketId, type HistoryKind, type NumberedRow, ROWS_PER_BUCKET } from '../../actors/core/messages/historyRows.ts';
import { breakOver } from '../../actors/core/rebuildAccount.ts';
import type { StateHead } from '../../shared/archive/archiveReader.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { Differs, firstDifference, shown } from './firstDifference.ts';
import type { NamedCommit } from './verifyChunks.ts';

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
      compareRow({ number, seq, row }, stored.get(number), where);
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

type SequencedRow = Parameters<typeof writeStoredRow>[0];
export type ReadRow = ReturnType<typeof parseStoredRow<{ readonly timeMs: number }>>;

/** Compares a stored row with the row that an entry gives. @throws {Differs} */
export function compareRow(given: SequencedRow, found: ReadRow | undefined, where: string): void {
  const expected = parseStoredRow(writeStoredRow(given, NEWEST_FORMAT));
  const [seq, field] = [given.seq, `row ${given.number}`];
  if (found === undefined) throw new Differs({ seq, where, field, expected: shown(expected.row), found: 'nothing' });
  const difference = firstDifference(expected, found, field);
  if (difference !== undefined) throw new Differs({ seq, where, ...difference });
}

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

/** A document of rows compared with itself: what it says of its rows is what they say. @param last of its rows @throws {Differs} */
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

/** Which entries of an account a verification has folded: what is stored of any other may be there or not. */
export class CameEntries {
  readonly #states: readonly StateHead[];
  /** Numbers between entries that came. */
  readonly #gaps: { readonly from: number; readonly to: number }[] = [];
  #first: number | undefined;
  #last = 0;

  /** @param states of the archive, with every break in the account's life */
  constructor(states: readonly StateHead[]) {
    this.#states = states;
  }

  /** Numbers rise. */
  add(seq: number): void {
    this.#first ??= seq;
    if (this.#last > 0 && seq > this.#last + 1) this.#gaps.push({ from: this.#last + 1, to: seq - 1 });
    this.#last = seq;
  }

  has(seq: number): boolean {
    if (seq < (this.#first ?? Number.POSITIVE_INFINITY) || seq > this.#last) return false;
    return !this.#gaps.some(({ from, to }) => seq >= from && seq <= to);
  }

  /** True for a number that a break in the account's life has used: what was written under it may be gone. */
  isWithoutEffect(seq: number): boolean {
    return breakOver(this.#states, seq) !== undefined || this.#states.some((state) => state.seq === seq && state.after < seq);
  }

  /** True when Redis lost something after this entry: what went with that may have been the newest of its kind. */
  isBeforeLoss(seq: number): boolean {
    return this.#states.some(({ reason, after }) => reason === 'redisLost' && after >= seq);
  }
}
