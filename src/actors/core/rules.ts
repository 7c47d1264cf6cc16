// The rules as the engine sees them. The engine takes them as a parameter: it knows no feature, and a test can run a rule that fails.
import type { MarketView } from '../../market/domain/marketView.ts';
import type { Account } from './account/account.ts';
import type { decideShardCommand } from './decideShardCommand.ts';
import type { Context, Decided, Decision } from './fold/decision.ts';
import type { CoinChange } from './fold/pipeline.ts';
import type { WakePrice } from './margin/wakePrices.ts';
import type { AccountCommand } from './messages/command.ts';

export interface Rules {
  readonly decide: (account: Account, command: AccountCommand, context: Context) => Decision;
  readonly decideMarket: (account: Account, change: CoinChange, context: Context) => Decided;
  readonly decideDue: (account: Account, context: Context) => Decided;
  readonly decideShardCommand: typeof decideShardCommand;
  readonly settleDelisted: (account: Account, context: Context) => Decided;
  /** Marks at which the account has to be looked at, for liquidation and for its house rules. */
  readonly wakePrices: (account: Account, market: MarketView) => WakePrice[];
  /** Earliest time at which the account wants to be woken, ms, or undefined when it plans nothing. */
  readonly nextDueMs: (account: Account) => number | undefined;
}
