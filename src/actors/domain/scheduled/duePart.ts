// One thing that an account does by itself at a time that its state names: when, and what. The time is state, so a crash
// forgets none, and whoever has the account next finds it due.
import type { Account } from '../account/account.ts';
import type { Draft } from '../fold/draft.ts';
import type { Context } from '../messages/decision.ts';

export interface DuePart {
  /** Earliest time at which there is something to do, ms; undefined = nothing is planned. */
  nextMs(account: Account): number | undefined;
  /**
   * Does one thing that is due, the first of them, and records that it had its turn, also when nothing could be done: it is
   * not due again at the same time.
   */
  run(draft: Draft, context: Context): void;
}
