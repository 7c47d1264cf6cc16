// Finds out whether a house rule of the account is broken, and does what then follows. It runs after every decision that changes the
// account, when hours begin or end, and when a mark reaches one of `houseWakePrices`: so it costs nothing while the account is far from
// its rules. A rule that is broken stays so until its day or its hours are over, or the rules are set again.
import { Decimal, halfUp, quotient, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { breachOf, type HouseState, isOutside } from '../account/house/houseState.ts';
import { nextDayMs } from '../account/keys/keyOrders.ts';
import { openOrderCount } from '../account/ownOrders.ts';
import { dayBegun } from '../checks/checkKeyLimits.ts';
import { type Context, clockOf } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { checkLiquidation } from '../liquidation/checkLiquidation.ts';
import { changesBalances } from '../liquidation/withLiquidation.ts';
import { hasFreshMarks } from '../margin/marginPool.ts';
import { lossOfDay, resultOf, valueAtPeak } from '../margin/result.ts';
import { closeByRules } from './closeByRules.ts';

/** The peak is noted in steps of this share of the value. */
const PEAK_STEP = new Decimal('0.001');
/** The smallest step, USD. */
const PEAK_STEP_MIN = new Decimal('0.01');
const PERCENT = 100;
const PERCENT_DECIMALS = 4;

export function watchHouse(draft: Draft, context: Context): void {
  const { house } = draft.account;
  if (house === undefined) return;
  watchValue(draft, house, context);
  watchHours(draft, house, context);
  const before = draft.events.length;
  closeByRules(draft, context);
  if (changesBalances(draft.events.slice(before))) checkLiquidation(draft, context);
}

/** By the marks; nothing is found on old ones. */
function watchValue(draft: Draft, house: HouseState, context: Context): void {
  const { account } = draft;
  const { dailyLoss, drawdown } = house.rules;
  if (dailyLoss === undefined && drawdown === undefined) return;
  const pool = { positions: [...account.positions.values()] };
  if (!hasFreshMarks(pool, context.market, clockOf(context))) return;
  // A mark can come before the account is woken for a new day, as where its owner was away at midnight: nothing was lost on that one yet.
  if ((nextDayMs(account.dayStart) ?? Number.POSITIVE_INFINITY) <= clockOf(context)) draft.record(dayBegun(account, context));
  const resultUsd = resultOf(account, context.market);
  const lost = lossOfDay(draft.account, resultUsd);
  if (dailyLoss && !breachOf(house, 'dailyLoss') && lost.gte(dailyLoss.usd))
    draft.record({ type: 'houseRuleBroken', rule: 'dailyLoss', found: halfUp(lost, USD_DECIMALS).toFixed() });
  if (drawdown && !breachOf(house, 'drawdown')) watchDrawdown(draft, { house, percent: drawdown.percent, resultUsd });
}

function watchDrawdown(
  draft: Draft,
  { house, percent, resultUsd }: { readonly house: HouseState; readonly percent: string; readonly resultUsd: Decimal },
): void {
  const { account } = draft;
  const rise = resultUsd.minus(house.peakUsd);
  if (rise.gte(peakStep(account, house))) draft.record({ type: 'housePeakRaised', peakUsd: resultUsd.toString() });
  const { fallUsd, ofUsd } = drawdownOf(account, house, resultUsd);
  if (ofUsd.isPos() && !ofUsd.isZero() && fallUsd.times(PERCENT).gte(ofUsd.times(percent)))
    draft.record({ type: 'houseRuleBroken', rule: 'drawdown', found: percentOf(fallUsd, ofUsd) });
}

/** How far the account is below its peak, and what it would be worth there, USD. */
export function drawdownOf(
  account: Account,
  { peakUsd }: HouseState,
  resultUsd: Decimal,
): { readonly fallUsd: Decimal; readonly ofUsd: Decimal } {
  return { fallUsd: Decimal.max(0, peakUsd.minus(resultUsd)), ofUsd: valueAtPeak(account, peakUsd) };
}

export const percentOf = (fallUsd: Decimal, ofUsd: Decimal): string =>
  halfUp(quotient(fallUsd.times(PERCENT), ofUsd), PERCENT_DECIMALS).toFixed();

/** By how much the account has to rise above its peak before a new one is noted, USD. */
export function peakStep(account: Account, { peakUsd }: HouseState): Decimal {
  return Decimal.max(PEAK_STEP_MIN, valueAtPeak(account, peakUsd).times(PEAK_STEP));
}

function watchHours(draft: Draft, house: HouseState, context: Context): void {
  const { hours } = house.rules;
  if (hours === undefined || breachOf(house, 'hours') || !isOutside(hours, clockOf(context))) return;
  const { account } = draft;
  const isOpen = account.positions.size > 0 || openOrderCount(account) > 0 || account.twaps.size > 0;
  if (isOpen) draft.record({ type: 'houseRuleBroken', rule: 'hours' });
}
