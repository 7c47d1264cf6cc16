// Repairs a shard when Redis has lost the end of a journal that MongoDB has already seen. An account whose snapshot
// lies beyond the journal's end continues from that snapshot, history rows beyond both are removed, and numbers
// continue beyond any that were ever given out. Each step may be repeated, so a crash in the middle is harmless. MongoDB has no token by
// which it could refuse what an earlier owner writes late, so the repair begins when that can have begun no more and has come to its
// end (recovery.ts): what lands after it would be taken for the account.
import type { Collection, Filter } from 'mongodb';
import type { ChunkDocument } from '../../../shared/archive/archiveForm.ts';
import type { Format } from '../../../shared/domain/formats.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { Account } from '../../core/account/account.ts';
import { toSnapshot } from '../../core/account/accountCodec.ts';
import {
  type CloidDocument,
  cloidId,
  parseStoredRow,
  type RowsDocument,
  readStoredRow,
  type SnapshotDocument,
} from '../../core/history/historyDocuments.ts';
import { mustStayInMemory } from '../../core/mustStayInMemory.ts';
import { writeStates } from '../journal/archiveStates.ts';
import type { Journal } from '../journal/journal.ts';
import { writeSnapshots } from '../journal/snapshots.ts';
import type { AccountLoader } from './accountLoader.ts';

/** Accounts repaired at a time. */
const ACCOUNTS_PER_STEP = 100;

interface Deps {
  readonly mongo: MongoConnection;
  readonly journal: Journal;
  readonly shard: number;
  readonly loader: AccountLoader;
  /** Newest commit that the journal has ever held, as far as it remembers. */
  readonly end: number;
  /** Commit number after which the shard goes on: beyond any that MongoDB has seen. */
  readonly settledTo: number;
  /** @throws {RetryableError} when a write may not begin any more */
  readonly mayWrite: () => void;
  /** Of the snapshots that it writes. */
  readonly format: Format;
}

/** A document with rows or entries of commits beyond the journal's end, without them. */
type Suspect = Pick<RowsDocument, '_id' | 'account' | 'lastSeq'>;

/** What Redis had lost although MongoDB had it. */
export interface JournalLoss {
  /** Commits that the journal should have and has not, at most. */
  readonly commits: number;
  /** Accounts that these had changed. */
  readonly accounts: number;
  /** History rows that had to go with them. */
  readonly rows: number;
}

export async function repairJournalLoss(deps: Deps): Promise<JournalLoss> {
  const { mongo, journal, shard, loader, end, settledTo, mayWrite } = deps;
  const history = mongo.db.collection<RowsDocument>(collections.history);
  const orderEnds = mongo.db.collection<RowsDocument>(collections.orderEnds);
  const inHistory = await suspectsBeyond(history, shard, end);
  const inOrderEnds = await suspectsBeyond(orderEnds, shard, end);
  const inArchive = await suspectsBeyond(mongo.db.collection<ChunkDocument>(collections.archive), shard, end);
  const known = [inHistory, inOrderEnds, inArchive].flatMap((byAccount) => [...byAccount.keys()]);
  const accountIds = [...new Set([...known, ...(await snapshotsBeyond(mongo, shard, end))])];
  const live: string[] = [];
  let rows = 0;
  for (let i = 0; i < accountIds.length; i += ACCOUNTS_PER_STEP) {
    const accounts = await loader.load(accountIds.slice(i, i + ACCOUNTS_PER_STEP));
    for (const account of accounts.values()) {
      mayWrite();
      const isBeyond = ({ lastSeq }: Suspect): boolean => lastSeq > account.seq;
      const historyBeyond = (inHistory.get(account.id) ?? []).filter(isBeyond);
      const orderEndsBeyond = (inOrderEnds.get(account.id) ?? []).filter(isBeyond);
      for (const { _id } of orderEndsBeyond) await removeOrderEnds(mongo, orderEnds, _id, account);
      for (const { _id } of historyBeyond) rows += (await removeRows(history, _id, account.seq)).length;
      const archiveBeyond = (inArchive.get(account.id) ?? []).filter(isBeyond);
      await settleAccount(deps, account, [...historyBeyond, ...orderEndsBeyond, ...archiveBeyond]);
      if (mustStayInMemory(account)) live.push(account.id);
    }
  }
  await journal.settle(settledTo, live);
  return { commits: settledTo - end, accounts: accountIds.length, rows };
}

