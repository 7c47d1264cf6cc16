// Which commands of a shard are run next. A command in a wake-up is the head of its stream and is run at once. Others
// are read from their mailboxes first, many accounts in one pipeline. An account whose commands are being read, or
// were consumed by a commit without an answer, waits until then: its stream still holds commands that were run. Commands
// that are there to be run take turns by the time that each account's commands take.
import { NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import { SHARD_MAILBOX } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Retrying } from '../../../shared/retrying.ts';
import type { Commits } from '../commit/commits.ts';
import { type MailboxCommand, readMailboxes, type WaitingAccounts } from '../commit/mailbox.ts';
import { readAnswerRecords } from '../decisions/answers.ts';
import type { CommandRunner } from '../decisions/commandRunner.ts';
import type { AccountsInMemory } from '../memory/accountsInMemory.ts';
import type { ResidentLoader } from '../memory/residentLoader.ts';
import type { Lease } from '../ownership/lease.ts';
import { FairTurns } from '../turns/fairTurns.ts';
import type { ShardLoad } from '../turns/shardLoad.ts';
import type { PodTurns } from '../turns/workSchedule.ts';
import type { PossiblePoison } from './openShard.ts';
import type { ShardCommands } from './shardCommands.ts';

/** Accounts whose mailboxes are read in one pipeline. */
const READ_ACCOUNTS_MAX = 256;
/** Pause after a failed read, ms. */
const RETRYING = new Retrying('mailboxes', { firstMs: 250 });

/** The shard, as its intake sees it. */
interface IntakeContext {
  readonly pod: { readonly redis: Redis; readonly log: Logger; readonly turns: Pick<PodTurns, 'micros'> };
  readonly lease: Pick<Lease, 'shard'>;
  readonly opened: { readonly waiting: WaitingAccounts };
  readonly load: Pick<ShardLoad, 'charge'>;
  readonly accounts: Pick<AccountsInMemory, 'isHere'>;
  readonly commits: Pick<Commits, 'draft' | 'hasConsumed'>;
  readonly decisions: { readonly commands: Pick<CommandRunner, 'run'> };
  /** Commands that an earlier owner may have died of; undefined = there were none when the shard was opened. */
  readonly possiblePoison: PossiblePoison | undefined;
  readonly loader: Pick<ResidentLoader, 'isAway' | 'want'>;
  readonly shardCommands: Pick<ShardCommands, 'want'>;
  readonly events: {
    /** There is work: commands were read and are there to be run, or a read is to be tried again. */
    readonly onWork: () => void;
    /** A command was written by a newer build. */
    readonly onEnd: (error: NewerFormat) => void;
  };
}

/** How mailboxes are read. Tests answer for Redis. */
interface Reads {
  /** Accounts that it leaves out are read next. */
  readonly mailboxes: typeof readMailboxes;
  readonly remembered: typeof readAnswerRecords;
}

/** A command that is there to be run. */
interface Ready {
  readonly command: MailboxCommand;
  readonly storedText: string | null | undefined;
  /** Shared by the commands that were read together. */
  readonly read: { begunInDraft?: number };
}

export class Intake {
  readonly #shard: IntakeContext;
  readonly #reads: Reads;
  readonly #turns: FairTurns<Ready>;
  readonly #toRead = new Set<string>();
  #reading: ReadonlySet<string> = new Set();
  #isStopped = false;

  constructor(shard: IntakeContext, reads: Reads = { mailboxes: readMailboxes, remembered: readAnswerRecords }) {
    this.#shard = shard;
    this.#reads = reads;
    this.#turns = new FairTurns(shard.pod.turns.micros, shard.load.charge);
  }

  /** True when there is something to run without reading. */
  get hasWork(): boolean {
    return !this.#turns.isEmpty || !this.#shard.opened.waiting.isEmpty;
  }

