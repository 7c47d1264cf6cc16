// The entries of accounts, as they reach the sockets of this node.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { rowsEndedByReset, rowsOfKinds } from '../../../actors/core/history/rowsOfEvents.ts';
import type { AccountEntry } from '../../../actors/core/messages/entry.ts';
import {
  HISTORY_KINDS,
  type HistoryKind,
  type HistoryRows,
  type NumberedRow,
} from '../../../actors/core/messages/historyRows.ts';
import { getOrMake } from '../../../shared/domain/groups.ts';
import { shardOf } from '../../../shared/domain/shards.ts';
import { JournalTail, type JournalTailParts } from './journalTail.ts';

/** Rows that listeners are told without a break; then others have their turn: a message of so many rows takes a millisecond. */
const ROWS_A_TURN = 256;

export interface UpdateListener {
  /** In the order of the journal, without a hole from the first one on. */
  onUpdate(update: AccountUpdate): void;
  /** No more updates come, and the last ones may not have happened: see `JournalListener`. */
  onBroken(): void;
}

interface AccountFeedsParts extends JournalTailParts {
  readonly config: { readonly SHARDS: number };
}

interface Feed {
  readonly tail: JournalTail;
  readonly listeners: Set<UpdateListener>;
  seq: number | undefined;
}

/**
 * The journals that sockets of this node follow. Each account's journal is read once, however many sockets follow it, and only while one
 * does.
 */
export class AccountFeeds {
  readonly #parts: AccountFeedsParts;
  readonly #tails = new Map<number, JournalTail>();
  readonly #feeds = new Map<string, Feed>();

  constructor(parts: AccountFeedsParts) {
    this.#parts = parts;
  }

  /** Resolves when every later commit will be delivered. `leave` must be called, also when this fails. */
  async listen(accountId: string, listener: UpdateListener): Promise<void> {
    const feed = this.#feeds.get(accountId) ?? this.#open(accountId);
    feed.listeners.add(listener);
    await feed.tail.ready;
  }

  leave(accountId: string, listener: UpdateListener): void {
    const feed = this.#feeds.get(accountId);
    if (feed === undefined || !feed.listeners.delete(listener) || feed.listeners.size > 0) return;
    this.#close(accountId, feed);
  }

  stop(): void {
    for (const tail of this.#tails.values()) tail.stop();
    this.#tails.clear();
    this.#feeds.clear();
  }

  #open(accountId: string): Feed {
    const shard = shardOf(accountId, this.#parts.config.SHARDS);
    const tail = getOrMake(this.#tails, shard, () => new JournalTail(this.#parts, shard));
    const feed: Feed = { tail, listeners: new Set(), seq: undefined };
    this.#feeds.set(accountId, feed);
    tail.listen(accountId, {
      onEntry: (entry) => this.#onEntry(accountId, feed, entry),
      onBroken: () => this.#onBroken(accountId, feed),
    });
    return feed;
  }

  #close(accountId: string, { tail }: Feed): void {
    this.#feeds.delete(accountId);
    tail.leave(accountId);
    if (!tail.isIdle) return;
    tail.stop();
    const shard = shardOf(accountId, this.#parts.config.SHARDS);
    if (this.#tails.get(shard) === tail) this.#tails.delete(shard);
  }

  /** A number that does not follow the last one: the node was away for so long that entries were cut, or Redis lost data. */
  #onEntry(accountId: string, feed: Feed, entry: AccountEntry): Promise<void> | undefined {
    if (feed.seq !== undefined && entry.seq !== feed.seq + 1) {
      this.#onBroken(accountId, feed);
      return undefined;
    }
    feed.seq = entry.seq;
    const update = toUpdate(entry);
    if (countOf(update) * feed.listeners.size > ROWS_A_TURN) return tellInTurns(feed, update);
    for (const listener of [...feed.listeners]) listener.onUpdate(update);
    return undefined;
  }

  #onBroken(accountId: string, feed: Feed): void {
    const listeners = [...feed.listeners];
    feed.listeners.clear();
    this.#close(accountId, feed);
    for (const listener of listeners) listener.onBroken();
  }
}

/** A thousand orders of one action are messages of some milliseconds for each channel, and for each address. */
async function tellInTurns({ listeners }: Feed, update: AccountUpdate): Promise<void> {
  const rows = countOf(update);
  let told = 0;
  for (const listener of [...listeners]) {
    if (told > 0 && told + rows > ROWS_A_TURN) {
      told = 0;
      await nextTurn();
    }
    told += rows;
    if (listeners.has(listener)) listener.onUpdate(update);
  }
}

const countOf = ({ rows, ended }: AccountUpdate): number => rows.length + ended.length;

/**
 * The content of one journal entry for the private channels: its history rows. They are the same whether the entry
 * comes from the journal or, long after, from MongoDB, so a message that is sent again equals the missed one.
 */
export interface AccountUpdate {
  /** Sequence number of the entry. */
  readonly seq: number;
  /** Rows of each kind in the order of their numbers. */
  readonly rows: readonly NumberedRow[];
  /** What a reset has ended, whose rows no history keeps. An entry with some is told from the journal alone. */
  readonly ended: readonly NumberedRow[];
}

const ALL_KINDS: ReadonlySet<HistoryKind> = new Set(HISTORY_KINDS);

export const toUpdate = (entry: AccountEntry, kinds = ALL_KINDS): AccountUpdate => ({
  seq: entry.seq,
  rows: rowsOfKinds(entry, kinds),
  ended: rowsEndedByReset(entry).filter(({ kind }) => kinds.has(kind)),
});

/** Those that a reset has ended come first. */
export const rowsOfKind = <K extends HistoryKind>({ rows, ended }: AccountUpdate, kind: K): HistoryRows[K][] => [
  ...ofKind(ended, kind),
  ...ofKind(rows, kind),
];

export const ofKind = <K extends HistoryKind>(rows: readonly NumberedRow[], kind: K): HistoryRows[K][] =>
  rows.flatMap((numbered) => (numbered.kind === kind ? [numbered.row as HistoryRows[K]] : []));
