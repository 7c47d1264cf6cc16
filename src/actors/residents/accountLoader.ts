// Folds accounts: the stored snapshot and the journal's entries after it. No other code makes an account's state.
import { NewerFormat } from '../../shared/domain/formats.ts';
import type { Logger } from '../../shared/logger.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { type Account, emptyAccount } from '../domain/account/account.ts';
import { fromSnapshot } from '../domain/account/snapshot.ts';
import { applyEntry } from '../domain/fold/evolve.ts';
import type { AccountEntry } from '../domain/messages/entry.ts';
import { readSnapshots, type StoredSnapshot } from './snapshots.ts';

/** An account's entry that the journal still has. */
export interface JournaledEntry {
  readonly commit: number;
  readonly entry: AccountEntry;
}

interface AccountLoaderParts {
  readonly mongo: MongoConnection;
  readonly shard: number;
  readonly log: Logger;
  readonly tails: ReadonlyMap<string, readonly JournaledEntry[]>;
}

export class AccountLoader {
  /** Accounts that could not be folded, with the reason: our own bug, and it concerns them alone. */
  readonly broken = new Map<string, string>();
  readonly #parts: AccountLoaderParts;

  constructor(parts: AccountLoaderParts) {
    this.#parts = parts;
  }

  /**
   * The accounts that can be folded; one never seen is empty.
   * @throws MongoError when MongoDB does not answer
   * @throws {NewerFormat} when a newer build has to read one of them: nothing is wrong with that account
   */
  async load(accountIds: readonly string[]): Promise<Map<string, Account>> {
    const snapshots = await readSnapshots(this.#parts.mongo, accountIds);
    const accounts = new Map<string, Account>();
    for (const accountId of accountIds) {
      const account = this.#fold(accountId, snapshots.get(accountId));
      if (account) accounts.set(accountId, account);
    }
    return accounts;
  }

  #fold(accountId: string, snapshot: StoredSnapshot | undefined): Account | undefined {
    const { log, shard, tails } = this.#parts;
    try {
      let account = snapshot ? fromSnapshot(snapshot.text) : emptyAccount(accountId);
      const covered = account.seq;
      for (const { entry } of tails.get(accountId) ?? []) {
        if (entry.seq > covered) account = applyEntry(account, entry);
      }
      this.broken.delete(accountId);
      return account;
    } catch (error) {
      if (error instanceof NewerFormat) throw error;
      log.error({ shard, account: accountId, err: error }, 'an account cannot be brought back');
      this.broken.set(accountId, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }
}
