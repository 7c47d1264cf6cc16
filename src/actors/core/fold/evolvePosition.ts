// How events change positions, always together with the money that pays for them or comes from them, with the funding
// hours that have passed, and with the memory of their liquidation. A fill also changes its order or TWAP, and the
// traded volume.
import { assert } from '../../../shared/domain/assert.ts';
import { utcDay } from '../../../shared/domain/calendar.ts';
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { AccountTotals, Position } from '../account/account.ts';
import { accrue, type CoinFunding, withPaidHours } from '../account/fundingAccrual.ts';
import { runningTwap, withSliceFill } from '../account/twap.ts';
import { type OrderFilled, resultOf } from '../fills/fillEvent.ts';
import type { FillNumbers } from '../fills/fillPlan.ts';
import { type Holding, withLeverage } from '../margin/position.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { OrderView } from '../messages/order.ts';
import { updateOrder, updateTrigger, type WritableAccount } from './writableAccount.ts';

const DAYS_OF_VOLUME_MAX = 15;

type EventOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>;

export function evolveFill(writable: WritableAccount, fill: OrderFilled, timeMs: number): void {
  const state = writable.account;
  const holding = { cash: state.cash, position: state.positions.get(fill.asset) };
  const { before, after, execution, numbers } = resultOf(fill, holding);
  assert(isSame(before, holding), `fill ${fill.tid} was planned for another account than it is folded into`);
  const { size } = execution;
  const { notional, fee, exactPnl } = numbers;
  state.cash = after.cash;
  setPosition(writable, { asset: fill.asset, coin: fill.coin, position: after.position, timeMs });
  if (fill.liquidation) rememberAttempt(writable, fill);
  if (!after.position) forgetAttempts(writable, fill.asset, timeMs);
  sumTrip(writable, fill);

  const resting = state.orders.get(fill.oid);
  const waiting = resting ? undefined : state.triggers.get(fill.oid);
  if (resting) updateOrder(writable, fill.oid, sizesAfter(resting, { size, notional }));
  if (waiting) updateTrigger(writable, fill.oid, sizesAfter(waiting, { size, notional }));
  const { twapId } = fill;
  if (twapId !== undefined) writable.map('twaps').set(twapId, withSliceFill(runningTwap(state, twapId), { size, notional }));
  state.totals = withFill(state.totals, { notional, fee, exactPnl, day: utcDay(timeMs), liquidity: fill.liquidity });
}

/** True when cash and size are the planned ones, so that the planned result is the result. */
function isSame(planned: Holding, found: Holding): boolean {
  if (planned.cash !== found.cash && !planned.cash.eq(found.cash)) return false;
  const [a, b] = [planned.position?.signedSize, found.position?.signedSize];
  return a === b || (a !== undefined && b !== undefined && a.eq(b));
}

type Sizes = Pick<OrderView, 'size' | 'filledSize' | 'filledUsd'>;

/** What a fill leaves of an order. */
function sizesAfter(order: Sizes, { size, notional }: Pick<FillNumbers, 'notional'> & { readonly size: Decimal }): Sizes {
  const left = new Decimal(order.size).minus(size).toString();
  const filledUsd = notional.plus(order.filledUsd ?? 0).toString();
  return { size: left, filledSize: size.plus(order.filledSize).toString(), filledUsd };
}

interface FilledTotals extends Pick<FillNumbers, 'notional' | 'fee' | 'exactPnl'> {
  /** UTC, `2026-11-21`. */
  readonly day: string;
  readonly liquidity: 'maker' | 'taker';
}

function withFill(totals: AccountTotals, { notional, fee, exactPnl, day, liquidity }: FilledTotals): AccountTotals {
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
    realizedPnlUsd: totals.realizedPnlUsd.plus(exactPnl),
    feesUsd: totals.feesUsd.plus(fee),
    dailyVolumes: former,
  };
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
  else {
    const dated = position.trip.openedAtMs === 0 ? withOpening(position, timeMs, writable.account.seq + 1) : position;
    writable.map('positions').set(asset, withPaidFunding(dated, former?.funding.allTime ?? accrued?.paidUsd ?? ZERO));
  }
}

/** The position with the entry that its round trip began in: a plan does not know it. */
const withOpening = (position: Position, openedAtMs: number, openedSeq: number): Position => ({
  ...position,
  trip: { ...position.trip, openedAtMs, openedSeq },
});

/** The position with all funding that its coin has ever cost: the plan may lack it. */
function withPaidFunding(position: Position, paidUsd: Decimal): Position {
  const { funding } = position;
  return funding.allTime.eq(paidUsd) ? position : { ...position, funding: { ...funding, allTime: paidUsd } };
}

