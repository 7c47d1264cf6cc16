// The fold: what each event does to the account. It only adds up; every number it needs is in the event, so a replay
// gives the same state whatever the rules and prices are by then.
import { assert, unreachable } from '../../shared/domain/assert.ts';
import { Decimal, ZERO } from '../../shared/domain/decimal.ts';
import { utcDay } from '../../shared/domain/utcDay.ts';
import { type Account, type AccountTotals, type ConsumedLevel, emptyAccount, type OpenOrder, type Position } from './account.ts';
import { HISTORY_KINDS, type HistoryKind } from './command.ts';
import type { AccountEntry, CommandId } from './entry.ts';
import type { AccountEvent } from './event.ts';
import { accrue, type CoinFunding, settled } from './fundingAccrual.ts';
import { type AppliedNumbers, keptNumbers } from './keptPlan.ts';
import { forgetAttempts, rememberAttempt } from './liquidationMemory.ts';
import { applyFill, type Holding, withLeverage } from './position.ts';
import { countRows, noRows } from './rows.ts';
import { withFiring } from './scheduledCancel.ts';
import { type Twap, withSliceFill } from './twap.ts';
import { evolveTriggers, updateTrigger } from './waitingOrders.ts';
import { WritableAccount } from './writableAccount.ts';

/** How long a silent incarnation's last command id is kept: longer than any resend of an unanswered command. */
const COMMAND_ID_KEPT_MS = 60_000;
const DAYS_OF_VOLUME_MAX = 15;

type EventOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>;

/** Folds one entry. May reuse maps in place: the account passed in must not be used afterwards. */
export function applyEntry(account: Account, entry: AccountEntry): Account {
  return applyCounted(account, entry, countRows(entry));
}

/**
 * The same for an entry whose rows are counted already.
 * @param rows how many the entry gives of each kind; becomes the account's own
 */
export function applyCounted(account: Account, entry: AccountEntry, rows: Record<HistoryKind, number>): Account {
  assert(entry.seq === account.seq + 1, `entry ${entry.seq} does not follow ${account.seq} of ${account.id}`);
  const writable = new WritableAccount(account, 'inPlace');
  const state = writable.account;
  for (const event of entry.events) evolve(writable, event, entry.timeMs);
  state.seq = entry.seq;
  state.timeMs = entry.timeMs;
  if (rows.equity > 0) state.equityNotedMs = entry.timeMs;
  for (const kind of HISTORY_KINDS) rows[kind] += state.rowCounts[kind];
  state.rowCounts = rows;
  if (entry.requests) state.totals = { ...state.totals, requestsUsed: state.totals.requestsUsed + entry.requests };
  if (entry.command) rememberCommand(writable, entry.command, entry.timeMs);
  return state;
}

/** Folds one event of an entry of this time. */
export function evolve(writable: WritableAccount, event: AccountEvent, timeMs: number): void {
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
        firstRows: { ...noRows(), ...event.firstRows },
        seq: event.seq,
        ...(event.lastSeqs && { lastSeqs: { ...noRows(), ...event.lastSeqs } }),
      };
      return;
    case 'orderRested':
      writable.map('orders').set(event.order.oid, { ...event.order, resting: event.resting });
      return;
    case 'orderEnded':
      if (state.orders.has(event.order.oid)) writable.map('orders').delete(event.order.oid);
      else if (state.triggers.has(event.order.oid)) writable.map('triggers').delete(event.order.oid);
      return;
    case 'triggerPlaced':
    case 'triggersArmed':
    case 'orderTriggered':
    case 'parentReplaced':
      evolveTriggers(writable, event);
      return;
    case 'orderResized':
      if (state.triggers.has(event.oid)) updateTrigger(writable, event.oid, { size: event.size });
      else updateOrder(writable, event.oid, { size: event.size });
      return;
    case 'orderFilled':
      fillOrder(writable, event, timeMs);
      return;
    case 'cancelScheduled':
      state.scheduledCancel = { ...state.scheduledCancel, dueMs: event.dueMs };
      return;
    case 'scheduledCancelFired':
      state.scheduledCancel = withFiring(state.scheduledCancel, timeMs);
      return;
    case 'twapStarted':
      writable.map('twaps').set(event.twap.twapId, { ...event.twap, slices: event.slices, nextSlice: 0, seed: event.seed });
      return;
    case 'twapSliced':
      writable.map('twaps').set(event.twapId, { ...runningTwap(state, event.twapId), nextSlice: event.slice + 1 });
      return;
    case 'twapEnded':
      writable.map('twaps').delete(event.twap.twapId);
      return;
    case 'fundingSettled':
      settleFunding(writable, event);
      return;
    case 'leverageSet':
      setLeverage(writable, event);
      return;
    case 'isolatedMarginMoved':
      moveIsolatedMargin(writable, event);
      return;
    case 'queueMoved':
      for (const [oid, ahead] of event.ahead) {
        const order = state.orders.get(oid);
        assert(order, `queue moved for order ${oid}, which is not open`);
        updateOrder(writable, oid, { resting: { ...order.resting, ahead } });
      }
      return;
    case 'consumptionSet':
      setConsumption(writable, event);
      return;
    case 'positionTakenOver':
      giveUp(writable, event, timeMs);
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
      unreachable(event);
  }
}

