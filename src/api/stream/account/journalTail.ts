// Follows the journal of one shard. Its entries are true, durable and in order, whichever pod owns the shard. The
// connection is its own, because it blocks in Redis until the next commit.
import { setTimeout as pause } from 'node:timers/promises';
import { type AccountEntry, readEntries } from '../../../actors/core/messages/entry.ts';
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { isReplyError } from '../../../shared/redis/script.ts';
import { Retrying } from '../../../shared/retrying.ts';

/** Commits in one answer, each 2 MB at most: a node that was cut off catches up in steps. */
const COMMITS_PER_READ = 16;
/** Longest that one read waits for a commit, ms. Then the journal's end is compared with what was read. */
const WAIT_MS = 2000;
/** A read without an answer this long after its wait is on a dead connection, ms. */
const OVERDUE_MS = 3000;
const RETRYING = new Retrying('journal_tail', { firstMs: 250 });

export interface JournalListener {
  /** @returns what the next entry has to wait for */
  onEntry(entry: AccountEntry): Promise<void> | undefined;
  /** Entries that were read are no longer in the journal: Redis has lost data. No more entries come. */
  onBroken(): void;
}

export interface JournalTailParts {
  readonly redis: Redis;
  readonly subscriberFactory: (name?: string) => Redis;
  readonly log: Logger;
}

type StreamEntry = readonly [id: string, fields: readonly string[]];
type Reply = readonly (readonly [key: string, entries: readonly StreamEntry[]])[];

export class JournalTail {
  readonly #parts: JournalTailParts;
  readonly #key: string;
  readonly #connection: Redis;
  readonly #listeners = new Map<string, JournalListener>();
  #position = '0-0';
  /** The commit last read at that position: in a journal that has lost its end another commit may have its number. */
  #last: string | undefined;
  #wasAway = false;
  #isStopped = false;
  /** Resolves when later entries will be delivered. */
  readonly ready: Promise<void>;

  constructor(parts: JournalTailParts, shard: number) {
    this.#parts = parts;
    this.#key = shardKeys.journal(shard);
    this.#connection = parts.subscriberFactory(`journal-${shard}`);
    this.ready = this.#start();
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  /** One listener per account. */
  listen(accountId: string, listener: JournalListener): void {
    this.#listeners.set(accountId, listener);
  }

  leave(accountId: string): void {
    this.#listeners.delete(accountId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#connection.disconnect();
  }

  async #start(): Promise<void> {
    const [newest] = await this.#parts.redis.xrevrange(this.#key, '+', '-', 'COUNT', 1);
    this.#position = await this.#end();
    if (newest?.[0] === this.#position) this.#last = nameOf(newest);
    const onAway = (): void => {
      this.#wasAway = true;
    };
    this.#connection.on('close', onAway);
    this.#connection.on('-node', onAway);
    void this.#follow();
  }

  /** Id of the newest entry that the journal has ever had. */
  async #end(): Promise<string> {
    try {
      const info = (await this.#parts.redis.xinfo('STREAM', this.#key)) as readonly unknown[];
      return String(info[info.indexOf('last-generated-id') + 1]);
    } catch (error) {
      if (isReplyError(error) && error.message.includes('no such key')) return '0-0';
      throw error;
    }
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      try {
        const reply = await this.#read();
        const hasLost = this.#wasAway ? await this.#hasLostCommits() : reply === null && (await this.#isBeyondEnd());
        this.#wasAway = false;
        if (hasLost) this.#break();
        else for (const commit of reply?.[0]?.[1] ?? []) await this.#onCommit(commit);
      } catch (error) {
        if (this.#isStopped) return;
        // A master that became a replica ends what waits there.
        this.#wasAway = true;
        this.#parts.log.warn({ key: this.#key, reason: String(error) }, 'the journal cannot be followed');
        await pause(RETRYING.nextMs());
      }
    }
  }

  /** Checks that the last commit read is still there: Redis may have restarted from a disk that lacks the newest data. */
  async #hasLostCommits(): Promise<boolean> {
    if (this.#last === undefined) return this.#isBeyondEnd();
    const [commit] = await this.#parts.redis.xrange(this.#key, this.#position, this.#position);
    return commit === undefined || nameOf(commit) !== this.#last;
  }

  async #isBeyondEnd(): Promise<boolean> {
    return commitOf(await this.#end()) < commitOf(this.#position);
  }

  async #read(): Promise<Reply | null> {
    const overdue = setTimeout(() => this.#connection.disconnect(true), WAIT_MS + OVERDUE_MS);
    try {
      const reply = this.#connection.xread('COUNT', COMMITS_PER_READ, 'BLOCK', WAIT_MS, 'STREAMS', this.#key, this.#position);
      return (await reply) as Reply | null;
    } finally {
      clearTimeout(overdue);
    }
  }

  async #onCommit(commit: StreamEntry): Promise<void> {
    const [id, fields] = commit;
    const text = fieldOf(fields, 'e') ?? '[]';
    // What a newer build has written is not passed over: the stream waits before it.
    const entries = this.#concerns(text) ? readEntries(text) : [];
    this.#position = id;
    this.#last = nameOf(commit);
    for (const entry of entries) await this.#listeners.get(entry.accountId)?.onEntry(entry);
  }

  /** True when an entry of a listener's account may be in the text: most commits of a busy shard are about others. */
  #concerns(text: string): boolean {
    for (let at = text.indexOf(ENTRY_START); at !== -1; at = text.indexOf(ENTRY_START, at + 1)) {
      const start = at + ENTRY_START.length;
      if (this.#listeners.has(text.slice(start, text.indexOf('"', start)))) return true;
    }
    return false;
  }

  #break(): void {
    this.#parts.log.error({ key: this.#key, position: this.#position }, 'the journal has lost its end');
    this.#position = '0-0';
    this.#last = undefined;
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) listener.onBroken();
  }
}

const ENTRY_START = '{"accountId":"';

/** Tells a commit from another one of the same number: its time and its owner's epoch. */
const nameOf = ([id, fields]: StreamEntry): string => `${id} ${fieldOf(fields, 't')} ${fieldOf(fields, 'k')}`;

function fieldOf(fields: readonly string[], name: string): string | undefined {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1];
  return undefined;
}

const commitOf = (id: string): number => Number.parseInt(id, 10);
