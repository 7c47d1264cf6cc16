// The trading rules' front door: what an account does when it is asked, when the market moves and when time passes.
// Pure: no clock, no randomness, no I/O; prices, time and ids are inputs.

import type { BookChange, ContextChange, TradesChange } from '../../market/domain/feed.ts';
import type { MarketView } from '../../market/domain/marketView.ts';
import type { IdSource } from '../../shared/domain/ids.ts';
import type { Account } from './account.ts';
import type { AccountCommand } from './command.ts';
import type { AccountEvent } from './event.ts';
import type { Outcome } from './outcome.ts';

export interface Context {
  /** The later of the clock and the account's last time. */
  readonly nowMs: number;
  readonly market: MarketView;
  readonly ids: IdSource;
}

export interface Decision {
  readonly events: readonly AccountEvent[];
  readonly outcome: Outcome;
  /** What the command counts for in `userRateLimit`; goes into its entry. 0 for queries. */
  readonly requests: number;
}

/** Runs one command. Never throws for anything a client can send; a throw is our bug and parks the command. */
export function decide(_account: Account, _command: AccountCommand, _context: Context): Decision {
  throw new Error('being built');
}

/**
 * What a market change does to an account's resting orders, queue positions and consumption. `context.market` already
 * includes the change. No events = not concerned. The shell asks only accounts that `interests` says can be affected.
 */
export function decideMarket(
  _account: Account,
  _change: BookChange | TradesChange | ContextChange,
  _context: Context,
): readonly AccountEvent[] {
  throw new Error('being built');
}
