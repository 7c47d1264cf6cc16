// The history in MongoDB: its rows are appended, and removed when they belong to no account's history any more.
// Writes history into MongoDB so that writing it again changes nothing. An append is guarded by the sequence number
// that its document has reached; rows that are there already are left out, and the rest is tried again.
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Format } from '../../../shared/domain/formats.ts';
import { RetryableError } from '../../../shared/errors.ts';
import { collections, type MongoConnection, refusedUpserts } from '../../../shared/mongo/mongo.ts';
import type { HistoryStart } from '../../core/account/account.ts';
import { fromSnapshot } from '../../core/account/accountCodec.ts';
import { factsOf } from '../../core/history/eventFacts.ts';
import type { Append, AppendedRow, CloidDocument, HistoryBatch, RowsDocument } from '../../core/history/historyDocuments.ts';
import type { AccountEntry } from '../../core/messages/entry.ts';
import { bucketId, HISTORY_KINDS } from '../../core/messages/historyRows.ts';
import type { Head, JournalPages } from './journal.ts';
import { readSnapshots } from './snapshots.ts';

/** The first try, one without what was there already, and a few for another writer of the same rows. */
const APPEND_ATTEMPTS_MAX = 8;

/** Text of rows in one write: the driver turns it into bytes in one piece, which takes about half a millisecond. */
const TEXT_PER_WRITE = 64 * 1024;

/**
 * Writes the batch; safe to repeat, in whole or in part.
 * @param turns.nextTurn resolves when the next piece may be written
 * @param turns.mayWrite throws when a write may not begin any more; absent = it may
 */
export async function writeHistory(
  mongo: MongoConnection,
  { shard, nextTurn, mayWrite }: { shard: number; nextTurn: () => Promise<void>; mayWrite?: () => void },
  batch: HistoryBatch,
): Promise<void> {
  const { db } = mongo;
  const of = { shard, format: batch.format, nextTurn, mayWrite };
  // Bucket rows come first: documents of ended orders and cloids beyond a lost journal are found through them.
  await appendRows(db.collection<RowsDocument>(collections.history), of, batch.history);
  await Promise.all([
    appendRows(db.collection<RowsDocument>(collections.orderEnds), of, batch.orderEnds),
    nameByCloid(db.collection<CloidDocument>(collections.cloids), of, batch.cloids),
  ]);
}

/** The shard that documents belong to, and the generation of what is written into them. */
interface Written {
  readonly shard: number;
  readonly format: Format;
  readonly nextTurn: () => Promise<void>;
  readonly mayWrite: (() => void) | undefined;
}

async function appendRows(collection: Collection<RowsDocument>, of: Written, appends: readonly Append[]): Promise<void> {
  for (const part of inParts(appends)) {
    await of.nextTurn();
    await appendPart(collection, of, part);
  }
}

/** A part ends with the append that reaches the bound: a document has a few hundred rows at most. */
function* inParts(appends: readonly Append[]): Generator<readonly Append[]> {
  let part: Append[] = [];
  let length = 0;
  for (const append of appends) {
    part.push(append);
    for (const { text } of append.rows) length += text.length;
    if (length < TEXT_PER_WRITE) continue;
    yield part;
    [part, length] = [[], 0];
  }
  if (part.length > 0) yield part;
}

async function appendPart(collection: Collection<RowsDocument>, of: Written, appends: readonly Append[]): Promise<void> {
  let left = appends;
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > APPEND_ATTEMPTS_MAX) throw new RetryableError('Another writer keeps changing the same history.');
    of.mayWrite?.();
    const refused = await refusedUpserts(
      collection,
      left.map((append) => toUpsert(append, of)),
    );
    left = await withoutWritten(
      collection,
      refused.map((index) => left[index] as Append),
    );
  }
}

function toUpsert(
  { id, account, commit, rows }: Append,
  { shard, format }: Pick<Written, 'shard' | 'format'>,
): AnyBulkWriteOperation<RowsDocument> {
  const [first, last] = [rows[0] as AppendedRow, rows.at(-1) as AppendedRow];
  return {
    updateOne: {
      filter: { _id: id, lastSeq: { $lt: first.seq } },
      update: {
        $push: { rows: { $each: rows.map(({ text }) => text) } },
        $set: { commit, lastSeq: last.seq, lastTimeMs: last.timeMs },
        $max: { v: format },
        $setOnInsert: { account, shard },
      },
      upsert: true,
    },
  };
}

/** What is left of refused appends once the rows that their documents have are dropped. */
async function withoutWritten(collection: Collection<RowsDocument>, refused: readonly Append[]): Promise<Append[]> {
  if (refused.length === 0) return [];
  const ids = refused.map(({ id }) => id);
  const stored = await collection.find({ _id: { $in: ids } }, { projection: { lastSeq: 1 } }).toArray();
  const lastSeqs = new Map(stored.map(({ _id, lastSeq }) => [_id, lastSeq]));
  return refused
    .map((append) => ({ ...append, rows: append.rows.filter(({ seq }) => seq > (lastSeqs.get(append.id) ?? 0)) }))
    .filter(({ rows }) => rows.length > 0);
}

