// The shard's journal as its owner reads and cuts it. Every call carries the owner's token and does nothing without
// it. Only commits append to it.
import type { Format } from '../../../shared/domain/formats.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { Script } from '../../../shared/redis/script.ts';
import type { JournalCommit } from '../../core/history/historyDocuments.ts';
import { type AccountEntry, type JournaledEntry, readEntries, writeEntry } from '../../core/messages/entry.ts';
import type { Reached } from './journalPosition.ts';
import {
  clearSetAsideScript,
  closeRecoveryScript,
  readJournalScript,
  requireOwned,
  setAsideScript,
  trimJournalScript,
} from './journalScripts.ts';

/** The head hash: the last commit, with or without entries. */
export type Head = Omit<Reached, 'atMs'>;

/** A commit, and its entries as they stand in the journal. */
interface StoredCommit extends JournalCommit {
  readonly text: string;
}

export interface JournalPage {
  readonly commits: readonly StoredCommit[];
  /** Length of the entries' text. */
  readonly textLength: number;
  /** True when no later commit has entries. */
  readonly reachesEnd: boolean;
  /** The commit after these, where it was left out because it is too young. */
  readonly young: { readonly number: number; readonly timeMs: number } | undefined;
  readonly head: Head;
  /** Number of the newest commit that the journal has ever held: it stays when entries are cut. */
  readonly end: number;
}

type StreamEntry = readonly [id: string, fields: readonly string[]];

/** The owner of a shard, as the stores of the shard see it. */
export interface ShardOwner {
  readonly redis: Redis;
  readonly shard: number;
  readonly token: string;
}

export class Journal {
  readonly #owner: ShardOwner;

  constructor(owner: ShardOwner) {
    this.#owner = owner;
  }

  /**
   * Reads at most `count` commits from commit number `from` on.
   * @param notAfterMs commits from the first later one on are left out; absent = none
   * @throws {LeaseLost} when the shard has another owner
   * @throws {RetryableError} when the lease ran out and has not been renewed yet
   */
  async read(from: number, count: number, notAfterMs?: number): Promise<JournalPage> {
    const { lease, journal, head } = this.#keys();
    const args = [`${from}-0`, count, notAfterMs ?? ''];
    const [entries, headFields, end, young] = await this.#run(readJournalScript, [lease, journal, head], args);
    const commits = entries as readonly StreamEntry[];
    const [youngId, youngMs] = young as readonly string[];
    return {
      commits: commits.map(toCommit),
      textLength: commits.reduce((sum, [, fields]) => sum + (fieldOf(fields, 'e')?.length ?? 0), 0),
      reachesEnd: youngId === undefined && commits.length < count,
      young: youngId === undefined ? undefined : { number: commitOf(youngId), timeMs: Number(youngMs) },
      head: toHead(headFields as readonly string[]),
      end: commitOf(end as string),
    };
  }

  /** Drops the commits up to `commit`. @throws as `read` */
  async trim(commit: number): Promise<void> {
    const { lease, journal } = this.#keys();
    await this.#run(trimJournalScript, [lease, journal], [`${commit + 1}-0`]);
  }

