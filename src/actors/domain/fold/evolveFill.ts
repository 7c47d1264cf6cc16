// What a fill does to the account: money, position, the order or the TWAP that it belongs to, and the traded volume.
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { utcDay } from '../../../shared/domain/utcDay.ts';
import type { AccountTotals } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { runningTwap, withSliceFill } from '../account/twap.ts';
import { type AppliedNumbers, keptNumbers } from '../fills/plannedFillCache.ts';
import { applyFill, type Holding } from '../margin/position.ts';
import type { AccountEvent } from '../messages/event.ts';
import { updateOrder } from './evolveOrders.ts';
import { forgetAttempts, rememberAttempt, setPosition } from './evolvePosition.ts';
import type { WritableAccount } from './writableAccount.ts';

const DAYS_OF_VOLUME_MAX = 15;

type OrderFilled = Extract<AccountEvent, { type: 'orderFilled' }>;

export function evolveFill(writable: WritableAccount, fill: OrderFilled, timeMs: number): void {
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

function applied(fill: OrderFilled, before: Holding): AppliedNumbers {
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
