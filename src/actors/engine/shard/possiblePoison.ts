// Runs the commands that an earlier owner may have died of: one after the other, each counted in Redis before it begins,
// and none begun before the commit of the last one is answered. So the owner that a command kills is counted against
// this command and no other. Everything else runs at full speed meanwhile.
import type { Logger } from '../../../shared/logger.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { WaitingCommand } from '../commit/mailbox.ts';
import type { CommandRunner } from '../decisions/commandRunner.ts';
import type { Lease } from '../ownership/lease.ts';
import { beginPossiblePoison, OWNERS_DIED_MAX } from '../ownership/openShard.ts';

/** Pause after a failed count, ms. */
const RETRY_MS = 250;

/** The shard, as its possible poison sees it. */
interface PoisonContext {
  readonly pod: { readonly redis: Redis; readonly log: Logger };
  readonly lease: Lease;
  /** Stream id -> owners that have died of it. */
  readonly opened: { readonly possiblePoison: ReadonlyMap<string, number> };
  readonly commits: { readonly draft: CommitDraft };
  readonly decisions: { readonly commands: Pick<CommandRunner, 'run'> };
  readonly events: { readonly onWork: () => void };
}

interface QueuedCommand {
  readonly accountId: string;
  readonly command: WaitingCommand;
  readonly storedText: string | null | undefined;
}

export class PossiblePoison {
  readonly #shard: PoisonContext;
  readonly #begin: typeof beginPossiblePoison;
  /** By account: a mailbox has one head. */
  readonly #queue = new Map<string, QueuedCommand>();
  #current: QueuedCommand | undefined;
  #isStopped = false;

  /** @param begin counts this owner against a command; replaced by tests that answer for Redis */
  constructor(shard: PoisonContext, begin = beginPossiblePoison) {
    this.#shard = shard;
    this.#begin = begin;
  }

  /** True while a command of the account waits for its turn: its mailbox is not read meanwhile. */
  has(accountId: string): boolean {
    return this.#queue.has(accountId) || this.#current?.accountId === accountId;
  }

  /** @returns true when the command may be poison: it is run later, and those behind it after its commit */
  takes(accountId: string, command: WaitingCommand, storedText?: string | null): boolean {
    const ownersDied = this.#shard.opened.possiblePoison.get(command.id);
    // A command that so many owners have died of is not run: it needs no count.
    if (ownersDied === undefined || ownersDied >= OWNERS_DIED_MAX) return false;
    this.#queue.set(accountId, { accountId, command, storedText });
    this.#next();
    return true;
  }

  /** A commit that has consumed commands of the account is answered. */
  onCommitted(accountId: string): void {
    if (accountId !== this.#current?.accountId) return;
    this.#current = undefined;
    this.#next();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #next(): void {
    const [waiting] = this.#queue.values();
    if (this.#current !== undefined || waiting === undefined) return;
    this.#queue.delete(waiting.accountId);
    this.#current = waiting;
    this.#run(waiting);
  }

  #run(waiting: QueuedCommand): void {
    const { pod, lease, opened, commits, decisions, events } = this.#shard;
    const { accountId, command, storedText } = waiting;
    const { id } = command;
    const again = (): void => {
      setTimeout(() => {
        if (!this.#isStopped) this.#run(waiting);
      }, RETRY_MS);
    };
    const ownersBegun = (opened.possiblePoison.get(id) ?? 0) + 1;
    this.#begin(pod.redis, lease, { accountId, id, ownersBegun }).then(
      (isCounted) => {
        if (this.#isStopped) return;
        // An owner whose lease is lost is stopped by its next heartbeat.
        if (!isCounted) return again();
        decisions.commands.run(accountId, command, commits.draft, storedText);
        events.onWork();
      },
      (error: unknown) => {
        pod.log.warn({ shard: lease.shard, err: error }, 'a possible poison command cannot be counted yet, trying again');
        again();
      },
    );
  }
}
