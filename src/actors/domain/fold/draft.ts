// An account during a decision. A draft shares its maps with the account that it was made from and copies a map
// before the first write to it: a refused order leaves no trace, and each order of a batch sees the ones before.
// Events are folded only when the account is read, so the last order of a command costs no fold here.
import type { Account } from '../account/account.ts';
import { type Fill, fillEvent } from '../fills/fillEvent.ts';
import type { FillResult } from '../fills/fillPlan.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { Decided, FillPlans } from './decision.ts';
import { evolve } from './evolve.ts';
import { WritableAccount } from './writableAccount.ts';

/** What is recorded is kept as the decision's events and is part of `account` from then on. */
export class Draft {
  readonly events: AccountEvent[];
  readonly #before: Account;
  readonly #timeMs: number;
  #plans: Map<AccountEvent, FillResult> | undefined;
  #writable: WritableAccount | undefined;
  #foldedEvents = 0;

  /** @param begun what was decided of this account before, at the same time */
  constructor(account: Account, timeMs: number, begun?: Decided) {
    this.events = begun ? [...begun.events] : [];
    this.#plans = begun?.plans && new Map(begun.plans);
    this.#before = account;
    this.#timeMs = timeMs;
  }

  /** The account with all that was recorded so far. */
  get account(): Account {
    while (this.#foldedEvents < this.events.length) {
      this.#writable ??= new WritableAccount({ ...this.#before }, 'copy');
      const event = this.events[this.#foldedEvents];
      if (event) evolve(this.#writable, event, { timeMs: this.#timeMs, plans: this.#plans });
      this.#foldedEvents += 1;
    }
    return this.#writable?.account ?? this.#before;
  }

  get plans(): FillPlans | undefined {
    return this.#plans;
  }

  get decided(): Decided {
    return { events: this.events, plans: this.#plans };
  }

  record(event: AccountEvent): void {
    this.events.push(event);
  }

  recordFill(fill: Fill): void {
    const event = fillEvent(fill);
    this.events.push(event);
    this.#plans ??= new Map();
    this.#plans.set(event, fill.plan);
  }
}