function updateOrder(writable: WritableAccount, oid: number, fields: Partial<OpenOrder>): void {
  const order = writable.account.orders.get(oid);
  assert(order, `order ${oid} is not open`);
  writable.map('orders').set(oid, { ...order, ...fields });
}

function runningTwap({ twaps }: Account, twapId: number): Twap {
  const twap = twaps.get(twapId);
  assert(twap, `TWAP ${twapId} is not running`);
  return twap;
}

/** Money, position, the order if it rests, and the traded volume. */
function fillOrder(writable: WritableAccount, fill: EventOf<'orderFilled'>, timeMs: number): void {
  const state = writable.account;
  const before = { cash: state.cash, position: state.positions.get(fill.asset) };
  const { after, size, notional, fee, closedPnl } = keptNumbers(fill, before) ?? applied(fill, before);
  state.cash = after.cash;
  setPosition(writable, { asset: fill.asset, coin: fill.coin, position: after.position, timeMs });
  if (fill.liquidation) rememberAttempt(writable, fill);
  if (!after.position) forgetAttempts(writable, fill.asset, timeMs);

  const order = state.orders.get(fill.oid);
  if (order) {
    const left = new Decimal(order.size).minus(size);
    const filledSize = size.plus(order.filledSize).toString();
    updateOrder(writable, fill.oid, { size: left.toString(), filledSize, ...filledUsd(order, notional) });
  }
  const { twapId } = fill;
  if (twapId !== undefined) writable.map('twaps').set(twapId, withSliceFill(runningTwap(state, twapId), { size, notional }));
  state.totals = withFill(state.totals, { notional, fee, closedPnl, day: utcDay(timeMs), liquidity: fill.liquidity });
}

/** Nothing for an order whose earlier fills an older version has not added up. */
function filledUsd({ filledSize, filledUsd }: OpenOrder, notional: Decimal): Pick<OpenOrder, 'filledUsd'> {
  if (filledUsd !== undefined) return { filledUsd: notional.plus(filledUsd).toString() };
  return filledSize === '0' ? { filledUsd: notional.toString() } : {};
}

/**
 * Puts a position of another size in place of the one there is, and writes down the funding hours that have passed for
 * that. Every event that changes a size goes through here.
 */
function setPosition(
  writable: WritableAccount,
  { asset, coin, position, timeMs }: { asset: number; coin: string; position: Position | undefined; timeMs: number },
): void {
  const { positions, funding } = writable.account;
  const former = positions.get(asset);
  const known = funding.get(asset);
  const accrued = accrue(known, { coin, before: former?.signedSize, after: position?.signedSize, timeMs });
  if (accrued !== known) setFunding(writable, asset, accrued);
  if (!position) writable.map('positions').delete(asset);
  else if (former || !accrued || accrued.paidUsd.isZero()) writable.map('positions').set(asset, position);
  else writable.map('positions').set(asset, { ...position, funding: { ...position.funding, allTime: accrued.paidUsd } });
}

