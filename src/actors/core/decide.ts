// The entry points of the trading rules, for commands, market changes, commands of jobs, and the passing of time. They are pure: no clock, no
// randomness, no I/O. Prices, time and ids are inputs.
import { unreachable } from '../../shared/domain/assert.ts';
import type { Account } from './account/account.ts';
import { REFUSALS, refused } from './checks/checkAction.ts';
import { type Decided, type Decision, Draft } from './fold/draft.ts';
import { type CoinChange, type Context, clockOf, type FeatureCommand } from './fold/pipeline.ts';
import { closeAccount, dropHistory, openAccount, resetAccount } from './lifecycle/accountLife.ts';
import {
  decideDue,
  limitWakePrices,
  plansNothing,
  turnPeriods,
  watchLimits,
  withConsequences,
} from './lifecycle/aroundDecision.ts';
import { creditPlan, setBalance, topUp } from './lifecycle/changeBalance.ts';
import { setTerms, topUpIsolatedMargin, updateIsolatedMargin, updateLeverage } from './lifecycle/settings.ts';
import { changesBalances, checkLiquidation } from './liquidation/checkLiquidation.ts';
import { payFunding } from './liquidation/payFunding.ts';
import { isInDanger, wakePrices } from './margin/wakePrices.ts';
import { matchBook } from './matching/matchBook.ts';
import { matchTrades } from './matching/matchTrades.ts';
import type { AccountCommand, AccountQuery } from './messages/command.ts';
import type { AccountEvent } from './messages/event.ts';
import type { ShardCommand } from './messages/shardCommand.ts';
import { cancelOrders } from './orders/endOrders.ts';
import { fireArmed, fireTriggers, retryFired } from './orders/fireTriggers.ts';
import { modifyOrders } from './orders/modifyOrders.ts';
import { placeOrders } from './orders/placeOrders.ts';
import { answerQuery } from './views/answerQuery.ts';
import { dryRun } from './views/dryRun.ts';

/** An action that died of `expiresAfter` counts as much as this many requests. */
const EXPIRED_REQUESTS = 5;

type ChangeCommand = Exclude<AccountCommand, { readonly type: 'query' }>;

/**
 * Runs one command, after all that was due before it came: a scheduled cancel that was missed ends no order of a later
 * command. A query gives events only of what was due. Never throws for anything a client can send; a throw is our bug
 * and parks the command.
 */
export function decide(account: Account, command: AccountCommand, context: Context): Decision {
  if (plansNothing(account) && context.key === undefined) return decideNow(account, command, context);
  const due = dueBefore(account, command, context);
  if (due.events.length === 0) return decideNow(account, command, context);
  const { events, ...answer } = decideNow(new Draft(account, context, due).account, command, context);
  return { ...answer, events: [...due.events, ...events] };
}

/** Work that is due is no order of the key that sends the command. The measures of the key's limits begin before the command. */
function dueBefore(account: Account, command: AccountCommand, context: Context): Decided {
  if (context.key === undefined) return decideDue(account, context);
  const due = decideDue(account, { ...context, key: undefined });
  if (command.type === 'query' || account.seq === 0) return due;
  const before = new Draft(account, context, due);
  for (const note of context.pipeline.beforeKey) {
    const event = note(before.account, context);
    if (event !== undefined) before.record(event);
  }
  return before.decided;
}

/** The decision of a command, with what it leads to. */
function decideNow(account: Account, command: AccountCommand, context: Context): Decision {
  if (account.seq === 0 && !MAY_BEGIN.has(command.type)) return { ...NOTHING, outcome: { type: 'unknownAccount' } };
  if (command.type === 'query') return answer(account, command.query, context);
  const isWatched = context.addressLimit === true || account.fork !== undefined;
  const decision = isWatched ? withPreludes(account, command, context) : decideCommand(account, command, context);
  const decided = withConsequences(account, decision, context);
  return decided === decision ? decision : { ...decision, ...decided };
}

/** Commands that an account takes before its first entry. */
const MAY_BEGIN: ReadonlySet<AccountCommand['type']> = new Set(['openAccount', 'receiveTransfer', 'beginFork']);

const NOTHING = { events: [], requests: 0 } as const;

/** A dry run is the decision itself, which is not folded into the account, and takes no id. */
function answer(account: Account, query: AccountQuery, context: Context): Decision {
  const { seq } = account;
  if (query.kind !== 'dryRun') {
    const told = answerQuery(account, query, { ...context, nowMs: clockOf(context) });
    return { ...NOTHING, outcome: { type: 'answer', answer: told, seq } };
  }
  const decision = decideNow(account, query.command, { ...context, ids: context.ids.fork() });
  const tried = { kind: 'dryRun', dryRun: dryRun(account, query.command, decision, context) } as const;
  return { ...NOTHING, outcome: { type: 'answer', answer: tried, seq } };
}

/** The command with what features do about it before: the first refusal answers it. */
function withPreludes(account: Account, command: ChangeCommand, context: Context): Decision {
  const first: AccountEvent[] = [];
  const last: ((decision: Decision) => AccountEvent)[] = [];
  for (const before of context.pipeline.beforeCommand) {
    const prelude = before(account, command, context);
    if (prelude?.refusal !== undefined) return prelude.refusal;
    if (prelude?.first !== undefined) first.push(...prelude.first);
    if (prelude?.last !== undefined) last.push(prelude.last);
  }
  const begun = first.length === 0 ? account : new Draft(account, context, { events: first }).account;
  const decision = decideCommand(begun, command, context);
  const isRefused = decision.events.length === 0 && decision.leavesNoEntry === true;
  const events = [...(isRefused ? [] : first), ...decision.events, ...last.map((eventOf) => eventOf(decision))];
  return { ...decision, events };
}

