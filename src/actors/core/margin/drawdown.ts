// The distance of an account from its peak. Limits judge by it, and the answer to a question about limits shows it.
import { Decimal, halfUp, quotient } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import type { LimitsState } from '../account/limits.ts';
import { valueAtPeak } from './margin.ts';

const PERCENT = 100;
const PERCENT_DECIMALS = 4;

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
