// Entries of halted accounts beside the journal. MongoDB gets no snapshot of an account whose state cannot be trusted, so its entries
// would keep the whole journal of the shard from being cut. A round of the history writer (historySession.ts) copies them to a list of
// the account's own first. The state of the account is then its snapshot, this list, and the entries that the journal has after it. The
// list goes when MongoDB has had a snapshot beyond it for as long as an entry stays in the journal.
import type { FormatSource } from '../../../shared/domain/formats.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { fromSnapshot } from '../../core/account/accountCodec.ts';
import type { AccountEntry } from '../../core/messages/entry.ts';
import { readSetAsideLine, type SetAside } from '../../core/messages/quarantineRecord.ts';
import { removeDroppedHistory } from './historyStore.ts';
import { type Journal, JournalPages } from './journal.ts';
import { readSnapshots, type SnapshotSchedule, type StoredSnapshot, writeSnapshots } from './snapshots.ts';

/** Accounts that are looked at for a removal in one round. */
const LOOKED_AT_MAX = 20;
/** Entries in one script call: Redis serves no other call meanwhile. */
const ENTRIES_PER_CALL = 200;

interface SetAsideWriterParts {
  readonly journal: Journal;
  readonly mongo: MongoConnection;
  readonly formats: FormatSource;
  readonly shard: number;
  readonly realNow: () => number;
  readonly lagMs: number;
  /** True for an account that gives no snapshot: it is in quarantine, or could not be loaded. */
  readonly isHalted: (accountId: string) => boolean;
  readonly keep: (snapshots: readonly StoredSnapshot[]) => Promise<void>;
  readonly snapshotOf: (accountId: string) => Omit<StoredSnapshot, 'accountId'> | undefined;
  /** Asks MongoDB whether it still has what was written. @throws when it has not */
  readonly confirm: () => Promise<void>;
}

interface SetAsideEntries extends SetAside {
  /** Since when MongoDB has had a snapshot beyond it. */
  readonly coveredAtMs?: number | undefined;
}

export class SetAsideWriter {
  readonly #parts: SetAsideWriterParts;
  readonly #kept: Map<string, SetAsideEntries>;

  /** @param kept what was set aside before */
  constructor(parts: SetAsideWriterParts, kept: ReadonlyMap<string, SetAside>) {
    this.#parts = parts;
    this.#kept = new Map(kept);
  }

  /**
   * Copies what the journal has of halted accounts up to a commit, so that no snapshot of theirs is waited for.
   * @param schedule learns which accounts no snapshot is needed of
   */
  async setAside(schedule: SnapshotSchedule, writtenTo: number): Promise<void> {
    const { journal, isHalted, formats } = this.#parts;
    const firsts = new Map([...schedule.firstOf(isHalted)].filter(([, first]) => first <= writtenTo));
    if (firsts.size === 0) return;
    const entries = await this.#readEntries(firsts, writtenTo);
    for (const [accountId, found] of entries) {
      for (let i = 0; i < found.length; i += ENTRIES_PER_CALL) {
        await journal.setAside(accountId, found.slice(i, i + ENTRIES_PER_CALL), formats.current);
      }
      const { entry, commit } = found.at(-1) as { entry: AccountEntry; commit: number };
      this.#kept.set(accountId, { lastSeq: entry.seq, lastCommit: commit, bytes: 0 });
    }
    for (const accountId of firsts.keys()) schedule.onSetAside(accountId, writtenTo);
  }

  /**
   * Has MongoDB take the states of accounts that are halted no more, and removes what was set aside of those that it has had
   * for long enough.
   * @returns true when snapshots were written
   */
  async clear(writtenTo: number): Promise<boolean> {
    const { mongo, formats, shard, isHalted, snapshotOf, keep } = this.#parts;
    const lifted = [...this.#kept].filter(([accountId]) => !isHalted(accountId)).slice(0, LOOKED_AT_MAX);
    if (lifted.length === 0) return false;
    const stored = await readSnapshots(
      mongo,
      lifted.map(([accountId]) => accountId),
    );
    const behind = [];
    for (const [accountId, kept] of lifted) {
      const covering = stored.get(accountId);
      if (covering && covering.seq >= kept.lastSeq) await this.#onCovered(covering, kept);
      else {
        this.#kept.set(accountId, { ...kept, coveredAtMs: undefined });
        const snapshot = snapshotOf(accountId);
        if (snapshot === undefined || snapshot.commit > writtenTo) continue;
        behind.push({ accountId, ...snapshot, commit: Math.max(snapshot.commit, kept.lastCommit) });
      }
    }
    await keep(behind);
    await writeSnapshots(mongo, { shard, format: formats.current }, behind);
    return behind.length > 0;
  }

  async #onCovered({ accountId, text }: StoredSnapshot, kept: SetAsideEntries): Promise<void> {
    const { realNow, lagMs, confirm, journal, mongo } = this.#parts;
    const { coveredAtMs = realNow(), lastSeq } = kept;
    this.#kept.set(accountId, { ...kept, coveredAtMs });
    if (realNow() - coveredAtMs < lagMs) return;
    await confirm();
    // An entry set aside may have made the history begin later, and the journal that said so may be cut.
    await removeDroppedHistory(mongo, accountId, fromSnapshot(text).historyStart);
    await journal.clearSetAside(accountId, lastSeq);
    this.#kept.delete(accountId);
  }

  async #readEntries(
    firsts: ReadonlyMap<string, number>,
    writtenTo: number,
  ): Promise<Map<string, { entry: AccountEntry; commit: number }[]>> {
    const found = new Map<string, { entry: AccountEntry; commit: number }[]>();
    const pages = new JournalPages(this.#parts.journal);
    for (let from = Math.min(...firsts.values()); from <= writtenTo; ) {
      const { commits } = await pages.read(from);
      for (const { number: commit, entries } of commits) {
        if (commit > writtenTo) break;
        for (const entry of entries) {
          const first = firsts.get(entry.accountId);
          if (first === undefined || commit < first) continue;
          const ofAccount = found.get(entry.accountId);
          if (ofAccount) ofAccount.push({ entry, commit });
          else found.set(entry.accountId, [{ entry, commit }]);
        }
      }
      from = (commits.at(-1)?.number ?? writtenTo) + 1;
    }
    return found;
  }
}

/** Every account of the shard with entries set aside. */
export async function readSetAsideIndex(redis: Redis, shard: number): Promise<Map<string, SetAside>> {
  const index = await redis.hgetall(shardKeys.setAside(shard));
  return new Map(Object.entries(index).map(([accountId, text]) => [accountId, readSetAsideLine(text)]));
}

/** Entries set aside of those of the accounts that have some, oldest first, unread: one that cannot be read concerns its account alone. */
export async function readSetAside(
  redis: Redis,
  shard: number,
  accountIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  if (accountIds.length === 0) return found;
  const index = await redis.hmget(shardKeys.setAside(shard), ...accountIds);
  for (const [i, accountId] of accountIds.entries()) {
    if (index[i] === null || index[i] === undefined) continue;
    found.set(accountId, await redis.lrange(shardKeys.entriesSetAside(shard, accountId), 0, -1));
  }
  return found;
}