function setFunding(writable: WritableAccount, asset: number, funding: CoinFunding | undefined): void {
  if (funding) writable.map('funding').set(asset, funding);
  else writable.map('funding').delete(asset);
}

/** Money to bucket and cash, the position's totals, and the hours off the list. */
function settleFunding(writable: WritableAccount, event: EventOf<'fundingSettled'>): void {
  const state = writable.account;
  const { asset, throughMs, droppedToMs } = event;
  const usd = new Decimal(event.usd);
  const bucketUsd = new Decimal(event.bucketUsd ?? 0);
  const funding = state.funding.get(asset);
  assert(funding, `no funding of asset ${asset} to settle`);
  state.cash = state.cash.plus(usd).minus(bucketUsd);
  state.totals = { ...state.totals, fundingUsd: state.totals.fundingUsd.plus(usd) };
  setFunding(writable, asset, settled(funding, { throughMs, droppedToMs, usd }));
  const position = state.positions.get(asset);
  if (!position) return;
  const { allTime, sinceOpen, sinceChange } = position.funding;
  writable.map('positions').set(asset, {
    ...position,
    rawUsd: position.rawUsd.plus(bucketUsd),
    funding: {
      allTime: allTime.minus(usd),
      sinceOpen: sinceOpen.minus(event.sinceOpenUsd),
      sinceChange: sinceChange.minus(event.sinceChangeUsd),
    },
  });
}

/** The position leaves with what was paid for it: a bucket with its last cent, cross cash by that much. */
function giveUp(writable: WritableAccount, event: EventOf<'positionTakenOver'>, timeMs: number): void {
  const { asset, coin, marginMode, usd } = event;
  const state = writable.account;
  if (marginMode === 'cross') state.cash = state.cash.plus(usd);
  else assert(state.positions.get(asset)?.rawUsd.plus(usd).isZero(), `bucket of asset ${asset} is not empty after its take-over`);
  state.totals = { ...state.totals, realizedPnlUsd: state.totals.realizedPnlUsd.plus(event.closedPnl) };
  setPosition(writable, { asset, coin, position: undefined, timeMs });
  forgetAttempts(writable, asset, timeMs);
}

/** The bucket's cash and the value of the position become cross cash. */
function closePosition(writable: WritableAccount, event: EventOf<'positionClosed' | 'positionSettled'>, timeMs: number): void {
  const { asset, coin, usd, closedPnl } = event;
  const state = writable.account;
  state.totals = { ...state.totals, realizedPnlUsd: state.totals.realizedPnlUsd.plus(closedPnl) };
  const bucketUsd = state.positions.get(asset)?.rawUsd ?? ZERO;
  state.cash = state.cash.plus(bucketUsd).plus(usd);
  setPosition(writable, { asset, coin, position: undefined, timeMs });
  forgetAttempts(writable, asset, timeMs);
}

function adjustBalance({ account }: WritableAccount, { usd, isPlanCredited }: EventOf<'balanceAdjusted'>): void {
  account.cash = account.cash.plus(usd);
  account.totals = { ...account.totals, netDepositsUsd: account.totals.netDepositsUsd.plus(usd) };
  if (isPlanCredited) account.isPlanCredited = true;
}

/**
 * What is left of the former life: ids of commands, what was taken from the books of now, firings of the dead man's switch
 * on this day, and whether the plan was credited.
 */
function beginAnew({ account }: WritableAccount, event: EventOf<'accountReset'>, timeMs: number): void {
  const { id, seq, commandIds, consumption, scheduledCancel, isPlanCredited } = account;
  // A kind of rows that the event's version did not know has none yet.
  const firstRows = { ...noRows(), ...event.firstRows };
  const cash = new Decimal(event.balanceUsd);
  const fresh = emptyAccount(id);
  Object.assign(account, fresh, {
    seq,
    timeMs: account.timeMs,
    commandIds,
    consumption,
    scheduledCancel,
    openedAtMs: timeMs,
    cash,
    totals: { ...fresh.totals, netDepositsUsd: cash },
    rowCounts: firstRows,
    historyStart: { firstRows, seq: seq + 1 },
    isPlanCredited: isPlanCredited || event.isPlanCredited === true,
    liquidation: undefined,
  } satisfies Partial<Account>);
}

