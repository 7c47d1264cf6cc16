// The content of a shard's next commit: journal entries, consumed commands and the replies to them, all or nothing.
// Decisions fill it; it is sealed when the commit before it has been answered.

import type { Format } from '../../../shared/domain/formats.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import { type AccountEntry, writeEntry } from '../../core/messages/entry.ts';
import { type CommandEnvelope, FINAL_AFTER_DEADLINE_MS, type SentReply } from '../../core/messages/envelope.ts';
import type { FollowerEntries } from '../actorMetrics.ts';
import type { CommitPart, SealedAs } from './commitScript.ts';
import { DraftReplies, KEPT_REPLY_MS } from './draftReplies.ts';
import { DraftSpans } from './spans.ts';

/** A draft with this many consumed commands is full: Redis serves no other call while it is committed. */
const COMMANDS_MAX = 512;
/** A draft with this many characters of journal is full. */
const JOURNAL_CHARS_MAX = 2_000_000;
/** A draft with this many characters of replies is full. */
const REPLIES_CHARS_MAX = 4_000_000;

/** An answer that is remembered for a time, and whose it is. */
export interface AnswerRecord {
  readonly value: string;
  readonly ttlMs: number;
  readonly accountId: string;
}

export class CommitDraft {
  readonly number: number;
  /** Of all that it writes. */
  readonly format: Format;
  /** Accounts whose state depends on this commit. */
  readonly changed = new Set<string>();
  readonly spans = new DraftSpans();
  readonly #consumed = new Map<string, { readonly ids: string[]; bytes: number }>();
  readonly #entries: string[] = [];
  #journalChars = 0;
  #commands = 0;
  #earliestDeadlineMs = Number.POSITIVE_INFINITY;
  readonly #deadlines = new Map<string, number>();
  readonly #liveAdded: string[] = [];
  readonly #liveRemoved: string[] = [];
  readonly #parked: string[] = [];
  readonly #quarantined: string[] = [];
  readonly #quarantinesEnded: string[] = [];
  readonly #answerRecords = new Map<string, AnswerRecord>();
  /** Account -> its version from this commit on; '' = none. */
  readonly #versions = new Map<string, string>();
  readonly #replies: DraftReplies;
  #isTouched = false;

  constructor(number: number, format: Format) {
    this.number = number;
    this.format = format;
    this.#replies = new DraftReplies(format);
  }

  get isEmpty(): boolean {
    return !this.#isTouched;
  }

  get isFull(): boolean {
    return this.#commands >= COMMANDS_MAX || this.#journalChars >= JOURNAL_CHARS_MAX || this.#replies.chars >= REPLIES_CHARS_MAX;
  }

