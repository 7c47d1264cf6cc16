// Finds out whether a house rule of the account is broken, and does what then follows. It runs after every decision that changes the
// account, when hours begin or end, and when a mark reaches one of `houseWakePrices`: so it costs nothing while the account is far from
// its rules. A rule that is broken stays so until its day or its hours are over, or the rules are set again.
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { breachOf, type HouseState, isOutside } from '../account/house/houseState.ts';
import { openOrderCount } from '../account/ownOrders.ts';
import { drawdownBeyond, freshResult, lossBeyond } from '../checks/houseMeasures.ts';
import { type Context, clockOf } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { checkLiquidation } from '../liquidation/checkLiquidation.ts';
import { changesBalances } from '../liquidation/withLiquidation.ts';
import { valueAtPeak } from '../margin/result.ts';
import { peakAt } from './carryPeak.ts';
import { closeByRules } from './closeByRules.ts';

/** The peak is noted in steps of this share of the value. */
const PEAK_STEP = new Decimal('0.001');
/** The smallest step, USD. */
const PEAK_STEP_MIN = new Decimal('0.01');

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
  const resultUsd = freshResult(account, context);
  if (resultUsd === undefined) return;
  const lost = breachOf(house, 'dailyLoss') ? undefined : lossBeyond(account, house, resultUsd);
  if (lost !== undefined) draft.record({ type: 'houseRuleBroken', rule: 'dailyLoss', found: lost });
  if (drawdown && !breachOf(house, 'drawdown')) watchDrawdown(draft, house, resultUsd);
}

function watchDrawdown(draft: Draft, house: HouseState, resultUsd: Decimal): void {
  const { account } = draft;
  const rise = resultUsd.minus(house.peakUsd);
  if (rise.gte(peakStep(account, house))) draft.record(peakAt(resultUsd, house.shareKept));
  const found = drawdownBeyond(account, house, resultUsd);
  if (found !== undefined) draft.record({ type: 'houseRuleBroken', rule: 'drawdown', found });
}

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