function setFunding(writable: WritableAccount, asset: number, funding: CoinFunding | undefined): void {
  if (funding) writable.map('funding').set(asset, funding);
  else writable.map('funding').delete(asset);
}

/** Money to isolated margin and cash, the position's totals, and the hours off the list. */
export function applyFundingPayment(writable: WritableAccount, event: EventOf<'fundingSettled'>): void {
  const state = writable.account;
  const { asset, throughMs, droppedToMs } = event;
  const usd = new Decimal(event.usd);
  const bucketUsd = new Decimal(event.bucketUsd ?? 0);
  const funding = state.funding.get(asset);
  assert(funding, `no funding of asset ${asset} to settle`);
  state.cash = state.cash.plus(usd).minus(bucketUsd);
  state.totals = { ...state.totals, fundingUsd: state.totals.fundingUsd.plus(usd) };
  setFunding(writable, asset, withPaidHours(funding, { throughMs, droppedToMs, usd }));
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

/** Removes the position with the amount paid for it: all isolated margin, or that much cross cash. */
export function removeTakenOver(writable: WritableAccount, event: EventOf<'positionTakenOver'>, timeMs: number): void {
  const { asset, coin, marginMode, usd } = event;
  const state = writable.account;
  if (marginMode === 'cross') state.cash = state.cash.plus(usd);
  else assert(state.positions.get(asset)?.rawUsd.plus(usd).isZero(), `bucket of asset ${asset} is not empty after its take-over`);
  state.totals = { ...state.totals, realizedPnlUsd: state.totals.realizedPnlUsd.plus(event.exactPnl ?? event.closedPnl) };
  setPosition(writable, { asset, coin, position: undefined, timeMs });
  forgetAttempts(writable, asset, timeMs);
  sumTrip(writable, event);
}

/** The isolated margin and the value of the position become cross cash. */
export function closePosition(
  writable: WritableAccount,
  event: EventOf<'positionClosed' | 'positionSettled'>,
  timeMs: number,
): void {
  const { asset, coin, usd, closedPnl, exactPnl = closedPnl } = event;
  const state = writable.account;
  state.totals = { ...state.totals, realizedPnlUsd: state.totals.realizedPnlUsd.plus(exactPnl) };
  const bucketUsd = state.positions.get(asset)?.rawUsd ?? ZERO;
  state.cash = state.cash.plus(bucketUsd).plus(usd);
  setPosition(writable, { asset, coin, position: undefined, timeMs });
  forgetAttempts(writable, asset, timeMs);
  sumTrip(writable, event);
}

function sumTrip({ account }: WritableAccount, { trip }: Pick<OrderFilled, 'trip'>): void {
  if (trip !== undefined) account.tripSums = trip.sums;
}

/** The setting, and the open position with it: its margin follows the new leverage at once. */
export function setLeverage(writable: WritableAccount, { asset, marginMode, leverage }: EventOf<'leverageSet'>): void {
  writable.map('leverage').set(asset, { marginMode, leverage });
  const position = writable.account.positions.get(asset);
  if (position) writable.map('positions').set(asset, withLeverage(position, { marginMode, leverage }));
}

export function moveIsolatedMargin(writable: WritableAccount, { asset, usd }: EventOf<'isolatedMarginMoved'>): void {
  const position = writable.account.positions.get(asset);
  assert(position, `margin moved into asset ${asset}, which has no position`);
  writable.account.cash = writable.account.cash.minus(usd);
  writable.map('positions').set(asset, { ...position, rawUsd: position.rawUsd.plus(usd) });
}

type Fill = Extract<AccountEvent, { type: 'orderFilled' }>;

/** Remembers a fill of a liquidation order. */
function rememberAttempt(writable: WritableAccount, { asset, evidence, liquidation }: Fill): void {
  const before = writable.account.liquidation;
  const bookTimesMs = new Map(before?.bookTimesMs);
  if (evidence.bookTimeMs !== undefined) bookTimesMs.set(asset, evidence.bookTimeMs);
  const cooldownUntilMs = liquidation?.cooldownUntilMs ?? before?.cooldownUntilMs ?? 0;
  writable.account.liquidation = { cooldownUntilMs, bookTimesMs };
}

/** Drops the book of a closed position, and everything once nothing is left that could matter. */
function forgetAttempts(writable: WritableAccount, asset: number, timeMs: number): void {
  const before = writable.account.liquidation;
  if (before === undefined) return;
  const bookTimesMs = new Map(before.bookTimesMs);
  bookTimesMs.delete(asset);
  const matters = bookTimesMs.size > 0 || timeMs < before.cooldownUntilMs;
  writable.account.liquidation = matters ? { ...before, bookTimesMs } : undefined;
}
