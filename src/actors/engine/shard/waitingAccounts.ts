// The accounts of a shard that may have waiting commands, as wake-ups, the pending set and commits report them. It
// fills while the shard is recovering, and the running shard empties it. An account is in it once, however often it
// is reported.
import { SHARD_MAILBOX } from '../../../shared/redis/keys.ts';
import { readWakeup, type WaitingCommand } from '../commit/mailbox.ts';

export class WaitingAccounts {
  readonly #ready = new Set<string>();
  /** Accounts that were reported while they were busy. */
  readonly #postponed = new Set<string>();
  /** Commands from wake-ups, by account: the heads of their streams. */
  readonly #heads = new Map<string, WaitingCommand>();

  /** True when no account is ready. */
  get isEmpty(): boolean {
    return this.#ready.size === 0;
  }

  onBell(message: string): void {
    for (const { accountId, command } of readWakeup(message)) {
      if (accountId !== SHARD_MAILBOX) this.#heads.set(accountId, command);
      this.#ready.add(accountId);
    }
  }

  add(accountId: string): void {
    this.#ready.add(accountId);
  }

  /** Takes accounts out while there is room, in the order in which they were named; those that are added meanwhile, too. */
  *take(hasRoom: () => boolean): Iterable<string> {
    for (const accountId of this.#ready) {
      if (!hasRoom()) return;
      this.#ready.delete(accountId);
      yield accountId;
    }
  }

  /** Keeps the account until `resume` names it. */
  postpone(accountId: string): void {
    this.#postponed.add(accountId);
  }

  /** The account is free again: it is ready if it was reported meanwhile. */
  resume(accountId: string): void {
    if (this.#postponed.delete(accountId)) this.#ready.add(accountId);
  }

  /** The account's command from a wake-up, given once. */
  takeHead(accountId: string): WaitingCommand | undefined {
    const head = this.#heads.get(accountId);
    this.#heads.delete(accountId);
    return head;
  }

  /** Wake-ups may have been missed: their commands need not be the heads any more. */
  forgetHeads(): void {
    this.#heads.clear();
  }
}