  /** True while the account's stream may hold what was run already. */
  isBusy(accountId: string): boolean {
    const { commits, possiblePoison } = this.#shard;
    if (commits.hasConsumed(accountId) || this.#reading.has(accountId)) return true;
    return this.#turns.has(accountId) || possiblePoison?.has(accountId) === true;
  }

  /**
   * Runs, as far as there is room, what can be run without reading.
   * @param isOver asked after each command: true leaves the others for later
   */
  serve(isOver: () => boolean): void {
    const { opened, commits } = this.#shard;
    for (const accountId of opened.waiting.take(() => !commits.draft.isFull)) this.#serve(accountId);
    while (!this.#turns.isEmpty && !commits.draft.isFull && !this.#isStopped) {
      this.#turns.runNext((accountId, ready) => this.#run(accountId, ready));
      if (isOver()) return;
    }
  }

  /** Reads mailboxes unless some are being read; their commands are run when they are there. */
  readNext(): void {
    if (this.#reading.size > 0 || this.#toRead.size === 0 || this.#shard.commits.draft.isFull) return;
    const accountIds = [...this.#toRead].slice(0, READ_ACCOUNTS_MAX);
    this.#reading = new Set(accountIds);
    for (const accountId of accountIds) this.#toRead.delete(accountId);
    this.#read(accountIds).catch((error: unknown) => {
      if (error instanceof NewerFormat) this.#shard.events.onEnd(error);
      else this.#readLater(accountIds, error);
    });
  }

  /** A commit has been answered: accounts that it kept busy are read again if they were reported meanwhile or have more waiting. */
  onCommitted(consumedAccounts: Iterable<string>, stillWaiting: readonly string[]): void {
    const { opened, possiblePoison } = this.#shard;
    const { waiting } = opened;
    for (const accountId of consumedAccounts) {
      possiblePoison?.onCommitted(accountId);
      waiting.resume(accountId);
    }
    for (const accountId of stillWaiting) waiting.add(accountId);
  }

  /** Runs nothing from now on that is still being read. */
  stop(): void {
    this.#isStopped = true;
    this.#shard.possiblePoison?.stop();
  }

  #serve(accountId: string): void {
    const { opened, accounts, loader, shardCommands } = this.#shard;
    if (this.#toRead.has(accountId)) return;
    if (this.isBusy(accountId)) opened.waiting.postpone(accountId);
    else if (accountId === SHARD_MAILBOX) shardCommands.want();
    else if (!accounts.isHere(accountId) && !loader.isAway(accountId)) loader.want(accountId);
    else this.#runHead(accountId);
  }

  /** Only Redis has the record of an Idempotency-Key: such a command is read even when a wake-up carried it. */
  #runHead(accountId: string): void {
    const head = this.#shard.opened.waiting.takeHead(accountId);
    if (head?.envelope === undefined || head.envelope.idempotency !== undefined) this.#toRead.add(accountId);
    else this.#turns.add(accountId, [{ command: head, storedText: undefined, read: {} }]);
  }

  async #read(accountIds: readonly string[]): Promise<void> {
    const { pod, lease, events } = this.#shard;
    const mailboxes = await this.#reads.mailboxes(pod.redis, lease.shard, accountIds);
    const remembered = await this.#reads.remembered(pod.redis, lease.shard, mailboxes);
    if (this.#isStopped) return;
    this.#reading = new Set();
    for (const accountId of accountIds) if (!mailboxes.has(accountId)) this.#toRead.add(accountId);
    for (const [accountId, commands] of mailboxes) this.#takeAll(accountId, commands, remembered);
    events.onWork();
  }

  #takeAll(accountId: string, commands: readonly MailboxCommand[], remembered: ReadonlyMap<string, string | null>): void {
    const { opened, accounts, loader, commits } = this.#shard;
    opened.waiting.takeHead(accountId);
    if (!accounts.isHere(accountId) && !loader.isAway(accountId)) loader.want(accountId);
    else if (commands.length === 0) commits.draft.consume(accountId);
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
    const { possiblePoison: poison, decisions, loader, commits } = this.#shard;
    const { command, storedText } = ready;
    if (this.#isOutdated(ready)) this.#readAgain(accountId);
    else if (poison && !loader.isAway(accountId) && poison.takes(accountId, command, storedText)) this.#turns.drop(accountId);
    else decisions.commands.run(accountId, command, commits.draft, storedText);
  }

  /** True when an earlier commit may have written the record of the command's Idempotency-Key since that was read. */
  #isOutdated({ command: { envelope }, read }: Ready): boolean {
    const draft = this.#shard.commits.draft.number;
    read.begunInDraft ??= draft;
    return envelope?.idempotency !== undefined && read.begunInDraft !== draft;
  }

  #readAgain(accountId: string): void {
    this.#turns.drop(accountId);
    if (this.isBusy(accountId)) this.#shard.opened.waiting.postpone(accountId);
    else this.#toRead.add(accountId);
  }

  #readLater(accountIds: readonly string[], error: unknown): void {
    const { pod, lease, opened, events } = this.#shard;
    pod.log.warn({ shard: lease.shard, err: error }, 'mailboxes cannot be read, trying again');
    setTimeout(() => {
      this.#reading = new Set();
      for (const accountId of accountIds) opened.waiting.add(accountId);
      events.onWork();
    }, RETRYING.nextMs());
  }
}
