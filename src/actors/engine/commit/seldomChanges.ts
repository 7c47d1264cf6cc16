// What most commits do not have: changes of the live set, parked commands, quarantines, remembered answers, and versions of accounts. A
// commit without any of them carries none of their keys.
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { CommandId } from '../../core/messages/entry.ts';

/** Life of a reply that is too long for a message, ms: a node that lives has taken it by then, however busy it is. */
const KEPT_REPLY_MS = 30_000;

/** An answer that is remembered for a time, and whose it is. */
interface AnswerRecord {
  readonly value: string;
  readonly ttlMs: number;
  readonly accountId: string;
}

export class SeldomChanges {
  readonly #liveAdded: string[] = [];
  readonly #liveRemoved: string[] = [];
  readonly #parked: string[] = [];
  readonly #quarantined: string[] = [];
  readonly #quarantinesEnded: string[] = [];
  readonly #answerRecords = new Map<string, AnswerRecord>();
  /** Account -> its version from this commit on; '' = none. */
  readonly #versions = new Map<string, string>();

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
    this.#quarantined.push(accountId, reason);
  }

  endQuarantine(accountId: string): void {
    this.#quarantinesEnded.push(accountId);
  }

  /** API nodes are given the account as of this entry, or are told the entry: from this commit on that is its newest state. */
  setVersion(accountId: string, seq: number): void {
    this.#versions.set(accountId, String(seq));
  }

  /** No view of the account that was given away before is true any more. */
  endVersion(accountId: string): void {
    this.#versions.set(accountId, '');
  }

  /** Accounts whose version it sets or ends. */
  get versioned(): string[] {
    return [...this.#versions.keys()];
  }

  addLive(accountId: string): void {
    this.#liveAdded.push(accountId);
  }

  removeLive(accountId: string): void {
    this.#liveRemoved.push(accountId);
  }

  /**
   * Adds what the commit script gets of it.
   * @param kept replies that are too long for a message
   */
  seal(
    shard: number,
    kept: readonly { readonly id: CommandId; readonly text: string }[],
    { keys, args }: { readonly keys: string[]; readonly args: (string | number)[] },
  ): void {
    keys.push(shardKeys.live(shard), shardKeys.dead(shard), shardKeys.quarantine(shard));
    keys.push(shardKeys.answerBytes(shard), shardKeys.versions(shard));
    args.push(this.#liveAdded.length, ...this.#liveAdded);
    args.push(this.#liveRemoved.length, ...this.#liveRemoved);
    args.push(this.#parked.length / 4, ...this.#parked);
    args.push(this.#quarantined.length / 2, ...this.#quarantined);
    args.push(this.#quarantinesEnded.length, ...this.#quarantinesEnded);
    args.push(this.#answerRecords.size + kept.length);
    for (const [key, { value, ttlMs, accountId }] of this.#answerRecords) {
      keys.push(key);
      args.push(value, ttlMs, accountId);
    }
    for (const { id, text } of kept) {
      keys.push(shardKeys.reply(shard, id.incarnation, id.counter));
      args.push(text, KEPT_REPLY_MS, '');
    }
    args.push(this.#versions.size);
    for (const [accountId, version] of this.#versions) args.push(accountId, version);
  }
}
