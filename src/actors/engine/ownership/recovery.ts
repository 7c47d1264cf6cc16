// Brings a shard's accounts back. The first start and the one after a crash are the same: an account is its snapshot
// and the journal's entries after it, folded; nothing is decided again.
import { type FormatSource, NEWEST_FORMAT } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { Account } from '../../core/account/account.ts';
import { type AccountEntry, type JournaledEntry, readEntry, writeEntry } from '../../core/messages/entry.ts';
import type { Wish } from '../../core/messages/quarantineRecord.ts';
import type { Rules } from '../../core/rules.ts';
import { type Head, Journal, JournalPages } from '../journal/journal.ts';
import { JournalPosition, laterTick, NOWHERE } from '../journal/journalPosition.ts';
import { readSetAsideIndex } from '../journal/setAside.ts';
import { AccountLoader } from './accountLoader.ts';
import { type JournalLoss, repairJournalLoss } from './journalLoss.ts';
import type { LeaseTerm } from './lease.ts';
import { RedisSnapshots } from './redisSnapshots.ts';

export interface RecoveredShard {
  /** Numbers go on after these. */
  readonly commitNumber: number;
  readonly idCounter: number;
  /** Trades after this tick position have not been seen. */
  readonly tick: string;
  /** Accounts that must be in memory: the live set, and those with entries in the journal or set aside. */
  readonly liveAccounts: ReadonlySet<string>;
  /** Accounts that `load` could not bring back, with the reason. They are to be quarantined; the shard lives. */
  readonly broken: ReadonlyMap<string, string>;
  readonly lost: JournalLoss | undefined;
  /** Those of the accounts whose state Redis alone has. */
  loadFromRedis(accountIds: readonly string[]): Promise<Map<string, Account>>;
  /**
   * Snapshot and tail of each account, folded; one never seen is `emptyAccount`. A broken account is left out.
   * @throws when MongoDB does not answer
   */
  load(accountIds: readonly string[]): Promise<Map<string, Account>>;
  /**
   * Reads a halted account anew, with what the journal has of it by now. It must have no entry on its way.
   * @param wish what an operator wants of it; `lift` = all of it
   * @returns undefined when it cannot be brought back; `broken` says why
   */
  reload(accountId: string, wish: Wish): Promise<Account | undefined>;
  /** Journal entries of the account that were in the journal at the take and were not dropped since, oldest first. */
  tailOf(accountId: string): readonly JournaledEntry[];
  /** Bytes of the journal as it was found, by the last commit of each part of it. */
  readonly journalBytes: readonly (readonly [upTo: number, bytes: number])[];
  /** Drops the tail up to a commit that has been trimmed. */
  forget(commitNumber: number): void;
}

/**
 * Reads what the shard's new owner needs; called after the take, before the first commit. Where Redis alone proves the shard
 * MongoDB is not asked: it knows nothing of the shard that Redis has not got.
 * @throws {LeaseLost} when the shard has another owner by now
 * @throws {NewerFormat} when a newer build has written to it
 */
