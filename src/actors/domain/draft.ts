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
  #writable: WritableAccount;

  constructor(account: Account, timeMs: number) {
    this.#timeMs = timeMs;
    this.#writable = new WritableAccount({ ...account }, 'copy');
  }

  /** The account with all that was recorded so far. */
  get account(): Account {
    return this.#writable.account;
  }

  /** A draft on top of this one, to be adopted or forgotten. */
  attempt(): Draft {
    return new Draft(this.account, this.#timeMs);
  }

  /** Makes an attempt's events this draft's own. The attempt must not be used afterwards. */
  adopt(attempt: Draft): void {
    this.#writable = attempt.#writable;
    for (const event of attempt.events) this.events.push(event);
  }

  record(event: AccountEvent): void {
    this.events.push(event);
    evolve(this.#writable, event, this.#timeMs);
  }
}
