// The result of an account, and its distance from its peak. Limits judge by both, and the answer to a question about limits shows them.

import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, halfUp, quotient, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import type { LimitsState } from '../account/limits.ts';
import { accountValue } from './margin.ts';

const PERCENT = 100;
const PERCENT_DECIMALS = 4;

/** Account value less deposits and transfers, USD: profits and losses that are realised and those that are not, fees and funding. */
export function resultOf(account: Account, market: MarketView): Decimal {
  return accountValue(account, market).minus(account.totals.netDepositsUsd);
}

/** The loss of the account since its day began, USD; negative = gained, 0 while no day has begun. */
export function lossOfDay({ dayStart }: Account, resultUsd: Decimal): Decimal {
  return dayStart === undefined ? ZERO : dayStart.resultUsd.minus(resultUsd);
}

/** The worth of the account with the gain of its peak, USD. Later deposits count as if the account had had them then. */
export function valueAtPeak({ totals }: Account, peakUsd: Decimal): Decimal {
  return peakUsd.plus(totals.netDepositsUsd);
}

/** How far the account is below its peak, and what it would be worth there, USD. */
export function drawdownOf(
  account: Account,
  { peakUsd }: LimitsState,
  resultUsd: Decimal,
): { readonly fallUsd: Decimal; readonly ofUsd: Decimal } {
  return { fallUsd: Decimal.max(0, peakUsd.minus(resultUsd)), ofUsd: valueAtPeak(account, peakUsd) };
}

export const percentOf = (fallUsd: Decimal, ofUsd: Decimal): string =>
  halfUp(quotient(fallUsd.times(PERCENT), ofUsd), PERCENT_DECIMALS).toFixed();
