// An account while something is being decided. A draft shares its maps with the account it was made from and copies a map
// before the first write to it: a refused order leaves no trace, and each order of a batch sees the ones before.
import type { Account } from './account.ts';
import type { AccountEvent } from './event.ts';
import { evolve } from './evolve.ts';
import { WritableAccount } from './writableAccount.ts';

/** What is recorded is folded into the draft at once and kept as the decision's events. */
export class Draft {
  readonly events: AccountEvent[] = [];
  readonly #timeMs: number;
  readonly #writable: WritableAccount;

  constructor(account: Account, timeMs: number) {
    this.#timeMs = timeMs;
    this.#writable = new WritableAccount({ ...account }, 'copy');
  }

  /** The account with all that was recorded so far. */
  get account(): Account {
    return this.#writable.account;
  }

  record(event: AccountEvent): void {
    this.events.push(event);
    evolve(this.#writable, event, this.#timeMs);
  }
}
