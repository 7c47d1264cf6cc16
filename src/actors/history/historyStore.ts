// Writes history into MongoDB so that writing it again changes nothing. An append is guarded by the sequence number
// that its document has reached; rows that are there already are left out, and the rest is tried again.
import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb';
import type { Format } from '../../shared/domain/formats.ts';
import { RetryableError } from '../../shared/errors.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Append, AppendedRow, HistoryBatch } from '../domain/history/historyBatch.ts';
import type { CloidDocument, RowsDocument } from '../domain/history/historyDocuments.ts';

const DUPLICATE_KEY = 11000;
/** The first try, one without what was there already, and a few for another writer of the same rows. */
const APPEND_ATTEMPTS_MAX = 8;

/** Writes the batch; safe to repeat, in whole or in part. */
export async function writeHistory(mongo: MongoConnection, shard: number, batch: HistoryBatch): Promise<void> {
  const { db } = mongo;
  const of = { shard, format: batch.format };
  // Bucket rows come first: documents of ended orders and cloids beyond a lost journal are found through them.
  await appendRows(db.collection<RowsDocument>(collections.history), of, batch.history);
  await Promise.all([
    appendRows(db.collection<RowsDocument>(collections.orderEnds), of, batch.orderEnds),
    raiseCloids(db.collection<CloidDocument>(collections.cloids), of, batch.cloids),
  ]);
}

/** The shard that documents belong to, and the generation of what is written into them. */
interface Written {
  readonly shard: number;
  readonly format: Format;
}

async function appendRows(collection: Collection<RowsDocument>, of: Written, appends: readonly Append[]): Promise<void> {
  let left = appends;
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > APPEND_ATTEMPTS_MAX) throw new RetryableError('Another writer keeps changing the same history.');
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

function toUpsert({ id, account, commit, rows }: Append, { shard, format }: Written): AnyBulkWriteOperation<RowsDocument> {
  const [first, last] = [rows[0] as AppendedRow, rows.at(-1) as AppendedRow];
  return {
    updateOne: {
      filter: { _id: id, lastSeq: { $lt: first.seq } },
      update: {
        $push: { rows: { $each: rows.map(({ text }) => text) } },
        $set: { commit, lastSeq: last.seq, lastTimeMs: last.timeMs },
        $max: { schema: format },
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

async function raiseCloids(
  collection: Collection<CloidDocument>,
  { shard, format }: Written,
  cloids: HistoryBatch['cloids'],
): Promise<void> {
  if (cloids.size === 0) return;
  const upserts = [...cloids].map(([id, { oid, seq }]) => ({
    updateOne: {
      filter: { _id: id },
      update: { $max: { oid, seq, schema: format }, $setOnInsert: { shard } },
      upsert: true,
    },
  }));
  await collection.bulkWrite(upserts, { ordered: false });
}

/**
 * Runs guarded upserts; one whose guard does not hold tries to insert and is refused for its `_id`.
 * @returns indexes of the refused ones
 */
export async function refusedUpserts<Document extends { readonly _id: string }>(
  collection: Collection<Document>,
  upserts: AnyBulkWriteOperation<Document>[],
): Promise<number[]> {
  try {
    await collection.bulkWrite(upserts, { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const writeErrors = [error.writeErrors].flat();
    if (writeErrors.length === 0 || writeErrors.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    return writeErrors.map(({ index }) => index);
  }
}