/**
 * Makes the current state the one to continue from, with a sequence number that no lost entry had. The archive keeps what it has
 * of lost entries, and says that they do not count.
 */
async function settleAccount(
  { mongo, shard, settledTo, format }: Deps,
  account: Account,
  beyond: readonly Suspect[],
): Promise<void> {
  const seq = Math.max(account.seq, ...beyond.map(({ lastSeq }) => lastSeq));
  const text = toSnapshot({ ...account, seq }, format);
  await writeStates({ mongo, shard, format }, [{ accountId: account.id, seq, text, reason: 'redisLost', after: account.seq }]);
  await writeSnapshots(mongo, { shard, format }, [{ accountId: account.id, seq, commit: settledTo, text }]);
}

async function removeOrderEnds(
  mongo: MongoConnection,
  orderEnds: Collection<RowsDocument>,
  id: string,
  { id: accountId, seq }: Account,
): Promise<void> {
  const cloids = mongo.db.collection<CloidDocument>(collections.cloids);
  for (const text of await removeRows(orderEnds, id, seq)) {
    const { cloid } = readStoredRow(text, 'orders').row.order;
    if (cloid !== undefined) await cloids.deleteOne({ _id: cloidId(accountId, cloid), seq: { $gt: seq } });
  }
}

/**
 * Removes the rows of entries after `seq`, unless another process has written to the document meanwhile. The document stays even
 * when it is empty: by its `lastSeq` a second attempt knows which numbers were used.
 * @returns the removed rows
 */
async function removeRows(collection: Collection<RowsDocument>, id: string, seq: number): Promise<string[]> {
  const found = await collection.findOne({ _id: id });
  if (!found) return [];
  const isBeyond = (text: string): boolean => parseStoredRow(text).seq > seq;
  const removed = found.rows.filter(isBeyond);
  const rows = found.rows.filter((text) => !isBeyond(text));
  const unchanged = { _id: id, commit: found.commit, lastSeq: found.lastSeq };
  await collection.updateOne(unchanged, { $set: { rows, lastTimeMs: lastTimeOf(rows) } });
  return removed;
}

function lastTimeOf(rows: readonly string[]): number {
  const last = rows.at(-1);
  return last === undefined ? 0 : parseStoredRow<{ readonly timeMs: number }>(last).row.timeMs;
}

/**
 * Documents that commits after `commit` have added to, by account. The index is made when it is needed for the first time:
 * until then no append has to keep it.
 */
async function suspectsBeyond<Document extends Suspect & { readonly shard: number; readonly commit: number }>(
  collection: Collection<Document>,
  shard: number,
  commit: number,
): Promise<Map<string, Suspect[]>> {
  await collection.createIndex({ shard: 1, commit: 1 });
  const wanted = { shard, commit: { $gt: commit } } as Filter<Document>;
  const found = await collection.find<Suspect>(wanted, { projection: { account: 1, lastSeq: 1 } }).toArray();
  const byAccount = new Map<string, Suspect[]>();
  for (const suspect of found) {
    const others = byAccount.get(suspect.account);
    if (others) others.push(suspect);
    else byAccount.set(suspect.account, [suspect]);
  }
  return byAccount;
}

async function snapshotsBeyond(mongo: MongoConnection, shard: number, commit: number): Promise<string[]> {
  const snapshots = mongo.db.collection<SnapshotDocument>(collections.accounts);
  await snapshots.createIndex({ shard: 1, commit: 1 });
  const found = await snapshots.find({ shard, commit: { $gt: commit } }, { projection: { commit: 1 } }).toArray();
  return found.map(({ _id }) => _id);
}
