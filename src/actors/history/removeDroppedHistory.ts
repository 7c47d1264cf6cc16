// Removes from MongoDB the rows that no longer belong to an account's history, after a reset or for their age. No
// reader sees these rows anyway: readers begin at the account's `historyStart`. So the removal may be late, partial,
// or repeated.
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { HistoryStart } from '../domain/account/account.ts';
import type { CloidDocument, RowsDocument } from '../domain/history/historyDocuments.ts';
import { HISTORY_KINDS } from '../domain/messages/command.ts';
import { bucketId } from '../domain/messages/historyRows.ts';

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
    await history.deleteMany({ _id: { $gte: bucketId(accountId, kind, 0), $lt: bucketId(accountId, kind, firstRows[kind]) } });
  }
  // `;` comes after `:`: these are all ids that begin with the account's.
  const ofAccount = { $gte: `${accountId}:`, $lt: `${accountId};` };
  await db.collection<RowsDocument>(collections.orderEnds).deleteMany({ _id: ofAccount, lastSeq: { $lt: seq } });
  await db.collection<CloidDocument>(collections.cloids).deleteMany({ _id: ofAccount, seq: { $lt: seq } });
}
