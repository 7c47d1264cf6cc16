// The entry point of the trading rules: what an account does with a command, a market change, and the passing of
// time. Pure: no clock, no randomness, no I/O; prices, time and ids are inputs.
import { unreachable } from '../../shared/domain/assert.ts';
import type { Account } from './account/account.ts';
import { REFUSALS } from './checks/checkAction.ts';
import { checkAddressLimit, withPause } from './checks/checkAddressLimit.ts';
import { beginDay } from './checks/checkKeyLimits.ts';
import { type Context, clockOf, type Decided, type Decision } from './fold/decision.ts';
import { Draft } from './fold/draft.ts';
import type { CoinChange, Pipeline } from './fold/pipeline.ts';
import { setHouseRules, withConsequences } from './house/setHouseRules.ts';
import { watchHouse } from './house/watchHouse.ts';
import { closeAccount, dropHistory, openAccount, resetAccount } from './lifecycle/accountLife.ts';
import { creditPlan, reserveRequests, setBalance, topUp } from './lifecycle/changeBalance.ts';
import { followAddress, followSource, unfollowAddress } from './lifecycle/followSource.ts';
import { importAccount } from './lifecycle/importAccount.ts';
import { setTerms, updateLeverage } from './lifecycle/settings.ts';
import { createSubAccount, receiveTransfer, renameSubAccount, sendTransfer, settleTransfer } from './lifecycle/subAccounts.ts';
import { topUpIsolatedMargin, updateIsolatedMargin } from './lifecycle/updateIsolatedMargin.ts';
import { addMirror, beginFork, receiveMirrored, settleMirror, withLeverageFirst } from './lifecycle/whatIfs.ts';
import { changesBalances, checkLiquidation } from './liquidation/checkLiquidation.ts';
import { matchBook } from './matching/matchBook.ts';
import { matchTrades } from './matching/matchTrades.ts';
import type { AccountCommand, AccountQuery, OwnersCommand } from './messages/command.ts';
import type { QueryAnswer } from './messages/queryAnswer.ts';
import { cancelOrders } from './orders/endOrders.ts';
import { fireArmed, fireTriggers, retryFired } from './orders/fireTriggers.ts';
import { modifyOrders } from './orders/modifyOrders.ts';
import { placeOrders } from './orders/placeOrders.ts';
import { decideDue } from './scheduled/decideDue.ts';
import { inLab, noteLab } from './scheduled/labActions.ts';
import { turnPeriods } from './scheduled/turnPeriods.ts';
import { withMirrored } from './scheduled/withMirrored.ts';
import { answerQuery } from './views/answerQuery.ts';
import { dryRun } from './views/dryRun.ts';

export type { Context, Decision } from './fold/decision.ts';

/** An action that died of `expiresAfter` counts as much as this many requests. */
const EXPIRED_REQUESTS = 5;

/**
 * Runs one command, after all that was due before it came: a scheduled cancel that was missed ends no order of a later
 * command. A query gives events only of what was due. Never throws for anything a client can send; a throw is our bug
 * and parks the command.
 */
export function decide(account: Account, command: AccountCommand, context: Context, features: Pipeline): Decision {
  const due = dueBefore(account, command, context, features);
  if (due.events.length === 0) return settled(account, runCommand(account, command, context, features), context);
  const { account: afterDue } = new Draft(account, context.nowMs, due);
  const { events, ...answer } = settled(afterDue, runCommand(afterDue, command, context, features), context);
  return { ...answer, events: [...due.events, ...events] };
}

/** What is due is no order of the key that sends the command; a day that the key's limits are measured by begins before it. */
function dueBefore(account: Account, command: AccountCommand, context: Context, features: Pipeline): Decided {
  if (context.key === undefined) return decideDue(account, context, features);
  const due = decideDue(account, { ...context, key: undefined }, features);
  if (command.type === 'query' || account.seq === 0) return due;
  const begun = beginDay(new Draft(account, context.nowMs, due), context);
  return begun.events.length === 0 ? due : { ...due, events: [...due.events, ...begun.events] };
}

/** The decision with what it leads to. */
function settled(account: Account, decision: Decision, context: Context): Decision {
  const decided = withConsequences(account, decision, context);
  return decided === decision ? decision : { ...decision, ...decided };
}

type NotAdmitted = { readonly type: 'openAccount' | 'query' };

function runCommand(account: Account, command: AccountCommand, context: Context, features: Pipeline): Decision {
  if (command.type === 'openAccount') return openAccount(account, command);
  if (account.seq === 0 && command.type === 'receiveTransfer') return receiveTransfer(account, command);
  if (account.seq === 0 && command.type === 'beginFork') return beginFork(account, command, context);
  if (account.seq === 0) return { events: [], outcome: { type: 'unknownAccount' }, requests: 0 };
  if (command.type === 'query') {
    const outcome = { type: 'answer', answer: answerOf(account, command.query, context, features), seq: account.seq } as const;
    return { events: [], outcome, requests: 0 };
  }
  return admitted(account, command, context, features);
}

/** A dry run is the decision itself, which is not folded into the account, and takes no id. */
function answerOf(account: Account, query: AccountQuery, context: Context, features: Pipeline): QueryAnswer {
  if (query.kind !== 'dryRun') return answerQuery(account, query, { market: context.market, nowMs: clockOf(context) });
  const { command } = query;
  const tried = { ...context, ids: context.ids.fork() };
  return {
    kind: 'dryRun',
    dryRun: dryRun(account, command, settled(account, admitted(account, command, tried, features), tried), context),
  };
}

