// A reader of all journals from outside that remembers what the owners cut away: every commit, its owner and the
// order. Recovery, MongoDB and every answer are compared with it.
import type { Redis } from 'ioredis';
import type { JournalCommit } from '../../../src/actors/core/history/historyDocuments.ts';
import type { AccountEntry } from '../../../src/actors/core/messages/entry.ts';
import { toCommit } from '../../../src/actors/engine/journal/journal.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';

/** Owners keep seconds of a journal (JOURNAL_LAG_MS) before they cut anything away. */
const READ_EVERY_MS = 250;
const PAGE = 500;

/** The commits of one shard. */
export interface ShardPast {
  /** Still there, oldest first. */
  readonly commits: JournalCommit[];
  /** Lost by Redis, oldest first. */
  readonly lost: JournalCommit[];
  /** Where in `commits` what was committed after a loss begins. */
  goesOnAt: number;
  /** Lease tokens seen, by epoch. */
  readonly tokens: Map<number, Set<string>>;
}

export class JournalTap {
  readonly shards: readonly ShardPast[];
  readonly #redis: Redis;
  readonly #entries = new WeakMap<JournalCommit, readonly AccountEntry[]>();
  #isStopping = false;
  #reading: Promise<unknown> = Promise.resolve();
  #done: Promise<void> = Promise.resolve();

  constructor(redis: Redis, shards: number) {
    this.#redis = redis;
    this.shards = Array.from({ length: shards }, () => ({ commits: [], lost: [], goesOnAt: 0, tokens: new Map() }));
  }

  start(): this {
    this.#isStopping = false;
    this.#done = this.#run();
    return this;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
  }

  /** Reads everything that is new; one reader at a time. */
  read(): Promise<void> {
    const readAll = () => Promise.all(this.shards.map((past, shard) => this.#readShard(past, shard)));
    const read = this.#reading.then(readAll, readAll);
    this.#reading = read;
    return read.then(() => undefined);
  }

  /** Takes the journals as they are now for what has happened, as far as they go back: a replica may have taken over without their ends. */
  reread(): Promise<void> {
    const read = this.#reading.then(async () => {
      for (const [shard, { commits }] of this.shards.entries()) {
        const journal = await readJournal(this.#redis, shard);
        const from = journal[0]?.number ?? Number.POSITIVE_INFINITY;
        const kept = commits.filter(({ number }) => number < from);
        if (journal.length > 0) commits.splice(0, commits.length, ...kept, ...journal);
      }
    });
    this.#reading = read;
    return read;
  }

  /**
   * Takes note of a loss; to be called while it is stopped.
   * @param all what the journals held before it
   * @param ends number of the newest commit that each has after it
   */
  onLoss(all: readonly (readonly JournalCommit[])[], ends: readonly number[]): void {
    for (const [shard, past] of this.shards.entries()) {
      past.lost.length = 0; // an earlier loss, with another seed, was of other accounts
      const known = past.commits.at(-1)?.number ?? 0;
      past.commits.push(...(all[shard] ?? []).filter(({ number }) => number > known));
      const at = past.commits.findIndex(({ number }) => number > (ends[shard] ?? 0));
      if (at !== -1) past.lost.push(...past.commits.splice(at));
      past.goesOnAt = past.commits.length;
    }
  }

  /** Entries of an account: entries from before a loss that are there, lost entries, and entries that came after. */
  entriesOf(accountId: string): { before: AccountEntry[]; lost: AccountEntry[]; after: AccountEntry[] } {
    const found: { before: AccountEntry[]; lost: AccountEntry[]; after: AccountEntry[] } = { before: [], lost: [], after: [] };
    const ofAccount = (commits: readonly JournalCommit[]): AccountEntry[] =>
      commits.flatMap((commit) => this.#entriesOf(commit).filter((entry) => entry.accountId === accountId));
    for (const { commits, lost, goesOnAt } of this.shards) {
      found.before.push(...ofAccount(commits.slice(0, goesOnAt)));
      found.lost.push(...ofAccount(lost));
      found.after.push(...ofAccount(commits.slice(goesOnAt)));
    }
    return found;
  }

  /** A commit reads its text each time that it is asked: here once, for who waits for an account asks for all again and again. */
  #entriesOf(commit: JournalCommit): readonly AccountEntry[] {
    const entries = this.#entries.get(commit) ?? commit.entries;
    this.#entries.set(commit, entries);
    return entries;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.read();
      } catch (error) {
        // A Redis that still loads its data refuses, and so does a cluster without a master for the slot; they are asked again.
        if (!(error instanceof Error) || !/LOADING|CLUSTERDOWN|Connection is closed|Failed to refresh/.test(error.message))
          throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS));
    }
  }

  async #readShard({ commits, tokens }: ShardPast, shard: number): Promise<void> {
    const token = await this.#redis.get(shardKeys.lease(shard));
    if (token !== null) {
      const epoch = Number.parseInt(token, 10);
      tokens.set(epoch, (tokens.get(epoch) ?? new Set()).add(token));
    }
    commits.push(...(await readJournal(this.#redis, shard, (commits.at(-1)?.number ?? 0) + 1)));
  }
}

/** Commits of a shard's journal from a number on. */
export async function readJournal(redis: Redis, shard: number, from = 0): Promise<JournalCommit[]> {
  const commits: JournalCommit[] = [];
  for (let next = from; ; ) {
    const page = await redis.xrange(shardKeys.journal(shard), `${next}-0`, '+', 'COUNT', PAGE);
    commits.push(...page.map(toCommit));
    if (page.length < PAGE) return commits;
    next = (commits.at(-1)?.number ?? next) + 1;
  }
}
