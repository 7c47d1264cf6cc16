// The documents in MongoDB of an account that has lived through a scenario, written by the history writer's and the archive's own
// code.
import { setImmediate } from 'node:timers/promises';
import type { Account } from '../../src/actors/core/account/account.ts';
import { toSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import { HistoryBatch } from '../../src/actors/core/history/historyDocuments.ts';
import { type AccountEntry, writeEntry } from '../../src/actors/core/messages/entry.ts';
import { type NewState, writeStates } from '../../src/actors/engine/journal/archiveStates.ts';
import { ArchiveBatch, appendChunks } from '../../src/actors/engine/journal/archiveStore.ts';
import { writeHistory } from '../../src/actors/engine/journal/historyStore.ts';
import { writeSnapshots } from '../../src/actors/engine/journal/snapshots.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { collections, type MongoConnection } from '../../src/shared/mongo/mongo.ts';

/** One shard's rows, chunks, states and snapshots; each entry is a commit. */
export class StoredPast {
  readonly #of: { readonly mongo: MongoConnection; readonly shard: number; readonly format: typeof NEWEST_FORMAT };
  commit = 0;

  constructor(mongo: MongoConnection, shard: number) {
    this.#of = { mongo, shard, format: NEWEST_FORMAT };
  }

  /** @param options.archived false = history has them, the archive does not */
  async write(entries: readonly AccountEntry[], { archived = true }: { archived?: boolean } = {}): Promise<void> {
    const { mongo, shard, format } = this.#of;
    const [history, archive] = [new HistoryBatch(format), new ArchiveBatch()];
    for (const entry of entries) {
      this.commit += 1;
      history.addEntry(entry, this.commit);
      archive.add(this.commit, `[${writeEntry(entry, format)}]`);
    }
    const of = { ...this.#of, nextTurn: setImmediate };
    await writeHistory(mongo, of, history);
    if (archived) await appendChunks(of, archive.appends);
    const positions = mongo.db.collection<{ _id: number }>(collections.shards);
    await positions.updateOne({ _id: shard }, { $set: { ahead: { commit: this.commit } } }, { upsert: true });
  }

  async snapshot(account: Account): Promise<void> {
    const { id: accountId, seq } = account;
    const text = toSnapshot(account, NEWEST_FORMAT);
    await writeSnapshots(this.#of.mongo, this.#of, [{ accountId, seq, commit: this.commit, text }]);
  }

  async state(account: Account, state: Pick<NewState, 'reason' | 'after'> = { reason: 'distance' }): Promise<void> {
    const { id: accountId, seq } = account;
    await writeStates(this.#of, [{ accountId, seq, text: toSnapshot(account, NEWEST_FORMAT), ...state }]);
  }
}
