// Runs the commands that an earlier owner may have died of: one after the other, each counted in Redis before it begins,
// and none begun before the commit of the last one is answered. So the owner that a command kills is counted against
// this command and no other. Everything else runs at full speed meanwhile.
import type { Logger } from '../../../shared/logger.ts';
import type { WaitingCommand } from '../commit/mailbox.ts';

/** Pause after a failed count, ms. */
const RETRY_MS = 250;

export interface PossiblePoisonParts {
  readonly log: Logger;
  readonly shard: number;
  /** Stream id -> owners that have died of it. */
  readonly possiblePoison: ReadonlyMap<string, number>;
  /** A command that so many owners have died of is not run: it needs no count. */
  readonly ownersDiedMax: number;
  /** Counts this owner against the command; false when Redis has not its lease: lost, or run out and renewed in a moment. */
  readonly begin: (waiting: { accountId: string; id: string; ownersBegun: number }) => Promise<boolean>;
  readonly run: (accountId: string, command: WaitingCommand, storedText?: string | null) => void;
  /** A command was run. */
  readonly onRun: () => void;
}

interface Held {
  readonly accountId: string;
  readonly command: WaitingCommand;
  readonly storedText: string | null | undefined;
}

export class PossiblePoison {
  readonly #parts: PossiblePoisonParts;
  /** By account: a mailbox has one head. */
  readonly #queue = new Map<string, Held>();
  #current: Held | undefined;
  #isStopped = false;

  constructor(parts: PossiblePoisonParts) {
    this.#parts = parts;
  }

  /** True while a command of the account waits for its turn: its mailbox is not read meanwhile. */
  has(accountId: string): boolean {
    return this.#queue.has(accountId) || this.#current?.accountId === accountId;
  }

  /** @returns true when the command may be poison: it is run later, and those behind it after its commit */
  takes(accountId: string, command: WaitingCommand, storedText?: string | null): boolean {
    const { possiblePoison, ownersDiedMax } = this.#parts;
    const ownersDied = possiblePoison.get(command.id);
    if (ownersDied === undefined || ownersDied >= ownersDiedMax) return false;
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
    this.#begin(waiting);
  }

  #begin(waiting: Held): void {
    const { log, shard, possiblePoison, begin, run, onRun } = this.#parts;
    const { accountId, command, storedText } = waiting;
    const { id } = command;
    const again = (): void => {
      setTimeout(() => {
        if (!this.#isStopped) this.#begin(waiting);
      }, RETRY_MS);
    };
    begin({ accountId, id, ownersBegun: (possiblePoison.get(id) ?? 0) + 1 }).then(
      (isCounted) => {
        if (this.#isStopped) return;
        // An owner whose lease is lost is stopped by its next heartbeat.
        if (!isCounted) return again();
        run(accountId, command, storedText);
        onRun();
      },
      (error: unknown) => {
        log.warn({ shard, err: error }, 'a possible poison command cannot be counted yet, trying again');
        again();
      },
    );
  }
}
