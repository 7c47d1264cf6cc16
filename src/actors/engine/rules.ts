// The trading rules as the runtime calls them. They are a parameter of the runtime, so that a test can run a rule
// that fails.
import type { MarketView } from '../../market/domain/marketView.ts';
import type { Account } from '../core/account/account.ts';
import { decide, decideMarket } from '../core/decide.ts';
import { decideShardCommand } from '../core/decideShardCommand.ts';
import { houseWakePrices } from '../core/house/houseWakePrices.ts';
import { settleDelisted } from '../core/lifecycle/settleDelisted.ts';
import { type WakePrice, wakePrices } from '../core/margin/wakePrices.ts';
import { decideDue, nextDueMs } from '../core/scheduled/decideDue.ts';

export interface Rules {
  readonly decide: typeof decide;
  readonly decideMarket: typeof decideMarket;
  readonly decideDue: typeof decideDue;
  readonly decideShardCommand: typeof decideShardCommand;
  readonly settleDelisted: typeof settleDelisted;
  /** Marks at which the account has to be looked at, for liquidation and for its house rules. */
  readonly wakePrices: (account: Account, market: MarketView) => WakePrice[];
  readonly nextDueMs: (account: Account) => number | undefined;
}

export const tradingRules: Rules = {
  decide,
  decideMarket,
  decideDue,
  decideShardCommand,
  settleDelisted,
  wakePrices: (account, market) => [...wakePrices(account, market), ...houseWakePrices(account, market)],
  nextDueMs,
};
