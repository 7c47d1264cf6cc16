// Writes history into MongoDB so that writing it again changes nothing. An append is guarded by the sequence number
// that its document has reached; rows that are there already are left out, and the rest is tried again.
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Format } from '../../../shared/domain/formats.ts';
import { RetryableError } from '../../../shared/errors.ts';
import { collections, type MongoConnection, refusedUpserts } from '../../../shared/mongo/mongo.ts';
import type { Append, AppendedRow, CloidDocument, HistoryBatch, RowsDocument } from '../../core/history/historyDocuments.ts';

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
