// What a fill does to the account: money, position, the order or the TWAP that it belongs to, and the traded volume.
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { utcDay } from '../../../shared/domain/utcDay.ts';
import type { AccountTotals } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { runningTwap, withSliceFill } from '../account/twap.ts';
import { type OrderFilled, resultOf } from '../fills/fillEvent.ts';
import type { FillNumbers } from '../fills/fillNumbers.ts';
import type { FillResult } from '../fills/fillPlan.ts';
import type { Holding } from '../margin/position.ts';
import { updateOrder } from './evolveOrders.ts';
import { forgetAttempts, rememberAttempt, setPosition } from './evolvePosition.ts';
import type { WritableAccount } from './writableAccount.ts';

const DAYS_OF_VOLUME_MAX = 15;

/** @param plan what the fill was planned to come to; without one, in a replay, that is read from the event */
export function evolveFill(writable: WritableAccount, fill: OrderFilled, timeMs: number, plan?: FillResult): void {
  const state = writable.account;
  const holding = { cash: state.cash, position: state.positions.get(fill.asset) };
  const { before, after, execution, numbers } = plan ?? resultOf(fill, holding);
  assert(isSame(before, holding), `fill ${fill.tid} was planned for another account than it is folded into`);
  const { size } = execution;
  const { notional, fee, closedPnl } = numbers;
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

/** True when cash and size are the same, so that what was planned to be left is what is left. */
function isSame(planned: Holding, found: Holding): boolean {
  if (planned.cash !== found.cash && !planned.cash.eq(found.cash)) return false;
  const [a, b] = [planned.position?.signedSize, found.position?.signedSize];
  return a === b || (a !== undefined && b !== undefined && a.eq(b));
}

/** Nothing for an order whose earlier fills an older version has not added up. */
function filledUsd({ filledSize, filledUsd }: OpenOrder, notional: Decimal): Pick<OpenOrder, 'filledUsd'> {
  if (filledUsd !== undefined) return { filledUsd: notional.plus(filledUsd).toString() };
  return filledSize === '0' ? { filledUsd: notional.toString() } : {};
}

interface FilledTotals extends Pick<FillNumbers, 'notional' | 'fee' | 'closedPnl'> {
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
