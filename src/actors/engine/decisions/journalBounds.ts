// The size of a shard's journal in bytes, and its bounds per account and per shard: while MongoDB is away the journal only grows.
// An account that fills its own part is refused alone. What ends risk has a reserve. What the market and jobs do to an account is never
// refused: its positions and orders are finite, and a liquidation must not wait. Nor is what payments and jobs have queued:
// its sender waits for no answer and never sends it again.
import type { AccountCommand } from '../../core/messages/command.ts';
import type { CommandEnvelope, Failure } from '../../core/messages/envelope.ts';

/**
 * Once a shard's journal is this full, an account with more than this part of its own bound is refused: many accounts, such as the
 * sub-accounts of one user, leave the rest to those that have little in it.
 */
const CROWDED = 0.75;
const PART_WHEN_CROWDED = 1 / 16;
/** Beyond a bound, for commands that end risk: a part of the bound. */
const RESERVE = 0.25;

export interface JournalBoundsParts {
  readonly accountBytesMax: number;
  readonly shardBytesMax: number;
  /** Bytes of the shard's journal now. */
  readonly shardBytes: () => number;
  readonly onRefused: (bound: 'account' | 'shard') => void;
}

export class JournalBounds {
  readonly #parts: JournalBoundsParts;
  /** Commands that were refused -> their deadlines: one that was sent twice stays refused when there is room again. */
  readonly #refused = new Map<string, number>();

  constructor(parts: JournalBoundsParts) {
    this.#parts = parts;
  }

  /** @param accountBytes of the account's entries in the journal */
  refusal(accountBytes: number, { command, id, deadlineMs }: CommandEnvelope, nowMs: number): Failure | undefined {
    // A queued command is one without a deadline.
    if (command.type === 'query' || deadlineMs === undefined) return undefined;
    const { accountBytesMax, shardBytesMax, shardBytes, onRefused } = this.#parts;
    const isSafe = endsRisk(command);
    const share = isSafe ? 1 + RESERVE : 1;
    const name = `${id.incarnation}:${id.counter}`;
    const bytes = shardBytes();
    const part = isSafe || bytes < shardBytesMax * CROWDED ? 1 : PART_WHEN_CROWDED;
    const isAccountFull = accountBytes >= accountBytesMax * part * share;
    if (!isAccountFull && bytes < shardBytesMax * share && !this.#refused.has(name)) return undefined;
    this.#remember(name, deadlineMs, nowMs);
    onRefused(isAccountFull ? 'account' : 'shard');
    return isAccountFull ? 'accountJournalFull' : 'journalFull';
  }

  #remember(name: string, deadlineMs: number, nowMs: number): void {
    for (const [known, untilMs] of this.#refused) {
      if (untilMs >= nowMs) break;
      this.#refused.delete(known);
    }
    this.#refused.set(name, deadlineMs);
  }
}

/** True for a command after which the account has less open than before. */
function endsRisk(command: AccountCommand): boolean {
  switch (command.type) {
    case 'cancelOrders':
    case 'cancelTwap':
    case 'scheduleCancel':
    case 'closeAccount':
    case 'forgetHistory':
      return true;
    case 'placeOrders':
      return command.orders.every(({ reduceOnly }) => reduceOnly);
    case 'inLab':
      return endsRisk(command.command);
    default:
      return false;
  }
}

/** Commits are counted together up to so many bytes: a cut is exact to this. */
const PART_BYTES = 256 * 1024;

/** How many bytes a shard's journal has in Redis, counted where they are written and cut. */
export class JournalSize {
  readonly #parts: { upTo: number; bytes: number }[] = [];
  #bytes = 0;

  /** @param found bytes of the journal as it was found, by the last commit of each part of it */
  constructor(found: readonly (readonly [upTo: number, bytes: number])[] = []) {
    for (const [upTo, bytes] of found) this.add(upTo, bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Commits come in the order of their numbers. @param bytes of the entries' text */
  add(commit: number, bytes: number): void {
    if (bytes === 0) return;
    this.#bytes += bytes;
    const last = this.#parts.at(-1);
    if (last === undefined || last.bytes >= PART_BYTES) this.#parts.push({ upTo: commit, bytes });
    else {
      last.upTo = commit;
      last.bytes += bytes;
    }
  }

  /** The journal has no entry up to this commit any more. */
  cut(commit: number): void {
    const kept = this.#parts.findIndex(({ upTo }) => upTo > commit);
    for (const { bytes } of this.#parts.splice(0, kept === -1 ? this.#parts.length : kept)) this.#bytes -= bytes;
  }
}
