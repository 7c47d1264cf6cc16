// The content of a shard's next commit: journal entries, consumed commands and the replies to them, all or nothing.
// Decisions fill it; it is sealed when the commit before it has been answered.

import type { Format } from '../../shared/domain/formats.ts';
import { repliesChannel, shardKeys } from '../../shared/redis/keys.ts';
import type { AccountEntry } from '../domain/messages/entry.ts';
import { writeEntry } from '../domain/messages/entryForm.ts';
import type { CommandEnvelope, Reply } from '../domain/messages/envelope.ts';
import { FINAL_AFTER_DEADLINE_MS } from '../domain/messages/envelope.ts';
import { writeReply } from '../domain/messages/envelopeForm.ts';

/** A draft with this many consumed commands is full: Redis serves no other call while it is committed. */
const COMMANDS_MAX = 512;
/** A draft with this many characters of journal is full. */
const JOURNAL_CHARS_MAX = 2_000_000;
/** Dead letters kept per shard, about. */
const DEAD_LETTERS_MAX = 10_000;

export class CommitDraft {
  readonly number: number;
  /** Of all that it writes. */
  readonly format: Format;
  /** Accounts whose state depends on this commit. */
  readonly changed = new Set<string>();
  readonly #consumed = new Map<string, string[]>();
  readonly #entries: string[] = [];
  #journalChars = 0;
  #commands = 0;
  #earliestDeadlineMs = Number.POSITIVE_INFINITY;
  readonly #liveAdded: string[] = [];
  readonly #liveRemoved: string[] = [];
  readonly #parked: string[] = [];
  readonly #quarantined: string[] = [];
  readonly #quarantinesEnded: string[] = [];
  readonly #remembered = new Map<string, { readonly value: string; readonly ttlMs: number }>();
  readonly #replies = new Map<string, string[]>();
  #isTouched = false;

  constructor(number: number, format: Format) {
    this.number = number;
    this.format = format;
  }

  get isEmpty(): boolean {
    return !this.#isTouched;
  }

  get isFull(): boolean {
    return this.#commands >= COMMANDS_MAX || this.#journalChars >= JOURNAL_CHARS_MAX;
  }

  /** Accounts with consumed commands; their streams must not be read again before the commit is answered. */
  get consumedAccounts(): Iterable<string> {
    return this.#consumed.keys();
  }

  hasConsumed(accountId: string): boolean {
    return this.#consumed.has(accountId);
  }

  get commands(): number {
    return this.#commands;
  }

  /** Has an otherwise empty draft committed too, for the tick position. */
  touch(): void {
    this.#isTouched = true;
  }

  /** @param commandId of the stream's entry; undefined when the stream turned out to be empty */
  consume(accountId: string, commandId?: string): void {
    this.#isTouched = true;
    const ids = this.#consumed.get(accountId);
    if (ids === undefined) this.#consumed.set(accountId, commandId === undefined ? [] : [commandId]);
    else if (commandId !== undefined) ids.push(commandId);
    this.#commands += 1;
  }

  /** The commit is void after this time: its command would take effect after its sender's deadline. */
  limitTo(deadlineMs: number): void {
    this.#earliestDeadlineMs = Math.min(this.#earliestDeadlineMs, deadlineMs);
  }

  /** @returns the entry's text as it is journaled */
  journal(entry: AccountEntry): string {
    const text = writeEntry(entry, this.format);
    this.#isTouched = true;
    this.#entries.push(text);
    this.#journalChars += text.length;
    this.changed.add(entry.accountId);
    return text;
  }

  reply(envelope: CommandEnvelope, reply: Reply): void {
    const { replyTo, id } = envelope;
    if (replyTo === undefined) return;
    const text = writeReply(id, reply, this.format);
    const replies = this.#replies.get(replyTo);
    if (replies === undefined) this.#replies.set(replyTo, [text]);
    else replies.push(text);
  }

  /** The answer that this commit will remember under a key. */
  remembered(key: string): string | undefined {
    return this.#remembered.get(key)?.value;
  }

  remember(key: string, value: string, ttlMs: number): void {
    this.#remembered.set(key, { value, ttlMs });
  }

  park(accountId: string, command: string, reason: string, timeMs: number): void {
    this.#parked.push(accountId, command, reason, String(timeMs));
  }

  quarantine(accountId: string, reason: string): void {
    this.#isTouched = true;
    this.#quarantined.push(accountId, reason);
  }

  endQuarantine(accountId: string): void {
    this.#isTouched = true;
    this.#quarantinesEnded.push(accountId);
  }

  addLive(accountId: string): void {
    this.#isTouched = true;
    this.#liveAdded.push(accountId);
  }

  removeLive(accountId: string): void {
    this.#isTouched = true;
    this.#liveRemoved.push(accountId);
  }

  /** Keys and arguments of the commit script. */
  seal(options: { shard: number; token: string; epoch: number; idCounter: number; tick: string; timeMs: number }): {
    keys: string[];
    args: (string | number)[];
  } {
    const { shard, token, epoch, idCounter, tick, timeMs } = options;
    const latestMs = Number.isFinite(this.#earliestDeadlineMs) ? this.#earliestDeadlineMs + FINAL_AFTER_DEADLINE_MS : 0;
    const journal = this.#entries.length === 0 ? '' : `[${this.#entries.join(',')}]`;
    const keys = [
      shardKeys.lease(shard),
      shardKeys.head(shard),
      shardKeys.journal(shard),
      shardKeys.pending(shard),
      shardKeys.live(shard),
      shardKeys.dead(shard),
      shardKeys.quarantine(shard),
    ];
    const args: (string | number)[] = [token, this.number, epoch, idCounter, tick, timeMs, latestMs, journal, DEAD_LETTERS_MAX];
    args.push(this.#consumed.size);
    for (const [accountId, ids] of this.#consumed) {
      keys.push(shardKeys.commands(shard, accountId));
      args.push(accountId, ids.length, ...ids);
    }
    args.push(this.#liveAdded.length, ...this.#liveAdded);
    args.push(this.#liveRemoved.length, ...this.#liveRemoved);
    args.push(this.#parked.length / 4, ...this.#parked);
    args.push(this.#quarantined.length / 2, ...this.#quarantined);
    args.push(this.#quarantinesEnded.length, ...this.#quarantinesEnded);
    args.push(this.#remembered.size);
    for (const [key, { value, ttlMs }] of this.#remembered) {
      keys.push(key);
      args.push(value, ttlMs);
    }
    args.push(this.#replies.size);
    for (const [replyTo, replies] of this.#replies) args.push(repliesChannel(replyTo), `[${replies.join(',')}]`);
    return { keys, args };
  }
}
