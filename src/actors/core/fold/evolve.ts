// The fold: what each event does to the account. It only adds up. Every number that it needs is in the event, so a
// replay gives the same state under later rules and prices.
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { type Account, emptyAccount, type WaitingOrder } from '../account/account.ts';
import { NO_LAB, withoutHeld } from '../account/labState.ts';
import { type DayStart, limitsAfterReset } from '../account/limits.ts';
import { termsAfter, termsFromNow } from '../account/terms.ts';
import { countRows } from '../history/rowsOfEvents.ts';
import type { AccountEntry, CommandId } from '../messages/entry.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { FeatureEvent } from '../messages/featureEvents.ts';
import { HISTORY_KINDS, type HistoryKind } from '../messages/historyRows.ts';
import {
  applyFundingPayment,
  closePosition,
  evolveFill,
  moveIsolatedMargin,
  removeTakenOver,
  setLeverage,
} from './evolvePosition.ts';
import { evolveTriggers, updateOrder, updateTrigger, WritableAccount } from './writableAccount.ts';

/** How long a silent incarnation's last command id is kept: longer than any resend of an unanswered command. */
const COMMAND_ID_KEPT_MS = 60_000;

export type EventOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>;

type FeatureEventType = FeatureEvent['type'];

/** How events of features change an account, by their types. Each feature gives the steps of its own events. */
export type EvolveSteps<Types extends FeatureEventType = FeatureEventType> = {
  readonly [Type in Types]: (writable: WritableAccount, event: EventOf<Type>, timeMs: number) => void;
};

/** Folds one entry. May reuse maps in place: the account passed in must not be used afterwards. */
export function applyEntry(account: Account, entry: AccountEntry, steps: EvolveSteps): Account {
  return applyCounted(account, entry, { rows: countRows(entry), steps });
}

/**
 * The same for an entry whose rows are counted already.
 * @param rows how many the entry gives of each kind; becomes the account's own
 */
export function applyCounted(
  account: Account,
  entry: AccountEntry,
  { rows, steps }: { readonly rows: Record<HistoryKind, number>; readonly steps: EvolveSteps },
): Account {
  assert(entry.seq === account.seq + 1, `entry ${entry.seq} does not follow ${account.seq} of ${account.id}`);
  const writable = new WritableAccount(account, 'inPlace');
  const state = writable.account;
  const { timeMs } = entry;
  for (const event of entry.events) evolve(writable, event, timeMs, steps);
  state.seq = entry.seq;
  state.timeMs = entry.timeMs;
  if (rows.equity > 0) state.equityNotedMs = entry.timeMs;
  for (const kind of HISTORY_KINDS) rows[kind] += state.rowCounts[kind];
  state.rowCounts = rows;
  if (entry.requests) state.totals = { ...state.totals, requestsUsed: state.totals.requestsUsed + entry.requests };
  if (entry.command) rememberCommand(writable, entry.command, entry.timeMs);
  return state;
}

/** Folds one event. @param timeMs of the entry that the event is part of, or will be */
export function evolve(writable: WritableAccount, event: AccountEvent, timeMs: number, steps: EvolveSteps): void {
  const state = writable.account;
  switch (event.type) {
    case 'accountOpened': {
      const deposit = new Decimal(event.depositUsd);
      state.openedAtMs = timeMs;
      state.cash = state.cash.plus(deposit);
      state.totals = { ...state.totals, netDepositsUsd: state.totals.netDepositsUsd.plus(deposit) };
      return;
    }
    case 'balanceAdjusted':
      adjustBalance(writable, event);
      return;
    case 'accountReset':
      beginAnew(writable, event, timeMs);
      return;
    case 'historyForgotten':
      state.historyStart = {
        firstRows: event.firstRows,
        seq: event.seq,
        ...(event.lastSeqs && { lastSeqs: event.lastSeqs }),
      };
      return;
    case 'orderRested':
      writable.map('orders').set(event.order.oid, { ...event.order, resting: event.resting });
      return;
    case 'orderEnded':
      if (state.lab !== undefined) state.lab = withoutHeld(state.lab, event.order.oid);
      if (state.orders.has(event.order.oid)) writable.map('orders').delete(event.order.oid);
      else if (state.triggers.has(event.order.oid)) writable.map('triggers').delete(event.order.oid);
      return;
    case 'triggerPlaced':
    case 'triggersArmed':
    case 'orderTriggered':
    case 'triggerWaits':
    case 'parentReplaced':
      evolveTriggers(writable, event, timeMs);
      return;
    case 'orderResized':
      if (state.triggers.has(event.order.oid)) updateTrigger(writable, event.order.oid, event.order as Partial<WaitingOrder>);
      else updateOrder(writable, event.order.oid, event.order);
      return;
    case 'orderFilled':
      evolveFill(writable, event, timeMs);
      return;
    case 'termsSet': {
      const { type: _, ...terms } = event;
      state.terms = termsAfter(terms, { hasTraded: !state.totals.volumeUsd.isZero(), timeMs });
      return;
    }
    case 'fundingSettled':
      applyFundingPayment(writable, event);
      return;
    case 'leverageSet':
      setLeverage(writable, event);
      return;
    case 'isolatedMarginMoved':
      moveIsolatedMargin(writable, event);
      return;
    case 'queueMoved':
      for (const [oid, ahead, shown = null, takenOff] of event.ahead) {
        const order = state.orders.get(oid);
        assert(order, `queue moved for order ${oid}, which is not open`);
        const { takenOff: _, ...resting } = order.resting;
        updateOrder(writable, oid, {
          resting: { ...resting, ahead, ...(shown !== null && { shown }), ...(takenOff && { takenOff }) },
        });
      }
      return;
    case 'consumptionSet':
      setConsumption(writable, event);
      return;
    case 'positionTakenOver':
      removeTakenOver(writable, event, timeMs);
      return;
    case 'positionClosed':
    case 'positionSettled':
      closePosition(writable, event, timeMs);
      return;
    case 'equitySampled':
      return;
    case 'liquidated':
      if (event.paidUsd !== undefined) state.cash = state.cash.plus(event.paidUsd);
      return;
    default:
      stepOf(steps, event)(writable, event, timeMs);
  }
}

