// The trading rules with all features, for every caller: the actors, forks and verifiers, tests and benches. Pure. Each list is in the order
// in which its parts run.

import { decideCommand } from '../actors/core/decide.ts';
import type { Pipeline } from '../actors/core/fold/pipeline.ts';
import { rulesWith } from '../actors/core/rules.ts';
import { beginFork, importAccount } from './copies/rules/beginAccount.ts';
import { copySteps } from './copies/rules/evolveCopies.ts';
import { followAddress, followSource, unfollowAddress } from './copies/rules/followSource.ts';
import { addWhatIf, leverageFirst, receiveCopy, sentToWhatIfs, settleWhatIf } from './copies/rules/whatIfs.ts';
import { decideDelayedBefore, delayedAction, delayedDue, heldDue, inLab, labSteps, noteLab } from './lab/rules.ts';
import { addressLimitSteps, checkAddressLimit, reserveRequests } from './limits/rules/addressLimit.ts';
import { wakePricesOfLimits } from './limits/rules/limitMarks.ts';
import { accountLimits, keyLimits } from './limits/rules/limitTable.ts';
import { beginDay, dayTurns, hoursTurn, keySteps, limitSteps, limitsAnswer, setAccountLimits } from './limits/rules/setLimits.ts';
import { carryPeak, watchAccountLimits } from './limits/rules/watchLimits.ts';
import { fireBefore, fireIfDue, scheduledCancelDue, scheduledCancelSteps, setScheduledCancel } from './scheduledCancel/rules.ts';
import {
  createSubAccount,
  groupMember,
  listSubAccounts,
  receiveTransfer,
  renameSubAccount,
  sendTransfer,
  settleTransfer,
  subAccountSteps,
} from './subAccounts/rules.ts';
import { cancelTwap, runningTwaps, startTwap, twapSteps } from './twap/rules/twapCommands.ts';
import { fireTwaps, slicesDue } from './twap/rules/twapSlice.ts';

export const PIPELINE: Pipeline = {
  commands: {
    ...{ scheduleCancel: setScheduledCancel, startTwap, cancelTwap, setHouseRules: setAccountLimits, reserveRequests },
    ...{ inLab: (account, command, context) => inLab(account, command, context, decideCommand), noteLab },
    ...{ createSubAccount, renameSubAccount, sendTransfer, receiveTransfer, settleTransfer },
    ...{ beginFork, importAccount, followAddress, followSource, unfollowAddress },
    ...{
      addMirror: addWhatIf,
      mirrored: (account, command, context) => receiveCopy(account, command, context, decideCommand),
      settleMirror: settleWhatIf,
    },
  },
  evolve: {
    ...{ ...subAccountSteps, ...copySteps, ...scheduledCancelSteps, ...twapSteps },
    ...{ ...addressLimitSteps, ...keySteps, ...limitSteps, ...labSteps },
  },
  answers: { runningTwaps, delayedAction, houseRules: limitsAnswer, subAccounts: listSubAccounts, groupMember },
  beforeCommand: [checkAddressLimit, leverageFirst],
  beforeKey: [beginDay],
  openings: [keyLimits, accountLimits],
  afterDecision: [sentToWhatIfs],
  periods: [dayTurns, hoursTurn],
  due: [scheduledCancelDue, slicesDue, delayedDue, heldDue],
  beforeMarket: [fireBefore, decideDelayedBefore],
  onMark: [fireTwaps],
  beforeSettlement: [fireIfDue],
  watches: [watchAccountLimits],
  consequences: [carryPeak],
  wakePrices: [wakePricesOfLimits],
};

export const tradingRules = rulesWith(PIPELINE);

export const { decide, decideMarket, decideDue, settleDelisted, decideShardCommand, nextDueMs } = tradingRules;
export const { applyEntry, recordEntry, foldAccount, lastGoodState, rebuildAccount } = tradingRules;