function admitted(
  account: Account,
  command: Exclude<AccountCommand, NotAdmitted>,
  context: Context,
  features: Pipeline,
): Decision {
  const admission = context.addressLimit ? checkAddressLimit(account, command, context) : 'within';
  if (typeof admission === 'object') {
    return { events: [], outcome: { type: 'refused', text: admission.text }, requests: 0, leavesNoEntry: true };
  }
  const decision =
    account.fork?.terms?.leverage === undefined
      ? runAdmitted(account, command, context, features)
      : withLeverageFirst(account, command, context, (before) => runAdmitted(before, command, context, features));
  return admission === 'beyond' ? withPause(decision, context) : decision;
}

/** Each feature that the account does not have costs a comparison. */
function runAdmitted(
  account: Account,
  command: Exclude<AccountCommand, NotAdmitted>,
  context: Context,
  features: Pipeline,
): Decision {
  if (command.type === 'inLab') {
    return inLab(account, command, context, (before, drawn, inContext) => runAdmitted(before, drawn, inContext, features));
  }
  if (command.type === 'noteLab') return noteLab(command);
  if (command.expiresAfterMs !== undefined && clockOf(context) > command.expiresAfterMs) {
    return { events: [], outcome: { type: 'refused', text: REFUSALS.expired }, requests: EXPIRED_REQUESTS };
  }
  const decision = runInTime(account, command, context, features);
  return account.mirrors === undefined ? decision : withMirrored(account, command, decision);
}

function runInTime(account: Account, command: OwnersCommand, context: Context, features: Pipeline): Decision {
  switch (command.type) {
    case 'placeOrders':
      return placeOrders(account, command, context);
    case 'cancelOrders':
      return cancelOrders(account, command, context);
    case 'modifyOrders':
      return modifyOrders(account, command, context);
    case 'scheduleCancel':
      return features.commands.scheduleCancel(account, command, context);
    case 'startTwap':
      return features.commands.startTwap(account, command, context);
    case 'cancelTwap':
      return features.commands.cancelTwap(account, command, context);
    case 'topUp':
      return topUp(account, command, context);
    case 'resetAccount':
      return resetAccount(account, command, context);
    case 'setBalance':
      return setBalance(account, command, context);
    case 'creditPlan':
      return creditPlan(account, command);
    case 'createSubAccount':
      return createSubAccount(account, command);
    case 'beginFork':
      return beginFork(account, command, context);
    case 'importAccount':
      return importAccount(account, command, context);
    case 'followAddress':
      return followAddress(account, command);
    case 'followSource':
      return followSource(account, command, context);
    case 'unfollowAddress':
      return unfollowAddress(account, command);
    case 'renameSubAccount':
      return renameSubAccount(account, command);
    case 'sendTransfer':
      return sendTransfer(account, command, context);
    case 'receiveTransfer':
      return receiveTransfer(account, command);
    case 'settleTransfer':
      return settleTransfer(account, command);
    case 'addMirror':
      return addMirror(account, command);
    case 'mirrored':
      return receiveMirrored(account, command, context, (before, copied, inContext) =>
        runAdmitted(before, copied, inContext, features),
      );
    case 'settleMirror':
      return settleMirror(account, command);
    case 'setTerms':
      return setTerms(account, command);
    case 'setHouseRules':
      return setHouseRules(account, command, context);
    case 'closeAccount':
      return closeAccount(account, context);
    case 'forgetHistory':
      return dropHistory(account, command);
    case 'updateLeverage':
      return { ...updateLeverage(account, command, context), requests: 1 };
    case 'updateIsolatedMargin':
      return { ...updateIsolatedMargin(account, command, context.market), requests: 1 };
    case 'reserveRequests':
      return reserveRequests(account, command, context);
    case 'topUpIsolatedMargin':
      return { ...topUpIsolatedMargin(account, command, context.market), requests: 1 };
    default:
      return unreachable(command);
  }
}

/**
 * What a market change does to an account's resting and waiting orders, queue positions and taken liquidity. `context.market` already
 * includes the change. No events = not concerned. The shell asks only accounts that the change can affect.
 */
export function decideMarket(account: Account, change: CoinChange, context: Context, features: Pipeline): Decided {
  const draft = new Draft(account, context.nowMs);
  turnPeriods(draft, context);
  for (const run of features.beforeMarket) run(draft, change, context);
  switch (change.type) {
    case 'trades':
      matchTrades(draft, change, context);
      fireArmed(draft, change.coin, { context });
      break;
    case 'book':
      matchBook(draft, change.coin, context);
      retryFired(draft, change.coin, context);
      fireTriggers(draft, change.coin, context);
      for (const run of features.onMark) run(draft, change.coin, context);
      break;
    case 'context':
      onMark(draft, change.coin, context, features);
      return draft.decided;
    default:
      unreachable(change);
  }
  return withConsequences(account, draft.decided, context);
}

/** Liquidation goes before triggers, and comes again when one of them has filled; house rules are looked at last. */
function onMark(draft: Draft, coin: string, context: Context, features: Pipeline): void {
  checkLiquidation(draft, context);
  const before = draft.events.length;
  fireTriggers(draft, coin, context);
  for (const run of features.onMark) run(draft, coin, context);
  if (changesBalances(draft.events.slice(before))) checkLiquidation(draft, context);
  watchHouse(draft, context);
}