/** A document that names an order of this entry or of a later one stays. */
async function nameByCloid(
  collection: Collection<CloidDocument>,
  { shard, format, mayWrite }: Omit<Written, 'nextTurn'>,
  cloids: HistoryBatch['cloids'],
): Promise<void> {
  if (cloids.size === 0) return;
  const upserts = [...cloids].map(([id, { oid, seq }]) => ({
    updateOne: {
      filter: { _id: id, seq: { $lt: seq } },
      update: { $set: { oid, seq }, $max: { v: format }, $setOnInsert: { shard } },
      upsert: true,
    },
  }));
  mayWrite?.();
  await refusedUpserts(collection, upserts);
}

// Removes from MongoDB the rows that no longer belong to an account's history, after a reset or for their age. No
// reader sees these rows anyway: readers begin at the account's `historyStart`. So the removal may be late, partial,
// or repeated.

/** Accounts whose former rows are removed in one round. */
const REMOVALS_PER_ROUND = 20;

interface DroppedHistoryParts {
  readonly mongo: MongoConnection;
  readonly isHalted: (accountId: string) => boolean;
  /** @throws {RetryableError} when a write may not begin any more */
  readonly mayWrite: () => void;
}

/** Accounts of a shard whose history begins later, until what lies before is removed. */
export class DroppedHistory {
  readonly #parts: DroppedHistoryParts;
  /** By account: the commit with which it begins later. */
  readonly #since: Map<string, number>;

  constructor(parts: DroppedHistoryParts, since: ReadonlyMap<string, number>) {
    this.#parts = parts;
    this.#since = new Map(since);
  }

  /** @param commit the account's history begins later since then */
  note(accountId: string, commit: number): void {
    this.#since.set(accountId, commit);
  }

  /**
   * The journal's first commit that is needed still. What a halted account has dropped is not waited for: it is removed once the
   * account is lifted.
   */
  get firstNeeded(): number | undefined {
    const since = [...this.#since].filter(([accountId]) => !this.#parts.isHalted(accountId)).map(([, commit]) => commit);
    return since.length === 0 ? undefined : Math.min(...since);
  }

  /**
   * Removes former rows of accounts whose later beginning is in MongoDB too: should Redis lose it now, the account goes on
   * from there, and never from a state that misses its rows.
   * @returns true when some were removed
   */
  async remove(): Promise<boolean> {
    if (this.#since.size === 0) return false;
    const { mongo, isHalted, mayWrite } = this.#parts;
    const wanted = [...this.#since.keys()].filter((accountId) => !isHalted(accountId)).slice(0, REMOVALS_PER_ROUND);
    let hasRemoved = false;
    for (const [accountId, { commit, text }] of await readSnapshots(mongo, wanted)) {
      if (commit < (this.#since.get(accountId) as number)) continue;
      hasRemoved = true;
      mayWrite();
      await removeDroppedHistory(mongo, accountId, fromSnapshot(text).historyStart);
      this.#since.delete(accountId);
    }
    return hasRemoved;
  }
}

/** Deletes whole documents, by ranges of `_id`: also those that an owner of long ago may have left behind. */
export async function removeDroppedHistory(
  mongo: MongoConnection,
  accountId: string,
  { firstRows, seq }: HistoryStart,
): Promise<void> {
  const { db } = mongo;
  const history = db.collection<RowsDocument>(collections.history);
  for (const kind of HISTORY_KINDS) {
    if (firstRows[kind] === 0) continue;
    const dropped = { _id: { $gte: bucketId(accountId, kind, 0), $lt: bucketId(accountId, kind, firstRows[kind]) } };
    await history.deleteMany(dropped);
    if (kind === 'roundTrips') await db.collection<{ _id: string }>(collections.excursions).deleteMany(dropped);
  }
  // `;` comes after `:`: these are all ids that begin with the account's.
  const ofAccount = { $gte: `${accountId}:`, $lt: `${accountId};` };
  await db.collection<RowsDocument>(collections.orderEnds).deleteMany({ _id: ofAccount, lastSeq: { $lt: seq } });
  await db.collection<CloidDocument>(collections.cloids).deleteMany({ _id: ofAccount, seq: { $lt: seq } });
}

/**
 * What a history writer that begins finds in the journal of the part that is in MongoDB already: snapshots of it may still be
 * missing, and rows to be removed. What the journal still has of the commits that are written already, and the head.
 */
export async function readCoveredJournal(
  pages: JournalPages,
  upTo: number,
): Promise<{ commitsOf: Map<string, number[]>; forgotten: Map<string, number>; trimmedTo: number; head: Head }> {
  const commitsOf = new Map<string, number[]>();
  const forgotten = new Map<string, number>();
  let trimmedTo = 0;
  for (let from = 0; ; ) {
    const { commits, head } = await pages.read(from);
    if (from === 0) trimmedTo = (commits[0]?.number ?? upTo) - 1;
    for (const { number, entries } of commits) {
      if (number > upTo) break;
      for (const entry of entries) {
        listOf(commitsOf, entry.accountId).push(number);
        if (dropsHistory(entry)) forgotten.set(entry.accountId, number);
      }
    }
    from = (commits.at(-1)?.number ?? upTo) + 1;
    if (from > upTo) return { commitsOf, forgotten, trimmedTo, head };
  }
}

/** True when rows of before the entry are no part of the account's history any more. */
export const dropsHistory = ({ events }: AccountEntry): boolean => events.some((event) => factsOf(event).past !== 'kept');

function listOf(lists: Map<string, number[]>, key: string): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
