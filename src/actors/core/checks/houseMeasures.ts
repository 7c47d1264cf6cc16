// What the house rules measure of an account by its marks: the loss of a day and how far it is below its peak. Asked when a rule is
// watched, and of each order that would open something: one that comes before a rule was found broken opens no more than one after.
import { Decimal, halfUp, quotient, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import type { HouseState } from '../account/house/houseState.ts';
import { type Context, clockOf } from '../fold/decision.ts';
import { hasFreshMarks } from '../margin/marginPool.ts';
import { lossOfDay, resultOf, valueAtPeak } from '../margin/result.ts';

const PERCENT = 100;
const PERCENT_DECIMALS = 4;

/** What of the account is measured, and the market by which it is. */
type Measured = Pick<Context, 'market' | 'nowMs' | 'clockMs'>;

/** What the account has gained, USD; undefined while a mark is too old to judge by. */
export function freshResult(account: Account, context: Measured): Decimal | undefined {
  const pool = { positions: [...account.positions.values()] };
  return hasFreshMarks(pool, context.market, clockOf(context)) ? resultOf(account, context.market) : undefined;
}

/** What was lost on this day, USD, where that is as much as the rule says or more. */
export function lossBeyond(account: Account, { rules }: HouseState, resultUsd: Decimal): string | undefined {
  const { dailyLoss } = rules;
  const lost = lossOfDay(account, resultUsd);
  return dailyLoss !== undefined && lost.gte(dailyLoss.usd) ? halfUp(lost, USD_DECIMALS).toFixed() : undefined;
}

/** How far the account is below its peak, percent, where that is as much as the rule says or more. */
export function drawdownBeyond(account: Account, house: HouseState, resultUsd: Decimal): string | undefined {
  const { drawdown } = house.rules;
  const { fallUsd, ofUsd } = drawdownOf(account, house, resultUsd);
  if (drawdown === undefined || ofUsd.lte(0) || fallUsd.times(PERCENT).lt(ofUsd.times(drawdown.percent))) return undefined;
  return percentOf(fallUsd, ofUsd);
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