/** Each type has its own step. The compiler does not know that the step fits the event. */
const stepOf = (steps: EvolveSteps, { type }: FeatureEvent) =>
  steps[type] as (writable: WritableAccount, event: FeatureEvent, timeMs: number) => void;

function adjustBalance({ account }: WritableAccount, { usd, isPlanCredited }: EventOf<'balanceAdjusted'>): void {
  account.cash = account.cash.plus(usd);
  account.totals = { ...account.totals, netDepositsUsd: account.totals.netDepositsUsd.plus(usd) };
  if (isPlanCredited) account.isPlanCredited = true;
}

/**
 * What a reset keeps: ids of commands, firings of the dead man's switch
 * on this day, whether the plan was credited, sub-accounts, transfers, of which some may be under way, and how many actions
 * were delayed: a number is never given twice. Also what keys have sent, and what was lost on this day: a reset gives no key more
 * than its limits. House rules and terms stay. Its what-ifs receive no more.
 */
function beginAnew({ account }: WritableAccount, event: EventOf<'accountReset'>, timeMs: number): void {
  const { id, seq, commandIds, scheduledCancel, isPlanCredited, subAccounts, transfers, lab, keyOrders, house, terms } = account;
  const { firstRows } = event;
  const cash = new Decimal(event.balanceUsd);
  const dayStart = dayAfterReset(account);
  const fresh = emptyAccount(id);
  Object.assign(account, fresh, {
    seq,
    timeMs: account.timeMs,
    commandIds,
    scheduledCancel,
    openedAtMs: timeMs,
    cash,
    totals: { ...fresh.totals, netDepositsUsd: cash },
    rowCounts: firstRows,
    historyStart: { firstRows, seq: seq + 1, ...(event.lastSeqs && { lastSeqs: event.lastSeqs }) },
    isPlanCredited: isPlanCredited || event.isPlanCredited === true,
    liquidation: undefined,
    tripSums: undefined,
    addressLimit: undefined,
    fork: undefined,
    mirrors: undefined,
    imported: undefined,
    following: undefined,
    terms: undefined,
    ...termsFromNow(terms),
    ...(subAccounts && { subAccounts }),
    ...(transfers && { transfers }),
    lab: lab && { ...NO_LAB, next: lab.next },
    ...(keyOrders && { keyOrders }),
    ...(dayStart && { dayStart }),
    ...(house && { house: limitsAfterReset(house) }),
  } satisfies Partial<Account>);
}

/** The day with its loss as it was: positions have been closed, so what the account has gained is its cash less deposits, and now is 0. */
function dayAfterReset({ dayStart, cash, totals }: Account): DayStart | undefined {
  return dayStart && { ...dayStart, resultUsd: dayStart.resultUsd.minus(cash).plus(totals.netDepositsUsd) };
}

function setConsumption(writable: WritableAccount, { asset, bookSide, levels }: EventOf<'consumptionSet'>): void {
  const side = writable.taken(asset, bookSide);
  for (const [price, consumed, lastFillFeedTimeMs, halvings = null, from = null, takenOff] of levels) {
    if (consumed === '0') side.delete(price);
    else
      side.set(price, {
        ...{ consumed, lastFillFeedTimeMs },
        ...(halvings !== null && { halvings }),
        ...(from !== null && { from }),
        ...(takenOff && { takenOff }),
      });
  }
  const taken = writable.account.consumption.get(asset);
  if (taken?.bid.size === 0 && taken.ask.size === 0) writable.map('consumption').delete(asset);
}

function rememberCommand(writable: WritableAccount, { incarnation, counter }: CommandId, timeMs: number): void {
  const ids = writable.map('commandIds');
  ids.set(incarnation, { counter, timeMs });
  for (const [other, seen] of ids) {
    if (seen.timeMs < timeMs - COMMAND_ID_KEPT_MS) ids.delete(other);
  }
}
