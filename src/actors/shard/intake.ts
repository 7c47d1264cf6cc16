// Which commands of a shard are run next. A command in a wake-up is the head of its stream and is run at once. Others
// are read from their mailboxes first, many accounts in one pipeline. An account whose commands are being read, or
// were consumed by a commit without an answer, waits until then: its stream still holds commands that were run.
import { NewerFormat } from '../../shared/domain/formats.ts';
import type { Logger } from '../../shared/logger.ts';
import { SHARD_MAILBOX } from '../../shared/redis/keys.ts';
import type { WaitingCommand } from '../commit/mailbox.ts';
import type { WaitingAccounts } from './waitingAccounts.ts';

/** Accounts whose mailboxes are read in one pipeline. */
const READ_ACCOUNTS_MAX = 256;
/** Pause after a failed read, ms. */
const RETRY_MS = 250;

/** Commands by account, oldest first. */
type Mailboxes = ReadonlyMap<string, readonly WaitingCommand[]>;

export interface IntakeParts {
  readonly log: Logger;
  readonly shard: number;
  readonly waiting: WaitingAccounts;
  readonly readMailboxes: (accountIds: readonly string[]) => Promise<Mailboxes>;
  /** The records of the commands' Idempotency-Keys, by the command's stream id. */
  readonly readRemembered: (mailboxes: Mailboxes) => Promise<ReadonlyMap<string, string | null>>;
  /** False while the open draft is full. */
  readonly hasRoom: () => boolean;
  /** True while a commit that is not answered consumes commands of the account. */
  readonly isCommitting: (accountId: string) => boolean;
  /** True when the account is in memory or in quarantine. */
  readonly isHere: (accountId: string) => boolean;
  /** Brings the account into memory; it is to be added to `waiting` then. */
  readonly load: (accountId: string) => void;
  readonly run: (accountId: string, command: WaitingCommand, storedText?: string | null) => void;
  /** The account was named, but its stream is empty. */
  readonly onEmpty: (accountId: string) => void;
  readonly onShardMailbox: () => void;
  /** There is work: commands were read and run, or an account is free again. */
  readonly onRead: () => void;
  readonly onRetry: () => void;
  /** A command was written by a newer build. */
  readonly onNewer: (error: NewerFormat) => void;
}

export class Intake {
  readonly #parts: IntakeParts;
  readonly #toRead = new Set<string>();
  #reading: ReadonlySet<string> = new Set();
  #isStopped = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** True while the account's stream may hold what was run already. */
  isBusy(accountId: string): boolean {
    return this.#parts.isCommitting(accountId) || this.#reading.has(accountId);
  }

  /** Runs, as far as there is room, what can be run without reading. */
  serve(): void {
    const { waiting, hasRoom } = this.#parts;
    for (const accountId of waiting.take(hasRoom)) this.#serve(accountId);
  }

  /** Reads mailboxes unless some are being read; their commands are run when they are there. */
  readNext(): void {
    if (this.#reading.size > 0 || this.#toRead.size === 0 || !this.#parts.hasRoom()) return;
    const accountIds = [...this.#toRead].slice(0, READ_ACCOUNTS_MAX);
    this.#reading = new Set(accountIds);
    for (const accountId of accountIds) this.#toRead.delete(accountId);
    this.#read(accountIds).catch((error: unknown) => {
      if (error instanceof NewerFormat) this.#parts.onNewer(error);
      else this.#readLater(accountIds, error);
    });
  }

  /** A commit has been answered: accounts that it kept busy are read again if they were reported meanwhile or have more waiting. */
  onCommitted(consumedAccounts: Iterable<string>, stillWaiting: readonly string[]): void {
    const { waiting } = this.#parts;
    for (const accountId of consumedAccounts) waiting.resume(accountId);
    for (const accountId of stillWaiting) waiting.add(accountId);
  }

  /** Runs nothing from now on that is still being read. */
  stop(): void {
    this.#isStopped = true;
  }

  #serve(accountId: string): void {
    const { waiting, isHere, load, onShardMailbox } = this.#parts;
    if (this.#toRead.has(accountId)) return;
    if (this.isBusy(accountId)) waiting.postpone(accountId);
    else if (accountId === SHARD_MAILBOX) onShardMailbox();
    else if (!isHere(accountId)) load(accountId);
    else this.#runHead(accountId);
  }

  /** Only Redis has the record of an Idempotency-Key: such a command is read even when a wake-up carried it. */
  #runHead(accountId: string): void {
    const head = this.#parts.waiting.takeHead(accountId);
    if (head?.envelope === undefined || head.envelope.idempotency !== undefined) this.#toRead.add(accountId);
    else this.#parts.run(accountId, head);
  }

  async #read(accountIds: readonly string[]): Promise<void> {
    const { readMailboxes, readRemembered, onRead } = this.#parts;
    const mailboxes = await readMailboxes(accountIds);
    const remembered = await readRemembered(mailboxes);
    if (this.#isStopped) return;
    this.#reading = new Set();
    for (const [accountId, commands] of mailboxes) this.#runAll(accountId, commands, remembered);
    onRead();
  }

  #runAll(accountId: string, commands: readonly WaitingCommand[], remembered: ReadonlyMap<string, string | null>): void {
    const { waiting, isHere, load, onEmpty, run } = this.#parts;
    waiting.takeHead(accountId);
    if (!isHere(accountId)) load(accountId);
    else if (commands.length === 0) onEmpty(accountId);
    else for (const command of commands) run(accountId, command, remembered.get(command.id));
  }

  #readLater(accountIds: readonly string[], error: unknown): void {
    const { log, shard, waiting, onRetry } = this.#parts;
    log.warn({ shard, err: error }, 'mailboxes cannot be read, trying again');
    setTimeout(() => {
      this.#reading = new Set();
      for (const accountId of accountIds) waiting.add(accountId);
      onRetry();
    }, RETRY_MS);
  }
}
