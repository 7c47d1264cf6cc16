// The trading rules with a pipeline of features, as the runtime takes them: a parameter, so that a test can run a rule that fails.
import type { MarketView } from '../../market/domain/marketView.ts';
import type { Account } from './account/account.ts';
import { decide, decideMarket, decideShardCommand } from './decide.ts';
import type { Decided, Decision } from './fold/draft.ts';
import type { CoinChange, DecisionInput, Pipeline } from './fold/pipeline.ts';
import { decideDue, limitWakePrices, nextDueMs } from './lifecycle/aroundDecision.ts';
import { settleDelisted } from './lifecycle/settleDelisted.ts';
import { type WakePrice, wakePrices } from './margin/wakePrices.ts';
import type { AccountCommand } from './messages/command.ts';
import type { ShardCommand } from './messages/shardCommand.ts';

export interface Rules {
  readonly decide: (account: Account, command: AccountCommand, input: DecisionInput) => Decision;
  readonly decideMarket: (account: Account, change: CoinChange, input: DecisionInput) => Decided;
  readonly decideDue: (account: Account, input: DecisionInput) => Decided;
  readonly decideShardCommand: (account: Account, command: ShardCommand, input: DecisionInput) => Decided;
  readonly settleDelisted: (account: Account, input: DecisionInput) => Decided;
  /** Marks at which the account has to be looked at, for liquidation and for its own limits. */
  readonly wakePrices: (account: Account, market: MarketView) => WakePrice[];
  /** Earliest time at which the account wants to be woken, ms, or undefined when it plans nothing. */
  readonly nextDueMs: (account: Account) => number | undefined;
}

export const rulesWith = (pipeline: Pipeline): Rules => ({
  decide: (account, command, input) => decide(account, command, { ...input, pipeline }),
  decideMarket: (account, change, input) => decideMarket(account, change, { ...input, pipeline }),
  decideDue: (account, input) => decideDue(account, { ...input, pipeline }),
  decideShardCommand: (account, command, input) => decideShardCommand(account, command, { ...input, pipeline }),
  settleDelisted: (account, input) => settleDelisted(account, { ...input, pipeline }),
  wakePrices: (account, market) => [...wakePrices(account, market), ...limitWakePrices(account, market, pipeline)],
  nextDueMs: (account) => nextDueMs(account, pipeline),
});
