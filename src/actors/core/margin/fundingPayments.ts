// The funding of a position's hours: for each hour minus signed size times oracle price times hourly rate, cut toward
// zero after 6 decimals (trading-rules 6.2). Used for payments and for figures that show pending funding.

import type { MarketView } from '../../../market/domain/marketView.ts';
import { cut6, Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import { HOUR_MS } from '../../../shared/domain/units.ts';
import type { Account } from '../account/account.ts';
import { type CoinFunding, type OwedHours, owedHours } from '../account/fundingAccrual.ts';

/** The venue's numbers for one coin and hour boundary. */
export interface FundingRate {
  /** Fraction per hour; positive = longs pay. */
  readonly rate: Decimal;
  readonly oraclePrice: Decimal;
}

/** One hour's payment. */
export interface HourlyPayment {
  readonly hourMs: number;
  readonly signedSize: Decimal;
  readonly rate: Decimal;
  /** Credited to the account, USD; negative = paid. */
  readonly usd: Decimal;
  /** Of the position that is open now. */
  readonly isOpen: boolean;
}

/**
 * Each hour's payment, up to and without the first hour whose rate is unknown.
 * @param forgottenToMs an unknown hour up to this one is passed over: nothing waits for it any more
 */
export function paymentsOf(
  hours: readonly OwedHours[],
  rateOf: (hourMs: number) => FundingRate | undefined,
  forgottenToMs = 0,
): HourlyPayment[] {
  const payments: HourlyPayment[] = [];
  for (const { fromMs, toMs, signedSize, isOpen } of hours) {
    for (let hourMs = fromMs; hourMs <= toMs; hourMs += HOUR_MS) {
      const known = rateOf(hourMs);
      if (!known && hourMs <= forgottenToMs) continue;
      if (!known) return payments;
      const usd = cut6(signedSize.times(known.oraclePrice).times(known.rate).neg());
      payments.push({ hourMs, signedSize, rate: known.rate, usd, isOpen });
    }
  }
  return payments;
}

export function sumOf(payments: readonly HourlyPayment[]): Decimal {
  return payments.reduce((sum, { usd }) => sum.plus(usd), ZERO);
}

/** A rate as it travels, read. */
export function toFundingRate([rate, oraclePrice]: readonly [rate: string, oraclePrice: string]): FundingRate {
  return { rate: new Decimal(rate), oraclePrice: new Decimal(oraclePrice) };
}

/**
 * What all coins together owe (negative) or are owed for unpaid hours, USD. Counts known hours only: the rate
 * of an hour comes some time after it. No part of the account value; a negative sum may not leave the account.
 */
export function pendingFunding(account: Pick<Account, 'positions' | 'funding'>, market: MarketView): Decimal {
  let sum = ZERO;
  for (const asset of account.funding.keys()) sum = sum.plus(pendingOfCoin(account, asset, market));
  return sum;
}

/** The same of one coin, USD. */
export function pendingOfCoin(account: Pick<Account, 'positions' | 'funding'>, asset: number, market: MarketView): Decimal {
  return pendingOf(account, asset, market).usd;
}

/** The part of one coin's pending funding that its open position will pay (negative) or get, USD. */
export function pendingOfPosition(account: Pick<Account, 'positions' | 'funding'>, asset: number, market: MarketView): Decimal {
  return pendingOf(account, asset, market).usdOfPosition;
}

/** One coin's pending funding as far as it is known. */
interface Pending {
  readonly market: MarketView;
  readonly signedSize: Decimal | undefined;
  /** Newest hour that was known of any coin. */
  readonly throughMs: number;
  /** First hour whose rate was not known, if there was one. */
  readonly waitsForMs: number | undefined;
  readonly usd: Decimal;
  readonly usdOfPosition: Decimal;
}

interface PendingOf {
  readonly account: Pick<Account, 'positions' | 'funding'>;
  readonly asset: number;
  readonly market: MarketView;
}

function pendingOf(account: PendingOf['account'], asset: number, market: MarketView): Pick<Pending, 'usd' | 'usdOfPosition'> {
  const funding = account.funding.get(asset);
  return funding ? pendingBy(funding, { account, asset, market }) : { usd: ZERO, usdOfPosition: ZERO };
}

/** Clients ask far more often than hours pass, and a known rate never changes: summed up once for each. */
const pendingBy = rememberFor(
  (_funding: CoinFunding, { account, asset, market }: PendingOf): Pending => {
    const throughMs = market.fundingHourMs;
    let waitsForMs: number | undefined;
    const payments = paymentsOf(owedHours(account, asset, throughMs), (hourMs) => {
      const rate = market.fundingRate(asset, hourMs);
      if (!rate) waitsForMs = hourMs;
      return rate;
    });
    const signedSize = account.positions.get(asset)?.signedSize;
    const usdOfPosition = sumOf(payments.filter(({ isOpen }) => isOpen));
    return { market, signedSize, throughMs, waitsForMs, usd: sumOf(payments), usdOfPosition };
  },
  (last, { account, asset, market }) =>
    last.market === market && last.signedSize === account.positions.get(asset)?.signedSize && !isOutdated(last, asset),
);

function isOutdated({ market, throughMs, waitsForMs }: Pending, asset: number): boolean {
  if (waitsForMs === undefined) return throughMs !== market.fundingHourMs;
  return market.fundingRate(asset, waitsForMs) !== undefined;
}
