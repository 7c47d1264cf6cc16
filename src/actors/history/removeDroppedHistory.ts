// Removes from MongoDB what is no part of an account's history any more, after a reset or for its age. Nobody sees these rows
// whether they are there or not: readers begin at the account's `historyStart`. So it may be done late, in part, or twice.
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { HistoryStart } from '../domain/account/account.ts';
import type { CloidDocument, RowsDocument } from '../domain/history/historyDocuments.ts';
import { HISTORY_KINDS } from '../domain/messages/command.ts';
import { bucketId } from '../domain/messages/historyRows.ts';

/** Deletes whole documents, by ranges of `_id`: also those that an owner of long ago may have left behind. */
export async function removeForgotten(
  mongo: MongoConnection,
  accountId: string,
  { firstRows, seq }: HistoryStart,
): Promise<void> {
  const { db } = mongo;
  const history = db.collection<RowsDocument>(collections.history);
  for (const kind of HISTORY_KINDS) {
    if (firstRows[kind] === 0) continue;
    await history.deleteMany({ _id: { $gte: bucketId(accountId, kind, 0), $lt: bucketId(accountId, kind, firstRows[kind]) } });
  }
  // `;` comes after `:`: these are all ids that begin with the account's.
  const ofAccount = { $gte: `${accountId}:`, $lt: `${accountId};` };
  await db.collection<RowsDocument>(collections.orderEnds).deleteMany({ _id: ofAccount, lastSeq: { $lt: seq } });
  await db.collection<CloidDocument>(collections.cloids).deleteMany({ _id: ofAccount, seq: { $lt: seq } });
}