export async function recoverShard(deps: {
  redis: Redis;
  mongo: MongoConnection;
  formats: FormatSource;
  rules: Rules;
  shard: number;
  log: Logger;
  token: string;
  term: LeaseTerm;
  /** Resolves when no write of an earlier owner can be on its way into MongoDB any more. */
  formerWritesEnd: () => Promise<void>;
  /** Redis alone proves the shard. */
  isProven: boolean;
}): Promise<RecoveredShard> {
  const { redis, mongo, formats, rules, shard, log, token, term, formerWritesEnd, isProven } = deps;
  const journal = new Journal({ redis, shard, token });
  // Claimed at once: from here on MongoDB knows the epoch, even if Redis loses it.
  const position = isProven ? undefined : await JournalPosition.claim({ mongo, formats, shard, token });
  const furthest = position?.furthest ?? NOWHERE;
  const { tails, head, end, bytes } = await readTails(journal);
  const kept = new RedisSnapshots({ redis, shard, token });
  const loader = new AccountLoader({ redis, mongo, kept, rules, shard, log, tails });
  const commitNumber = Math.max(head.commit, end, position?.highestNamed ?? 0);
  let lost: JournalLoss | undefined;
  if (end < furthest.commit) {
    log.warn(
      { shard, journalEnd: end, mongoHas: furthest.commit },
      'Redis has lost data; what an earlier owner writes is waited for',
    );
    await formerWritesEnd();
    lost = await repairJournalLoss({
      ...{ mongo, journal, shard, loader, end, mayWrite: term.requireRunning },
      ...{ settledTo: commitNumber, format: formats.current },
    });
    log.error(
      { shard, journalEnd: end, mongoHas: furthest.commit, ...lost },
      'Redis has lost data; the shard goes on without it',
    );
  }
  const [live, setAside] = await Promise.all([redis.smembers(shardKeys.live(shard)), readSetAsideIndex(redis, shard)]);
  return {
    commitNumber,
    idCounter: Math.max(head.idCounter, furthest.idCounter),
    tick: laterTick(head.tick, furthest.tick),
    liveAccounts: new Set([...live, ...tails.keys(), ...setAside.keys()]),
    broken: loader.broken,
    lost,
    journalBytes: bytes,
    loadFromRedis: (accountIds) => loader.loadFromRedis(accountIds),
    load: (accountIds) => loader.load(accountIds),
    reload: async (accountId, wish) => {
      const { tails: found, head } = await readTails(journal, accountId);
      const tail = found.get(accountId);
      if (tail) tails.set(accountId, tail);
      const into = { commit: head.commit, format: formats.current };
      if (wish.want === 'drop') return loader.giveUp(accountId, into);
      if (wish.want === 'rebuild') return loader.rebuild(accountId, { asOf: wish.asOf, ...into });
      return (await loader.load([accountId])).get(accountId);
    },
    tailOf: (accountId) => tails.get(accountId) ?? [],
    forget: (upTo) => forgetTails(tails, upTo),
  };
}

/** @param only the account wanted; undefined = all */
async function readTails(
  journal: Journal,
  only?: string,
): Promise<{ tails: Map<string, JournaledEntry[]>; head: Head; end: number; bytes: [upTo: number, bytes: number][] }> {
  const tails = new Map<string, JournaledEntry[]>();
  const pages = new JournalPages(journal);
  const bytes: [upTo: number, bytes: number][] = [];
  for (let from = 0; ; ) {
    const { commits, head, end, reachesEnd, textLength } = await pages.read(from);
    bytes.push([commits.at(-1)?.number ?? from, textLength]);
    for (const { number: commit, entries } of commits) {
      for (const entry of entries) {
        if (only !== undefined && entry.accountId !== only) continue;
        const tail = tails.get(entry.accountId);
        const stored = new StoredEntry(commit, entry);
        if (tail) tail.push(stored);
        else tails.set(entry.accountId, [stored]);
      }
    }
    if (reachesEnd) return { tails, head, end, bytes };
    from = (commits.at(-1)?.number ?? from) + 1;
  }
}

function forgetTails(tails: Map<string, JournaledEntry[]>, upTo: number): void {
  for (const [accountId, tail] of tails) {
    const kept = tail.filter(({ commit }) => commit > upTo);
    if (kept.length === 0) tails.delete(accountId);
    else if (kept.length < tail.length) tails.set(accountId, kept);
  }
}

/**
 * A journal entry that is held as its text and read whenever it is wanted: what a journal holds takes several times as much
 * memory once it is read. The account's tail goes on with the same text.
 */
class StoredEntry implements JournaledEntry {
  readonly commit: number;
  readonly text: string;

  constructor(commit: number, entry: AccountEntry) {
    this.commit = commit;
    this.text = writeEntry(entry, NEWEST_FORMAT);
  }

  get entry(): AccountEntry {
    return readEntry(this.text);
  }
}
