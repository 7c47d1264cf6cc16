// The accounts of a shard that may have commands waiting, as bells, the pending set and commits tell. It fills while the shard
// is recovering and is emptied by the running one. An account is in it once, however often it was named.
import { SHARD_MAILBOX } from '../../shared/redis/keys.ts';
import { readBell, type WaitingCommand } from '../commit/mailbox.ts';

export class WaitingAccounts {
  readonly #ready = new Set<string>();
  /** Accounts that were named while they could not be looked at. */
  readonly #postponed = new Set<string>();
  /** Commands that a bell brought along, by account: the heads of their streams. */
  readonly #heads = new Map<string, WaitingCommand>();

  /** True when no account can be looked at now. */
  get isEmpty(): boolean {
    return this.#ready.size === 0;
  }

  onBell(message: string): void {
    for (const { accountId, command } of readBell(message)) {
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

  /** The account can be looked at again: it is ready if it was named meanwhile. */
  resume(accountId: string): void {
    if (this.#postponed.delete(accountId)) this.#ready.add(accountId);
  }

  /** The command that a bell brought along for the account, given once. */
  takeHead(accountId: string): WaitingCommand | undefined {
    const head = this.#heads.get(accountId);
    this.#heads.delete(accountId);
    return head;
  }

  /** Bells may have been missed: what they brought need not be the heads any more. */
  forgetHeads(): void {
    this.#heads.clear();
  }
}
