// An account while something is being decided. A draft shares its maps with the account it was made from and copies a map
// before the first write to it: a refused order leaves no trace, and each order of a batch sees the ones before. Events
// are folded only when somebody looks, so the last order of a command costs no fold here.
import type { Account } from '../account/account.ts';
import type { AccountEvent } from '../messages/event.ts';
import { evolve } from './evolve.ts';
import { WritableAccount } from './writableAccount.ts';

/** What is recorded is kept as the decision's events and is part of `account` from then on. */
export class Draft {
  readonly events: AccountEvent[] = [];
  readonly #before: Account;
  readonly #timeMs: number;
  #writable: WritableAccount | undefined;
  #foldedEvents = 0;

  constructor(account: Account, timeMs: number) {
    this.#before = account;
    this.#timeMs = timeMs;
  }

  /** The account with all that was recorded so far. */
  get account(): Account {
    while (this.#foldedEvents < this.events.length) {
      this.#writable ??= new WritableAccount({ ...this.#before }, 'copy');
      const event = this.events[this.#foldedEvents];
      if (event) evolve(this.#writable, event, this.#timeMs);
      this.#foldedEvents += 1;
    }
    return this.#writable?.account ?? this.#before;
  }

  record(event: AccountEvent): void {
    this.events.push(event);
  }
}