  /** Copies entries of a halted account beside the journal, in their order; safe to repeat. @throws as `read` */
  async setAside(accountId: string, entries: readonly JournaledEntry[], format: Format): Promise<void> {
    const { lease, setAside } = this.#keys();
    const args = entries.flatMap(({ entry, commit }) => [entry.seq, commit, writeEntry(entry, format)]);
    const list = shardKeys.entriesSetAside(this.#owner.shard, accountId);
    await this.#run(setAsideScript, [lease, setAside, list], [accountId, ...args]);
  }

  /** Removes what was set aside of an account, if nothing after `lastSeq` was. @throws as `read` */
  async clearSetAside(accountId: string, lastSeq: number): Promise<void> {
    const { lease, setAside } = this.#keys();
    await this.#run(
      clearSetAsideScript,
      [lease, setAside, shardKeys.entriesSetAside(this.#owner.shard, accountId)],
      [accountId, lastSeq],
    );
  }

  /** Declares everything up to `commit` dealt with after a loss; `live` accounts stay in memory. @throws as `read` */
  async settle(commit: number, live: readonly string[]): Promise<void> {
    const { lease, journal, live: liveSet } = this.#keys();
    await this.#run(closeRecoveryScript, [lease, journal, liveSet], [`${commit}-0`, ...live]);
  }

  #keys() {
    return {
      lease: shardKeys.lease(this.#owner.shard),
      journal: shardKeys.journal(this.#owner.shard),
      head: shardKeys.head(this.#owner.shard),
      live: shardKeys.live(this.#owner.shard),
      setAside: shardKeys.setAside(this.#owner.shard),
    };
  }

  async #run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown[]> {
    const [status, ...answer] = (await script.run(this.#owner.redis, keys, [this.#owner.token, ...args])) as [
      string,
      ...unknown[],
    ];
    requireOwned(status, this.#owner.shard);
    return answer;
  }
}

/** The numbers of the head hash as Redis gives it; a shard without one has made no commit. */
export function toHead(fields: readonly string[]): Head {
  return {
    commit: Number(fieldOf(fields, 'n') ?? 0),
    epoch: Number(fieldOf(fields, 'epoch') ?? 0),
    idCounter: Number(fieldOf(fields, 'ids') ?? 0),
    tick: fieldOf(fields, 'tick') ?? '0-0',
  };
}

/** Commit number in the id of a journal entry. */
const commitOf = (id: string): number => Number.parseInt(id, 10);

/**
 * The entries are parsed whenever they are asked for, and not kept: a page has many, and their reader is done with each before
 * the next. Asking throws {NewerFormat} when a newer build has written one.
 */
export const toCommit = ([id, fields]: StreamEntry): StoredCommit => new ReadCommit(id, fields);

class ReadCommit implements StoredCommit {
  readonly number: number;
  readonly timeMs: number;
  readonly epoch: number;
  readonly idCounter: number;
  readonly text: string;

  constructor(id: string, fields: readonly string[]) {
    this.number = commitOf(id);
    this.timeMs = Number(fieldOf(fields, 't'));
    this.epoch = Number(fieldOf(fields, 'k'));
    this.idCounter = Number(fieldOf(fields, 'i'));
    this.text = fieldOf(fields, 'e') ?? '[]';
  }

  get entries(): readonly AccountEntry[] {
    return readEntries(this.text);
  }
}

function fieldOf(fields: readonly string[], name: string): string | undefined {
  for (let i = 0; i < fields.length; i += 2) {
    if (fields[i] === name) return fields[i + 1];
  }
  return undefined;
}

/** Journal text wanted in one page: Redis serves nobody else while it reads one, and parsing it holds the accounts up, about 1 ms each. */
const PAGE_TEXT = 128 * 1024;
const PAGE_COMMITS_MIN = 8;
const PAGE_COMMITS_MAX = 512;
/** Pages are gathered until they have so much text: what they hold is written at once. */
const GATHERED_TEXT = 1024 * 1024;

/**
 * The journal read in pages of about the same text. Commits differ in size by a thousand times, so the count of each page
 * follows the size of the one before.
 */
export class JournalPages {
  readonly #journal: Journal;
  #commits = PAGE_COMMITS_MIN;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The page that begins with this commit. @param notAfterMs as in `Journal.read`, which also says what it throws */
  async read(from: number, notAfterMs?: number): Promise<JournalPage> {
    const page = await this.#journal.read(from, this.#commits, notAfterMs);
    const { commits, textLength } = page;
    if (commits.length > 0) {
      const fitting = Math.floor((PAGE_TEXT * commits.length) / Math.max(textLength, 1));
      this.#commits = Math.min(Math.max(fitting, PAGE_COMMITS_MIN), PAGE_COMMITS_MAX);
    }
    return page;
  }

  /** Several pages as one, of the commits that are there from this one on. @param notAfterMs as in `read` */
  async gather(from: number, notAfterMs: number): Promise<JournalPage> {
    let gathered = await this.read(from, notAfterMs);
    while (gathered.young === undefined && !gathered.reachesEnd && gathered.textLength < GATHERED_TEXT) {
      const next = await this.read((gathered.commits.at(-1)?.number ?? from) + 1, notAfterMs);
      const commits = [...gathered.commits, ...next.commits];
      gathered = { ...next, commits, textLength: gathered.textLength + next.textLength };
    }
    return gathered;
  }
}

/** The commit up to which nothing is missing once the page is written: the head's when the page reaches the journal's end. */
export function writtenUpTo({ commits, young, head, reachesEnd }: JournalPage): number {
  if (young) return young.number - 1;
  return Math.max(commits.at(-1)?.number ?? 0, reachesEnd ? head.commit : 0);
}

/** Of a page with commits. Ids, epoch and tick come from the head, which is at least as far as the commits. */
export function reachedBy({ commits, head }: JournalPage): Reached {
  const { number, epoch, idCounter, timeMs } = commits.at(-1) as JournalCommit;
  return {
    commit: number,
    epoch: Math.max(epoch, head.epoch),
    idCounter: Math.max(idCounter, head.idCounter),
    tick: head.tick,
    atMs: timeMs,
  };
}
