// Which commands of a shard are run next. A command in a wake-up is the head of its stream and is run at once. Others
// are read from their mailboxes first, many accounts in one pipeline. An account whose commands are being read, or
// were consumed by a commit without an answer, waits until then: its stream still holds commands that were run. Commands
// that are there to be run take turns by the time that each account's commands take.
import { NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import { SHARD_MAILBOX } from '../../../shared/redis/keys.ts';
import type { WaitingAccounts, WaitingCommand } from '../commit/mailbox.ts';
import { FairTurns } from '../turns/fairTurns.ts';
import type { PossiblePoison } from './possiblePoison.ts';

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
  /** Accounts that it leaves out are read next. */
  readonly readMailboxes: (accountIds: readonly string[]) => Promise<Mailboxes>;
  /** The records of the commands' Idempotency-Keys, by the command's stream id. */
  readonly readRemembered: (mailboxes: Mailboxes) => Promise<ReadonlyMap<string, string | null>>;
  /** False while the open draft is full. */
  readonly hasRoom: () => boolean;
  /** Number of the open draft. */
  readonly draftNumber: () => number;
  /** Clock for the cost of a command, microseconds. */
  readonly micros: () => number;
  /** What a command of the account has taken, microseconds. */
  readonly onCharged: (accountId: string, micros: number) => void;
  /** True while a commit that is not answered consumes commands of the account. */
  readonly isCommitting: (accountId: string) => boolean;
  /** True when the account is in memory or in quarantine. */
  readonly isHere: (accountId: string) => boolean;
  /** True while the account cannot be brought into memory: its commands are refused. */
  readonly isAway: (accountId: string) => boolean;
  /** Brings the account into memory; it is to be added to `waiting` then. */
  readonly load: (accountId: string) => void;
  readonly run: (accountId: string, command: WaitingCommand, storedText?: string | null) => void;
  /** Commands that an earlier owner may have died of. */
  readonly possiblePoison: PossiblePoison;
  /** The account was named, but its stream is empty. */
  readonly onEmpty: (accountId: string) => void;
  readonly onShardMailbox: () => void;
  /** There is work: commands were read and run, or an account is free again. */
  readonly onRead: () => void;
  readonly onRetry: () => void;
  /** A command was written by a newer build. */
  readonly onNewer: (error: NewerFormat) => void;
}

/** A command that is there to be run. */
interface Ready {
  readonly command: WaitingCommand;
  readonly storedText: string | null | undefined;
  /** Shared by the commands that were read together. */
  readonly read: { begunInDraft?: number };
}

export class Intake {
  readonly #parts: IntakeParts;
  readonly #turns: FairTurns<Ready>;
  readonly #toRead = new Set<string>();
  #reading: ReadonlySet<string> = new Set();
  #isStopped = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    this.#turns = new FairTurns(parts.micros, parts.onCharged);
  }

  /** True when there is something to run without reading. */
  get hasWork(): boolean {
    return !this.#turns.isEmpty || !this.#parts.waiting.isEmpty;
  }

  /** True while the account's stream may hold what was run already. */
  isBusy(accountId: string): boolean {
    const { isCommitting, possiblePoison } = this.#parts;
    if (isCommitting(accountId) || this.#reading.has(accountId)) return true;
    return this.#turns.has(accountId) || possiblePoison.has(accountId);
  }

  /**
   * Runs, as far as there is room, what can be run without reading.
   * @param isOver asked after each command: true leaves the others for later
   */
  serve(isOver: () => boolean): void {
    const { waiting, hasRoom } = this.#parts;
    for (const accountId of waiting.take(hasRoom)) this.#serve(accountId);
    while (!this.#turns.isEmpty && hasRoom() && !this.#isStopped) {
      this.#turns.runNext((accountId, ready) => this.#run(accountId, ready));
      if (isOver()) return;
    }
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
    const { waiting, possiblePoison } = this.#parts;
    for (const accountId of consumedAccounts) {
      possiblePoison.onCommitted(accountId);
      waiting.resume(accountId);
    }
    for (const accountId of stillWaiting) waiting.add(accountId);
  }

  /** Runs nothing from now on that is still being read. */
  stop(): void {
    this.#isStopped = true;
    this.#parts.possiblePoison.stop();
  }

  #serve(accountId: string): void {
    const { waiting, isHere, isAway, load, onShardMailbox } = this.#parts;
    if (this.#toRead.has(accountId)) return;
    if (this.isBusy(accountId)) waiting.postpone(accountId);
    else if (accountId === SHARD_MAILBOX) onShardMailbox();
    else if (!isHere(accountId) && !isAway(accountId)) load(accountId);
    else this.#runHead(accountId);
  }

  /** Only Redis has the record of an Idempotency-Key: such a command is read even when a wake-up carried it. */
  #runHead(accountId: string): void {
    const head = this.#parts.waiting.takeHead(accountId);
    if (head?.envelope === undefined || head.envelope.idempotency !== undefined) this.#toRead.add(accountId);
    else this.#turns.add(accountId, [{ command: head, storedText: undefined, read: {} }]);
  }

  async #read(accountIds: readonly string[]): Promise<void> {
    const { readMailboxes, readRemembered, onRead } = this.#parts;
    const mailboxes = await readMailboxes(accountIds);
    const remembered = await readRemembered(mailboxes);
    if (this.#isStopped) return;
    this.#reading = new Set();
    for (const accountId of accountIds) if (!mailboxes.has(accountId)) this.#toRead.add(accountId);
    for (const [accountId, commands] of mailboxes) this.#takeAll(accountId, commands, remembered);
    onRead();
  }

  #takeAll(accountId: string, commands: readonly WaitingCommand[], remembered: ReadonlyMap<string, string | null>): void {
    const { waiting, isHere, isAway, load, onEmpty } = this.#parts;
    waiting.takeHead(accountId);
    if (!isHere(accountId) && !isAway(accountId)) load(accountId);
    else if (commands.length === 0) onEmpty(accountId);
    else {
      const read = {};
      this.#turns.add(
        accountId,
        commands.map((command) => ({ command, storedText: remembered.get(command.id), read })),
      );
    }
  }

  /** What is behind a command that may be poison has to wait for it. One that is refused is not begun. */
  #run(accountId: string, ready: Ready): void {
    const { possiblePoison, run, isAway } = this.#parts;
    const { command, storedText } = ready;
    if (this.#isOutdated(ready)) this.#readAgain(accountId);
    else if (!isAway(accountId) && possiblePoison.takes(accountId, command, storedText)) this.#turns.drop(accountId);
    else run(accountId, command, storedText);
  }

  /** True when an earlier commit may have written the record of the command's Idempotency-Key since that was read. */
  #isOutdated({ command: { envelope }, read }: Ready): boolean {
    const draft = this.#parts.draftNumber();
    read.begunInDraft ??= draft;
    return envelope?.idempotency !== undefined && read.begunInDraft !== draft;
  }

  #readAgain(accountId: string): void {
    this.#turns.drop(accountId);
    if (this.isBusy(accountId)) this.#parts.waiting.postpone(accountId);
    else this.#toRead.add(accountId);
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
