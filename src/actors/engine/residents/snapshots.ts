// Snapshots of accounts in MongoDB: one document per account, replaced only by a later one. Entries that a snapshot
// covers need no replay, so the journal can be cut.

import { type Format, readableFormat } from '../../../shared/domain/formats.ts';
import { collections, durable, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { refusedUpserts } from '../../../shared/mongo/refusedUpserts.ts';
import type { SnapshotBreak, SnapshotDocument } from '../../core/history/historyDocuments.ts';

/** Account ids in one query: some megabytes of snapshots in one answer. */
const IDS_PER_QUERY = 250;

export interface StoredSnapshot {
  readonly accountId: string;
  readonly seq: number;
  /** Commit up to which the account's entries are in. */
  readonly commit: number;
  readonly text: string;
  /** It is what an operator made of the account. */
  readonly break?: SnapshotBreak;
}

/** Snapshots of those of the accounts that have one. @throws {NewerFormat} when a newer build has written one */
export async function readSnapshots(mongo: MongoConnection, accountIds: readonly string[]): Promise<Map<string, StoredSnapshot>> {
  const found = new Map<string, StoredSnapshot>();
  for (const ids of slicesOf(accountIds)) {
    const documents = await snapshotsOf(mongo)
      .find({ _id: { $in: ids } })
      .toArray();
    for (const { _id: accountId, v, seq, commit, text, break: noted } of documents) {
      readableFormat('snapshot document', v);
      // A later snapshot leaves the field of an earlier one where it is.
      const isOfIt = noted?.seq === seq;
      found.set(accountId, { accountId, seq, commit, text, ...(isOfIt && { break: noted }) });
    }
  }
  return found;
}

/** Commit up to which MongoDB has each account's state; accounts without a snapshot are absent. */
export async function readSnapshotCommits(mongo: MongoConnection, accountIds: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const ids of slicesOf(accountIds)) {
    const documents = await snapshotsOf(mongo)
      .find({ _id: { $in: ids } }, { projection: { commit: 1 } })
      .toArray();
    for (const { _id: accountId, commit } of documents) found.set(accountId, commit);
  }
  return found;
}

/**
 * Writes the snapshots; where a later one is stored already, that one stays.
 * @param options.isDurable resolves only when a crash of MongoDB can lose them no more: for a state that no journal gives again
 */
export async function writeSnapshots(
  mongo: MongoConnection,
  { shard, format, isDurable = false }: { readonly shard: number; readonly format: Format; readonly isDurable?: boolean },
  snapshots: readonly StoredSnapshot[],
): Promise<void> {
  if (snapshots.length === 0) return;
  await refusedUpserts(
    isDurable ? mongo.db.collection<SnapshotDocument>(collections.accounts, durable) : snapshotsOf(mongo),
    snapshots.map(({ accountId, seq, commit, text, break: noted }) => ({
      updateOne: {
        filter: { _id: accountId, seq: { $lt: seq } },
        update: { $set: { v: format, shard, seq, commit, text, ...(noted && { break: { ...noted, seq } }) } },
        upsert: true,
      },
    })),
  );
}

const snapshotsOf = (mongo: MongoConnection) => mongo.db.collection<SnapshotDocument>(collections.accounts);

function slicesOf(ids: readonly string[]): string[][] {
  const slices: string[][] = [];
  for (let i = 0; i < ids.length; i += IDS_PER_QUERY) slices.push(ids.slice(i, i + IDS_PER_QUERY));
  return slices;
}