  /** Length of the entries' text. */
  get journalChars(): number {
    return this.#journalChars;
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

  /**
   * @param commandId of the stream's entry; undefined when the stream turned out to be empty
   * @param bytes of the command, as the submit script has counted them; those of the shard's own mailbox are not counted
   */
  consume(accountId: string, commandId?: string, bytes = 0): void {
    this.#isTouched = true;
    let consumed = this.#consumed.get(accountId);
    if (consumed === undefined) {
      consumed = { ids: [], bytes: 0 };
      this.#consumed.set(accountId, consumed);
    }
    if (commandId !== undefined) consumed.ids.push(commandId);
    consumed.bytes += bytes;
    this.#commands += 1;
  }

  /**
   * The commit is void after this time: its command would take effect after its sender's deadline.
   * @param commandId of the stream's entry
   */
  limitTo(deadlineMs: number, commandId: string): void {
    this.#deadlines.set(commandId, deadlineMs);
    this.#earliestDeadlineMs = Math.min(this.#earliestDeadlineMs, deadlineMs);
  }

  /** Stream ids of the commands that may not take effect any more at this time. */
  lateAt(timeMs: number): Set<string> {
    const late = [...this.#deadlines].filter(([, deadlineMs]) => timeMs > deadlineMs + FINAL_AFTER_DEADLINE_MS);
    return new Set(late.map(([commandId]) => commandId));
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

  reply(envelope: CommandEnvelope, reply: SentReply): void {
    this.#replies.add(envelope, reply);
  }

  /** What is told to API nodes that follow accounts: number of entries, and their characters. */
  get followerEntries(): FollowerEntries {
    return this.#replies.followerEntries;
  }

  /** Tells an API node of an entry, as `writeFollowed` has it. */
  sendEntry(node: string, text: string): void {
    this.#replies.sendEntry(node, text);
  }

  /** The answer that this commit will remember under a key. */
  answerRecord(key: string): string | undefined {
    return this.#answerRecords.get(key)?.value;
  }

  recordAnswer(key: string, record: AnswerRecord): void {
    this.#answerRecords.set(key, record);
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

  /** API nodes are given the account as of this entry, or are told the entry: from this commit on that is its newest state. */
  setVersion(accountId: string, seq: number): void {
    this.#versions.set(accountId, String(seq));
  }

  /** No view of the account that was given away before is true any more. */
  endVersion(accountId: string): void {
    this.#isTouched = true;
    this.#versions.set(accountId, '');
  }

  addLive(accountId: string): void {
    this.#isTouched = true;
    this.#liveAdded.push(accountId);
  }

  removeLive(accountId: string): void {
    this.#isTouched = true;
    this.#liveRemoved.push(accountId);
  }

  /** What the commit script gets of it. */
  seal({ shard, token, epoch, idCounter, tick, timeMs, isPrepared = false }: SealedAs): CommitPart {
    const latestMs = Number.isFinite(this.#earliestDeadlineMs) ? this.#earliestDeadlineMs + FINAL_AFTER_DEADLINE_MS : 0;
    const journal = this.#entries.length === 0 ? '' : `[${this.#entries.join(',')}]`;
    const keys = [
      shardKeys.lease(shard),
      shardKeys.head(shard),
      shardKeys.journal(shard),
      shardKeys.pending(shard),
      shardKeys.mailboxBytes(shard),
    ];
    if (isPrepared) keys.push(shardKeys.prepared(shard));
    const args: (string | number)[] = [token, this.number, epoch, idCounter, tick, timeMs, latestMs, journal];
    args.push(this.#consumed.size);
    for (const [accountId, { ids, bytes }] of this.#consumed) {
      keys.push(shardKeys.commands(shard, accountId));
      args.push(accountId, bytes, ids.length, ...ids);
    }
    const replies = this.#replies.texts();
    args.push(replies.length / 2, ...replies);
    if (this.#hasSeldom) this.#sealSeldom(shard, keys, args);
    const part = { keys, args, commands: this.#commands, chars: this.#journalChars + this.#replies.chars };
    return isPrepared ? { ...part, preparation: { shard, format: this.format, changed: [...this.#versions.keys()] } } : part;
  }

  /** True when there is something of what most commits do not have. */
  get #hasSeldom(): boolean {
    const lists = [
      this.#liveAdded,
      this.#liveRemoved,
      this.#parked,
      this.#quarantined,
      this.#quarantinesEnded,
      this.#replies.kept,
    ];
    return this.#answerRecords.size > 0 || this.#versions.size > 0 || lists.some(({ length }) => length > 0);
  }

  #sealSeldom(shard: number, keys: string[], args: (string | number)[]): void {
    keys.push(shardKeys.live(shard), shardKeys.dead(shard), shardKeys.quarantine(shard));
    keys.push(shardKeys.answerBytes(shard), shardKeys.versions(shard));
    args.push(this.#liveAdded.length, ...this.#liveAdded);
    args.push(this.#liveRemoved.length, ...this.#liveRemoved);
    args.push(this.#parked.length / 4, ...this.#parked);
    args.push(this.#quarantined.length / 2, ...this.#quarantined);
    args.push(this.#quarantinesEnded.length, ...this.#quarantinesEnded);
    args.push(this.#answerRecords.size + this.#replies.kept.length);
    for (const [key, { value, ttlMs, accountId }] of this.#answerRecords) {
      keys.push(key);
      args.push(value, ttlMs, accountId);
    }
    for (const { id, text } of this.#replies.kept) {
      keys.push(shardKeys.reply(shard, id.incarnation, id.counter));
      args.push(text, KEPT_REPLY_MS, '');
    }
    args.push(this.#versions.size);
    for (const [accountId, version] of this.#versions) args.push(accountId, version);
  }
}
