// The trading rules with all features, for every caller: the actors, forks and verifiers, tests and benches. The runtime takes the rules
// as a parameter, so that a test can run a rule that fails. Pure.
import type { Account } from '../actors/core/account/account.ts';
import * as core from '../actors/core/decide.ts';
import { decideShardCommand } from '../actors/core/decideShardCommand.ts';
import type { Context, Decided, Decision } from '../actors/core/fold/decision.ts';
import type { CoinChange, Pipeline } from '../actors/core/fold/pipeline.ts';
import { houseWakePrices } from '../actors/core/house/houseWakePrices.ts';
import * as delisting from '../actors/core/lifecycle/settleDelisted.ts';
import { type WakePrice, wakePrices } from '../actors/core/margin/wakePrices.ts';
import type { AccountCommand } from '../actors/core/messages/command.ts';
import * as due from '../actors/core/scheduled/decideDue.ts';
import { decideDelayedBefore, delayedDue, heldDue } from '../actors/core/scheduled/labActions.ts';
import type { MarketView } from '../market/domain/marketView.ts';
import { fireBefore, fireIfDue, scheduledCancelDue, setScheduledCancel } from './scheduledCancel/rules.ts';
import { cancelTwap, startTwap } from './twap/rules/twapCommands.ts';
import { fireTwaps, slicesDue } from './twap/rules/twapSlice.ts';

const FEATURES: Pipeline = {
  commands: { scheduleCancel: setScheduledCancel, startTwap, cancelTwap },
  beforeMarket: [fireBefore, decideDelayedBefore],
  onMark: [fireTwaps],
  beforeSettlement: [fireIfDue],
  due: [scheduledCancelDue, slicesDue, delayedDue, heldDue],
};

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

export const tradingRules: Rules = {
  decide: (account, command, context) => core.decide(account, command, context, FEATURES),
  decideMarket: (account, change, context) => core.decideMarket(account, change, context, FEATURES),
  decideDue: (account, context) => due.decideDue(account, context, FEATURES),
  decideShardCommand,
  settleDelisted: (account, context) => delisting.settleDelisted(account, context, FEATURES),
  wakePrices: (account, market) => [...wakePrices(account, market), ...houseWakePrices(account, market)],
  nextDueMs: (account) => due.nextDueMs(account, FEATURES),
};

export const { decide, decideMarket, decideDue, settleDelisted, nextDueMs } = tradingRules;
