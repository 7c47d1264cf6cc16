// What an account has gained, and how far it has fallen: by these its losses are limited.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { accountValue } from './margin.ts';

/** Account value less deposits and transfers, USD: profits and losses that are realised and those that are not, fees and funding. */
export function resultOf(account: Account, market: MarketView): Decimal {
  return accountValue(account, market).minus(account.totals.netDepositsUsd);
}

/** What the account has lost since its day began, USD; negative = gained, 0 while no day has begun. */
export function lossOfDay({ dayStart }: Account, resultUsd: Decimal): Decimal {
  return dayStart === undefined ? ZERO : dayStart.resultUsd.minus(resultUsd);
}

/** What the account would be worth if it had what it had gained at its peak, USD: deposits of later count as if they had been there then. */
export function valueAtPeak({ totals }: Account, peakUsd: Decimal): Decimal {
  return peakUsd.plus(totals.netDepositsUsd);
}
