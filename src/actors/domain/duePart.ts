// One thing that an account does by itself at a time that its state names: when, and what. The time is state, so a crash
// forgets none, and whoever has the account next finds it due.
import type { Account } from './account.ts';
import type { Context } from './decision.ts';
import type { Draft } from './draft.ts';

export interface DuePart {
  /** Earliest time at which there is something to do, ms; undefined = nothing is planned. */
  nextMs(account: Account): number | undefined;
  /**
   * Does what was due first, once. Afterwards `nextMs` is later or undefined, also when nothing could be done: what is
   * tried again is given a time of its own.
   */
  run(draft: Draft, context: Context): void;
}