/** The decision of a command alone. Features come here with a command that another one has brought. */
export function decideCommand(account: Account, command: ChangeCommand, context: Context): Decision {
  if (command.type === 'inLab' || command.type === 'noteLab') return decideByType(account, command, context);
  if ('expiresAfterMs' in command && command.expiresAfterMs !== undefined && clockOf(context) > command.expiresAfterMs) {
    return refused(REFUSALS.expired, EXPIRED_REQUESTS);
  }
  const decision = decideByType(account, command, context);
  if (account.mirrors === undefined) return decision;
  return context.pipeline.afterDecision.reduce((decided, after) => after(account, command, decided), decision);
}

function decideByType(account: Account, command: ChangeCommand, context: Context): Decision {
  switch (command.type) {
    case 'placeOrders':
      return placeOrders(account, command, context);
    case 'cancelOrders':
      return cancelOrders(account, command, context);
    case 'modifyOrders':
      return modifyOrders(account, command, context);
    case 'openAccount':
      return openAccount(account, command);
    case 'topUp':
      return topUp(account, command, context);
    case 'resetAccount':
      return resetAccount(account, command, context);
    case 'setBalance':
      return setBalance(account, command, context);
    case 'creditPlan':
      return creditPlan(account, command);
    case 'setTerms':
      return setTerms(account, command);
    case 'closeAccount':
      return closeAccount(account, context);
    case 'forgetHistory':
      return dropHistory(account, command);
    case 'updateLeverage':
      return { ...updateLeverage(account, command, context), requests: 1 };
    case 'updateIsolatedMargin':
      return { ...updateIsolatedMargin(account, command, context.market), requests: 1 };
    case 'topUpIsolatedMargin':
      return { ...topUpIsolatedMargin(account, command, context.market), requests: 1 };
    default:
      return ofFeature(context, command.type)(account, command, context);
  }
}

/** Each type has its own function. The compiler does not know that the function fits the command. */
const ofFeature = ({ pipeline }: Context, type: FeatureCommand) =>
  pipeline.commands[type] as (account: Account, command: AccountCommand, context: Context) => Decision;

/**
 * What a market change does to an account's resting and waiting orders, queue positions and taken liquidity. `context.market` already
 * includes the change. No events = not concerned. The shell asks only accounts that the change can affect.
 */
export function decideMarket(account: Account, change: CoinChange, context: Context): Decided {
  const draft = new Draft(account, context);
  if (!plansNothing(account)) {
    turnPeriods(draft, context);
    for (const run of context.pipeline.beforeMarket) run(draft, change, context);
  }
  switch (change.type) {
    case 'trades':
      matchTrades(draft, change, context);
      fireArmed(draft, change.coin, { context });
      break;
    case 'book':
      matchBook(draft, change.coin, context);
      retryFired(draft, change.coin, context);
      fireTriggers(draft, change.coin, context);
      onMark(draft, change.coin, context);
      break;
    case 'context':
      checkMark(draft, change.coin, context);
      return draft.decided;
    default:
      unreachable(change);
  }
  return withConsequences(account, draft.decided, context);
}

/** Liquidation goes before triggers, and comes again when a trigger has filled. The account's own limits come last. */
function checkMark(draft: Draft, coin: string, context: Context): void {
  checkLiquidation(draft, context);
  const before = draft.events.length;
  fireTriggers(draft, coin, context);
  onMark(draft, coin, context);
  if (changesBalances(draft.events.slice(before))) checkLiquidation(draft, context);
  watchLimits(draft, context);
}

function onMark(draft: Draft, coin: string, context: Context): void {
  for (const run of context.pipeline.onMark) run(draft, coin, context);
}

/**
 * The decision of an account when a job commands all accounts of its shard. The second time it decides nothing. No events = not concerned.
 */
export function decideShardCommand(account: Account, command: ShardCommand, context: Context): Decided {
  const draft = new Draft(account, context);
  switch (command.type) {
    case 'settleFunding':
      turnPeriods(draft, context);
      payFunding(draft, command, context.market);
      return withConsequences(account, draft.decided, context);
    case 'scanLiquidation':
      scan(draft, context);
      return draft.decided;
    case 'sampleEquity':
      if (account.positions.size === 0 || account.equityNotedMs >= command.periodMs) return { events: [] };
      return { events: [{ type: 'equitySampled' }] };
    default:
      return unreachable(command);
  }
}

/** An account that is far from everything stays as it is: its new day begins when it is woken. */
function scan(draft: Draft, context: Context): void {
  const { market, pipeline } = context;
  const isEndangered = isInDanger(wakePrices(draft.account, market));
  if (!isEndangered && !isInDanger(limitWakePrices(draft.account, market, pipeline))) return;
  turnPeriods(draft, context);
  if (isEndangered) checkLiquidation(draft, context);
  if (isInDanger(limitWakePrices(draft.account, market, pipeline))) watchLimits(draft, context);
}