function applied(fill: EventOf<'orderFilled'>, before: Holding): AppliedNumbers {
  const { asset, coin, side, marginMode, leverage, marginMovedUsd } = fill;
  const price = new Decimal(fill.price);
  const size = new Decimal(fill.size);
  const notional = price.times(size);
  const moved = marginMovedUsd === undefined ? undefined : new Decimal(marginMovedUsd);
  const fee = new Decimal(fill.fee);
  const numbers = { price, size, notional, fee, marginMovedUsd: moved };
  const after = applyFill(before, { asset, coin, side, marginMode, leverage, ...numbers });
  return { after, size, notional, fee, closedPnl: new Decimal(fill.closedPnl) };
}

interface FilledTotals extends Pick<AppliedNumbers, 'notional' | 'fee' | 'closedPnl'> {
  /** UTC, `2026-11-21`. */
  readonly day: string;
  readonly liquidity: 'maker' | 'taker';
}

function withFill(totals: AccountTotals, { notional, fee, closedPnl, day, liquidity }: FilledTotals): AccountTotals {
  const { netDepositsUsd, fundingUsd, requestsUsed, dailyVolumes } = totals;
  const last = dailyVolumes.at(-1);
  const isNewDay = last?.day !== day;
  const { takerUsd, makerUsd } = last === undefined || isNewDay ? { takerUsd: ZERO, makerUsd: ZERO } : last;
  const former = isNewDay ? dailyVolumes.slice(1 - DAYS_OF_VOLUME_MAX) : dailyVolumes.slice(0, -1);
  former.push(
    liquidity === 'taker'
      ? { day, takerUsd: takerUsd.plus(notional), makerUsd }
      : { day, takerUsd, makerUsd: makerUsd.plus(notional) },
  );
  // Field by field: a spread that is written over takes longer than all these sums.
  return {
    netDepositsUsd,
    fundingUsd,
    requestsUsed,
    volumeUsd: totals.volumeUsd.plus(notional),
    realizedPnlUsd: totals.realizedPnlUsd.plus(closedPnl),
    feesUsd: totals.feesUsd.plus(fee),
    dailyVolumes: former,
  };
}

/** The setting, and the open position with it: its margin follows the new leverage at once. */
function setLeverage(writable: WritableAccount, { asset, marginMode, leverage }: EventOf<'leverageSet'>): void {
  writable.map('leverage').set(asset, { marginMode, leverage });
  const position = writable.account.positions.get(asset);
  if (position) writable.map('positions').set(asset, withLeverage(position, { marginMode, leverage }));
}

function moveIsolatedMargin(writable: WritableAccount, { asset, usd }: EventOf<'isolatedMarginMoved'>): void {
  const position = writable.account.positions.get(asset);
  assert(position, `margin moved into asset ${asset}, which has no position`);
  writable.account.cash = writable.account.cash.minus(usd);
  writable.map('positions').set(asset, { ...position, rawUsd: position.rawUsd.plus(usd) });
}

function setConsumption(writable: WritableAccount, { asset, bookSide, levels }: EventOf<'consumptionSet'>): void {
  const before = writable.account.consumption.get(asset);
  const side = new Map<string, ConsumedLevel>(before?.[bookSide]);
  for (const [price, consumed, lastFillFeedTimeMs] of levels) {
    if (consumed === '0') side.delete(price);
    else side.set(price, { consumed, lastFillFeedTimeMs });
  }
  const other = before?.[bookSide === 'bid' ? 'ask' : 'bid'] ?? new Map<string, ConsumedLevel>();
  if (side.size === 0 && other.size === 0) writable.map('consumption').delete(asset);
  else writable.map('consumption').set(asset, bookSide === 'bid' ? { bid: side, ask: other } : { bid: other, ask: side });
}

function rememberCommand(writable: WritableAccount, { incarnation, counter }: CommandId, timeMs: number): void {
  const ids = writable.map('commandIds');
  ids.set(incarnation, { counter, timeMs });
  for (const [other, seen] of ids) {
    if (seen.timeMs < timeMs - COMMAND_ID_KEPT_MS) ids.delete(other);
  }
}
