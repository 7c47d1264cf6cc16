// Folds a halted account as an owner of this build would, from what both stores have: an operator sees beforehand what a
// lift brings back and what a drop gives up.
import { type Account, emptyAccount } from '../../actors/core/account/account.ts';
import { fromSnapshot } from '../../actors/core/account/accountCodec.ts';
import { type LastGoodState, lastGoodState } from '../../actors/core/fold/foldAccount.ts';
import type { SnapshotDocument } from '../../actors/core/history/historyDocuments.ts';
import { type AccountEntry, readEntries } from '../../actors/core/messages/entry.ts';
import { readSetAsideEntry } from '../../actors/core/messages/quarantineRecord.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import type { OperatorParts } from '../operatorParts.ts';

/** Commits read from the journal at once. */
const PAGE_COMMITS = 500;

export interface FoldedFromStores {
  /** Newest entry that MongoDB's snapshot has; 0 = no snapshot. */
  readonly snapshotSeq: number;
  /** Undefined when the snapshot itself cannot be read. */
  readonly lastGood: LastGoodState | undefined;
}

export async function foldFromStores(
  { redis, mongo }: Pick<OperatorParts, 'redis' | 'mongo'>,
  { accountId, shard }: { accountId: string; shard: number },
): Promise<FoldedFromStores> {
  const snapshot = await mongo.db.collection<SnapshotDocument>(collections.accounts).findOne({ _id: accountId });
  const setAside = await redis.lrange(shardKeys.entriesSetAside(shard, accountId), 0, -1);
  const entries = setAside.map((text) => readSetAsideEntry(text).entry);
  for (let from = '-'; ; ) {
    const page = await redis.xrange(shardKeys.journal(shard), from, '+', 'COUNT', PAGE_COMMITS);
    for (const [, fields] of page) entries.push(...entriesOf(accountId, fields));
    const last = page.at(-1)?.[0];
    if (page.length < PAGE_COMMITS || last === undefined) break;
    from = `(${last}`;
  }
  const snapshotSeq = snapshot?.seq ?? 0;
  try {
    const base = (): Account => (snapshot ? fromSnapshot(snapshot.text) : emptyAccount(accountId));
    return { snapshotSeq, lastGood: lastGoodState(base, entries) };
  } catch {
    return { snapshotSeq, lastGood: undefined }; // the report says that the snapshot cannot be read
  }
}

/** Most commits are of other accounts, which their text shows. */
function entriesOf(accountId: string, fields: readonly string[]): AccountEntry[] {
  const text = fields[fields.indexOf('e') + 1] ?? '[]';
  return text.includes(accountId) ? readEntries(text).filter((entry) => entry.accountId === accountId) : [];
}
