// The trading rules with all features, for every caller: the actors, forks and verifiers, tests and benches. Pure. Each list is in the order
// in which its parts run.
import { checkAddressLimit } from '../actors/core/checks/checkAddressLimit.ts';
import { houseLimits } from '../actors/core/checks/checkHouseRules.ts';
import { beginDay, dayTurns, keyLimits } from '../actors/core/checks/checkKeyLimits.ts';
import { decideCommand } from '../actors/core/decide.ts';
import type { Pipeline } from '../actors/core/fold/pipeline.ts';
import { houseWakePrices } from '../actors/core/house/houseWakePrices.ts';
import { hoursTurn, setHouseRules } from '../actors/core/house/setHouseRules.ts';
import { carryPeak, watchHouse } from '../actors/core/house/watchHouse.ts';
import { reserveRequests } from '../actors/core/lifecycle/changeBalance.ts';
import { followAddress, followSource, unfollowAddress } from '../actors/core/lifecycle/followSource.ts';
import { importAccount } from '../actors/core/lifecycle/importAccount.ts';
import {
  createSubAccount,
  receiveTransfer,
  renameSubAccount,
  sendTransfer,
  settleTransfer,
} from '../actors/core/lifecycle/subAccounts.ts';
import { addMirror, beginFork, leverageFirst, receiveMirrored, settleMirror } from '../actors/core/lifecycle/whatIfs.ts';
import { rulesWith } from '../actors/core/rules.ts';
import { decideDelayedBefore, delayedDue, heldDue, inLab, noteLab } from '../actors/core/scheduled/labActions.ts';
import { withMirrored } from '../actors/core/scheduled/withMirrored.ts';
import { fireBefore, fireIfDue, scheduledCancelDue, setScheduledCancel } from './scheduledCancel/rules.ts';
import { cancelTwap, startTwap } from './twap/rules/twapCommands.ts';
import { fireTwaps, slicesDue } from './twap/rules/twapSlice.ts';

export const PIPELINE: Pipeline = {
  commands: {
    ...{ scheduleCancel: setScheduledCancel, startTwap, cancelTwap, setHouseRules, reserveRequests },
    ...{ inLab: (account, command, context) => inLab(account, command, context, decideCommand), noteLab },
    ...{ createSubAccount, renameSubAccount, sendTransfer, receiveTransfer, settleTransfer },
    ...{ beginFork, importAccount, followAddress, followSource, unfollowAddress },
    ...{
      addMirror,
      mirrored: (account, command, context) => receiveMirrored(account, command, context, decideCommand),
      settleMirror,
    },
  },
  beforeCommand: [checkAddressLimit, leverageFirst],
  beforeKey: [beginDay],
  openings: [keyLimits, houseLimits],
  afterDecision: [withMirrored],
  periods: [dayTurns, hoursTurn],
  due: [scheduledCancelDue, slicesDue, delayedDue, heldDue],
  beforeMarket: [fireBefore, decideDelayedBefore],
  onMark: [fireTwaps],
  beforeSettlement: [fireIfDue],
  watches: [watchHouse],
  consequences: [carryPeak],
  wakePrices: [houseWakePrices],
};

export const tradingRules = rulesWith(PIPELINE);

export const { decide, decideMarket, decideDue, settleDelisted, decideShardCommand, nextDueMs } = tradingRules;
