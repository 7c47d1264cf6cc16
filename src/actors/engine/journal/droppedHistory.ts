// Removes from MongoDB the rows that no longer belong to an account's history, after a reset or for their age. No
// reader sees these rows anyway: readers begin at the account's `historyStart`. So the removal may be late, partial,
// or repeated.
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { HistoryStart } from '../../core/account/account.ts';
import { fromSnapshot } from '../../core/account/accountCodec.ts';
import { factsOf } from '../../core/history/eventFacts.ts';
import type { CloidDocument, RowsDocument } from '../../core/history/historyDocuments.ts';
import { HISTORY_KINDS } from '../../core/messages/command.ts';
import type { AccountEntry } from '../../core/messages/entry.ts';
import { bucketId } from '../../core/messages/historyRows.ts';
import type { Head, JournalPages } from './journal.ts';
import { readSnapshots } from './snapshots.ts';

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
