// Folds accounts: the snapshot that MongoDB has or Redis keeps, entries that were set aside, and the journal's entries after
// them. No other code makes an account's state.
import { MongoError } from 'mongodb';
import { type Format, NewerFormat } from '../../../shared/domain/formats.ts';
import { LeaseLost } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { type Account, emptyAccount } from '../../core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../core/account/accountCodec.ts';
import { stateWithout } from '../../core/fold/foldAccount.ts';
import type { SnapshotBreak } from '../../core/history/historyDocuments.ts';
import type { AccountEntry, JournaledEntry } from '../../core/messages/entry.ts';
import { readSetAsideEntry } from '../../core/messages/quarantineRecord.ts';
import type { Rules } from '../../core/rules.ts';
import { rebuildFromArchive, writeStates } from '../journal/archiveStates.ts';
import { readSetAside } from '../journal/setAside.ts';
import { readSnapshots, type StoredSnapshot, writeSnapshots } from '../journal/snapshots.ts';
import { type RedisSnapshots, readRedisSnapshot } from './redisSnapshots.ts';

interface AccountLoaderParts {
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly kept: RedisSnapshots;
  readonly rules: Pick<Rules, 'foldAccount' | 'lastGoodState' | 'rebuildAccount'>;
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
    const { redis, shard } = this.#parts;
    const [snapshots, setAside] = await Promise.all([this.#stored(accountIds), readSetAside(redis, shard, accountIds)]);
    const accounts = new Map<string, Account>();
    for (const accountId of accountIds) {
      try {
        accounts.set(accountId, this.#fold(accountId, snapshots.get(accountId)?.text, setAside.get(accountId) ?? []));
        this.broken.delete(accountId);
      } catch (error) {
        if (error instanceof NewerFormat) throw error;
        this.#noteBroken(accountId, error);
      }
    }
    return accounts;
  }

  /**
   * Those of the accounts whose state Redis alone has: a kept snapshot and all entries after it, one following the other.
   * @throws {NewerFormat} when a newer build has to read one of them
   */
  async loadFromRedis(accountIds: readonly string[]): Promise<Map<string, Account>> {
    const { kept, redis, shard, log } = this.#parts;
    const found = await kept.read(accountIds);
    const setAside = await readSetAside(redis, shard, [...found.keys()]);
    const accounts = new Map<string, Account>();
    for (const [accountId, value] of found) {
      try {
        accounts.set(accountId, this.#fold(accountId, await readRedisSnapshot(value), setAside.get(accountId) ?? []));
      } catch (error) {
        if (error instanceof NewerFormat) throw error;
        log.warn(
          { shard, account: accountId, err: error },
          'the kept snapshot of an account is of no use, it comes from MongoDB',
        );
      }
    }
    return accounts;
  }

  /**
   * The account with what of it can be folded. Entries that cannot are given up for good: MongoDB has the state without them when
   * this resolves.
   * @returns undefined, with the reason in `broken`, when its snapshot cannot be read
   * @throws as `load`
   */
  async giveUp(accountId: string, { commit, format }: { commit: number; format: Format }): Promise<Account | undefined> {
    const { kept, shard, log } = this.#parts;
    const snapshot = (await this.#stored([accountId])).get(accountId);
    const entries = (await this.#journaled(accountId))?.map(({ entry }) => entry);
    if (entries === undefined) return undefined;
    // From here on only MongoDB says where the account goes on. And only the owner may say so: Redis refuses any other.
    await kept.remove(accountId);
    try {
      const good = this.#parts.rules.lastGoodState(
        () => (snapshot ? fromSnapshot(snapshot.text) : emptyAccount(accountId)),
        entries,
      );
      const account = stateWithout(good);
      if (good.givenUp.length > 0) {
        log.error({ shard, account: accountId, entries: good.givenUp.length, from: good.givenUp[0]?.seq }, 'entries given up');
        await this.#goOnFrom(account, commit, { reason: 'entriesGivenUp', after: good.account.seq, format });
      }
      this.broken.delete(accountId);
      return account;
    } catch (error) {
      if (error instanceof NewerFormat || error instanceof MongoError) throw error;
      this.#noteBroken(accountId, error);
      return undefined;
    }
  }

  /**
   * The account as of an entry (undefined = its newest), from the archive. Later entries are given up for good: MongoDB has the
   * state without them when this resolves.
   * @returns undefined, with the reason in `broken`, when the archive cannot give it
   * @throws as `load`
   */
  async rebuild(
    accountId: string,
    of: { asOf: number | undefined; commit: number; format: Format },
  ): Promise<Account | undefined> {
    const { mongo, kept, rules, shard, log } = this.#parts;
    const journaled = await this.#journaled(accountId);
    if (journaled === undefined) return undefined;
    const stored = (await this.#stored([accountId])).get(accountId);
    try {
      const { account, asOf } = await rebuildFromArchive({ mongo, rules }, accountId, { asOf: of.asOf, journaled, stored });
      // From here on only MongoDB says where the account goes on. And only the owner may say so: Redis refuses any other.
      await kept.remove(accountId);
      log.error({ shard, account: accountId, asOf, seq: account.seq }, 'an account is rebuilt from the archive');
      await this.#goOnFrom(account, of.commit, { reason: 'rebuilt', after: asOf, format: of.format });
      this.broken.delete(accountId);
      return account;
    } catch (error) {
      if (error instanceof NewerFormat || error instanceof MongoError || error instanceof LeaseLost) throw error;
      this.#noteBroken(accountId, error);
      return undefined;
    }
  }

  /**
   * Snapshots that MongoDB has. Where an owner died before the archive said that the account goes on from one, it says so now: before
   * any other entry comes.
   */
  async #stored(accountIds: readonly string[]): Promise<Map<string, StoredSnapshot>> {
    const found = await readSnapshots(this.#parts.mongo, accountIds);
    for (const snapshot of found.values()) if (snapshot.break !== undefined) await this.#noteBreak(snapshot, snapshot.break);
    return found;
  }

  /** The snapshot is the one write by which an operator's wish is done. */
  async #goOnFrom(account: Account, commit: number, to: SnapshotBreak): Promise<void> {
    const { mongo, shard } = this.#parts;
    const snapshot = { accountId: account.id, seq: account.seq, commit, text: toSnapshot(account, to.format), break: to };
    await writeSnapshots(mongo, { shard, format: to.format, isDurable: true }, [snapshot]);
    await this.#noteBreak(snapshot, to);
  }

  async #noteBreak({ accountId, seq, text }: StoredSnapshot, { reason, after, format }: SnapshotBreak): Promise<void> {
    const { mongo, shard } = this.#parts;
    await writeStates({ mongo, shard, format }, [{ accountId, seq, text, reason, after }], { isDurable: true });
  }

  /** All that Redis has of the account. @returns undefined, with the reason in `broken`, when some of it cannot be read */
  async #journaled(accountId: string): Promise<JournaledEntry[] | undefined> {
    const { redis, shard, tails } = this.#parts;
    const setAside = (await readSetAside(redis, shard, [accountId])).get(accountId) ?? [];
    try {
      return [...setAside.map(readSetAsideEntry), ...(tails.get(accountId) ?? [])];
    } catch (error) {
      if (error instanceof NewerFormat) throw error;
      this.#noteBroken(accountId, error);
      return undefined;
    }
  }

  /** The snapshot covers some entries, and what was set aside may be in the journal still. */
  #fold(accountId: string, snapshot: string | undefined, setAside: readonly string[]): Account {
    const journaled = [...setAside.map(readSetAsideEntry), ...(this.#parts.tails.get(accountId) ?? [])];
    return this.#parts.rules.foldAccount(accountId, snapshot, entriesOf(journaled));
  }

  #noteBroken(accountId: string, error: unknown): void {
    const { log, shard } = this.#parts;
    log.error({ shard, account: accountId, err: error }, 'an account cannot be brought back');
    this.broken.set(accountId, error instanceof Error ? error.message : String(error));
  }
}

/** Each is read from its text when its turn comes. */
function* entriesOf(journaled: readonly JournaledEntry[]): Generator<AccountEntry> {
  for (const { entry } of journaled) yield entry;
}
