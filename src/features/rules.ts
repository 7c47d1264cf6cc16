// The trading rules with all features, for every caller: the actors' role, forks and verifiers, tests and benches. Pure.
import * as core from '../actors/core/decide.ts';
import { decideShardCommand } from '../actors/core/decideShardCommand.ts';
import type { Pipeline } from '../actors/core/fold/pipeline.ts';
import { houseWakePrices } from '../actors/core/house/houseWakePrices.ts';
import * as delisting from '../actors/core/lifecycle/settleDelisted.ts';
import { wakePrices } from '../actors/core/margin/wakePrices.ts';
import type { Rules } from '../actors/core/rules.ts';
import * as due from '../actors/core/scheduled/decideDue.ts';
import { decideDelayedBefore, delayedDue, heldDue } from '../actors/core/scheduled/labActions.ts';
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
