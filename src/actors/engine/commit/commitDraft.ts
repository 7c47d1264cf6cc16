// The content of a shard's next commit: journal entries, consumed commands and the replies to them, all or nothing.
// Decisions fill it; it is sealed when the commit before it has been answered.

import type { Format } from '../../../shared/domain/formats.ts';
import { MESSAGE_CHARS_MAX } from '../../../shared/redis/channels.ts';
import { repliesChannel, shardKeys } from '../../../shared/redis/keys.ts';
import type { Span } from '../../../shared/tracing/tracing.ts';
import { type AccountEntry, type CommandId, writeEntry } from '../../core/messages/entry.ts';
import { type CommandEnvelope, FINAL_AFTER_DEADLINE_MS, type SentReply, writeReply } from '../../core/messages/envelope.ts';
import type { FollowerEntries } from '../actorMetrics.ts';
import type { CommitPart } from './commitScript.ts';
import { SeldomChanges } from './seldomChanges.ts';
import { DraftSpans } from './spans.ts';

/** Whose commit it is, and what its head says. */
interface SealedAs {
  readonly shard: number;
  readonly token: string;
  readonly epoch: number;
  readonly idCounter: number;
  /** Position of the ticks that it includes. */
  readonly tick: string;
  readonly timeMs: number;
  /** It is prepared first, for replicas to have it (preparedCommits.ts). */
  readonly isPrepared?: boolean;
}

/** A draft with this many consumed commands is full: Redis serves no other call while it is committed. */
const COMMANDS_MAX = 512;
/** A draft with this many characters of journal is full. */
const JOURNAL_CHARS_MAX = 2_000_000;
/** A draft with this many characters of replies is full. */
const REPLIES_CHARS_MAX = 4_000_000;

export class CommitDraft {
  readonly number: number;
  /** Of all that it writes. */
  readonly format: Format;
  /** Accounts whose state depends on this commit. */
  readonly changed = new Set<string>();
  readonly replies: DraftReplies;
  /** Of its traced commands, if it has some. */
  spans: DraftSpans | undefined;
  readonly #consumed = new Map<string, { readonly ids: string[]; bytes: number }>();
  readonly #entries: string[] = [];
  #journalChars = 0;
  #commands = 0;
  #earliestDeadlineMs = Number.POSITIVE_INFINITY;
  readonly #deadlines = new Map<string, number>();
  #seldom: SeldomChanges | undefined;
  #isTouched = false;

  constructor(number: number, format: Format) {
    this.number = number;
    this.format = format;
    this.replies = new DraftReplies(format);
  }

  get isEmpty(): boolean {
    return !this.#isTouched;
  }

  get isFull(): boolean {
    return this.#commands >= COMMANDS_MAX || this.#journalChars >= JOURNAL_CHARS_MAX || this.replies.chars >= REPLIES_CHARS_MAX;
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

  /** @param isJournaled the command has made an entry */
  addSpan(span: Span, isJournaled: boolean): void {
    this.spans ??= new DraftSpans();
    this.spans.add(span, isJournaled);
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

  /** For what most commits do not have. */
  get seldom(): SeldomChanges {
    this.#isTouched = true;
    this.#seldom ??= new SeldomChanges();
    return this.#seldom;
  }

  /** The answer that this commit will remember under a key. */
  answerRecord(key: string): string | undefined {
    return this.#seldom?.answerRecord(key);
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
    const replies = this.replies.texts();
    args.push(replies.length / 2, ...replies);
    if (this.#seldom !== undefined || this.replies.kept.length > 0)
      (this.#seldom ?? new SeldomChanges()).seal(shard, this.replies.kept, { keys, args });
    const part = { keys, args, commands: this.#commands, chars: this.#journalChars + this.replies.chars };
    return isPrepared ? { ...part, preparation: { shard, format: this.format, changed: this.#seldom?.versioned ?? [] } } : part;
  }
}

/** A longer reply is kept under a key of its own: its reader takes it when it can, and delays the replies of no other. */
const REPLY_CHARS_MAX = 16_000;

/**
 * What a draft tells API nodes: the replies that they wait for, and entries of accounts that they follow. A reply too long for a
 * message is kept under a key of its own, and the message says so.
 */
class DraftReplies {
  readonly kept: { readonly id: CommandId; readonly text: string }[] = [];
  readonly #format: Format;
  readonly #byNode = new Map<string, string[]>();
  #chars = 0;
  #followerEntries: FollowerEntries = { entries: 0, chars: 0 };

  constructor(format: Format) {
    this.#format = format;
  }

  get chars(): number {
    return this.#chars;
  }

  add({ replyTo, id }: CommandEnvelope, reply: SentReply): void {
    if (replyTo === undefined) return;
    let text = writeReply(id, reply, this.#format);
    this.#chars += text.length;
    if (text.length > REPLY_CHARS_MAX) {
      this.kept.push({ id, text: `[${text}]` });
      text = writeReply(id, { isKept: true }, this.#format);
    }
    this.#put(replyTo, text);
  }

  get followerEntries(): FollowerEntries {
    return this.#followerEntries;
  }

  sendEntry(node: string, text: string): void {
    this.#chars += text.length;
    this.#followerEntries = { entries: this.#followerEntries.entries + 1, chars: this.#followerEntries.chars + text.length };
    this.#put(node, text);
  }

  #put(node: string, text: string): void {
    const texts = this.#byNode.get(node);
    if (texts === undefined) this.#byNode.set(node, [text]);
    else texts.push(text);
  }

  /** A node's channel and replies to it, joined by commas, in turn; in as few texts as their length allows. */
  texts(): string[] {
    const texts: string[] = [];
    for (const [replyTo, replies] of this.#byNode) {
      const channel = repliesChannel(replyTo);
      let from = 0;
      let chars = 0;
      for (let at = 0; at < replies.length; at++) {
        const { length } = replies[at] as string;
        chars += length;
        if (chars <= MESSAGE_CHARS_MAX || at === from) continue;
        texts.push(channel, replies.slice(from, at).join(','));
        from = at;
        chars = length;
      }
      texts.push(channel, replies.slice(from).join(','));
    }
    return texts;
  }
}
