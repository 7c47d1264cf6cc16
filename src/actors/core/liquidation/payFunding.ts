// Pays funding (trading-rules 6.3, 6.4): each coin's unpaid hours become one payment and one row, to the isolated
// margin of the position or to cross cash, once all of them are known. Paid hours are owed no more, so the same command
// again, late or in pieces finds nothing left to do.
import { type FundingHour, hourOf } from '../../../market/domain/fundingRecords.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { halfUp, roundOffResidue, ZERO } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/domain/units.ts';
import { type OwedHours, owedHours } from '../account/fundingAccrual.ts';
import type { Draft } from '../fold/draft.ts';
import type { Context } from '../fold/pipeline.ts';
import { type FundingRate, type HourlyPayment, paymentsOf, sumOf, toFundingRate } from '../margin/fundingPayments.ts';
import type { ShardCommand } from '../messages/shardCommand.ts';

/** Decimals of the averages in a row; only shown. */
const AVERAGE_SIZE_DECIMALS = 8;
const AVERAGE_RATE_DECIMALS = 10;

/** Hours of a delisted coin without a rate are dropped after this time, ms: the venue has none for them. */
const DELISTED_WAITS_MS = DAY_MS;
/** Those of a listed coin after this time, ms: the market keeps hours for ten days, so no rate can come any more. */
const LISTED_WAITS_MS = 240 * HOUR_MS;

type RateOf = (asset: number, coin: string, hourMs: number) => FundingRate | undefined;

/**
 * Pays the hours up to `throughMs`, with the command's rates or else those of the market view. A coin with an unknown hour waits,
 * and no other coin waits with it; a late command, and a coin that is delisted, pay up to that hour.
 */
export function payFunding(draft: Draft, command: Extract<ShardCommand, { type: 'settleFunding' }>, market: MarketView): void {
  const { throughMs } = command;
  if (draft.account.funding.size === 0) return;
  const hours = hoursOf(command);
  settleCoins(draft, {
    assets: sortedAssets(draft),
    throughMs,
    atMs: () => throughMs,
    dropToMs: (asset) => throughMs - (market.asset(asset)?.isDelisted ? DELISTED_WAITS_MS : LISTED_WAITS_MS),
    mayWait: (asset) => command.late !== true && market.asset(asset)?.isDelisted !== true,
    rateOf: (asset, coin, hourMs) => {
      const known = hours.get(hourMs)?.[coin];
      return known ? toFundingRate(known) : market.fundingRate(asset, hourMs);
    },
  });
}

/**
 * Pays pending funding at once, because the next step must not wait for the next settlement: a liquidation, a
 * delisting, a reset. Hours without a known rate stay pending, unless `drop`: then they are dropped, because
 * nothing of the account is left that could pay them.
 */
export function payPendingFunding(
  draft: Draft,
  { market, nowMs }: Context,
  { assets = sortedAssets(draft), drop = false }: { assets?: readonly number[]; drop?: boolean } = {},
): void {
  const throughMs = hourOf(nowMs);
  settleCoins(draft, {
    assets,
    throughMs,
    atMs: (lastHourMs) => lastHourMs,
    dropToMs: () => (drop ? throughMs : 0),
    mayWait: () => false,
    rateOf: (asset, _coin, hourMs) => market.fundingRate(asset, hourMs),
  });
}

interface Settlement {
  readonly assets: readonly number[];
  readonly throughMs: number;
  /** Time of the row, from the last paid hour. */
  readonly atMs: (lastHourMs: number) => number;
  /** Hours up to this one without a rate are dropped. */
  readonly dropToMs: (asset: number) => number;
  /** True when the coin is paid only once all of its hours are known, and nothing is dropped before. */
  readonly mayWait: (asset: number) => boolean;
  readonly rateOf: RateOf;
}

function settleCoins(draft: Draft, { assets, throughMs, atMs, dropToMs, mayWait, rateOf }: Settlement): void {
  const { account } = draft;
  for (const asset of assets) {
    const hours = owedHours(account, asset, throughMs);
    const coin = account.funding.get(asset)?.coin;
    const [first] = hours;
    if (first === undefined || coin === undefined) continue;
    const droppedToMs = dropToMs(asset);
    const payments = paymentsOf(hours, (hourMs) => rateOf(asset, coin, hourMs), droppedToMs);
    if (!isWhole(payments, { hours, droppedToMs }) && mayWait(asset)) continue;
    const last = payments.at(-1);
    const isDropping = first.fromMs <= droppedToMs;
    if (!last && !isDropping) continue;
    const ofPosition = payments.filter(({ isOpen }) => isOpen);
    const position = account.positions.get(asset);
    const sinceChangeMs = account.funding.get(asset)?.accruedToMs ?? Number.POSITIVE_INFINITY;
    const usdOfPosition = sumOf(ofPosition);
    draft.record({
      type: 'fundingSettled',
      asset,
      coin,
      timeMs: last ? atMs(last.hourMs) : throughMs,
      throughMs: last?.hourMs ?? 0,
      ...(isDropping && { droppedToMs }),
      usd: sumOf(payments).toString(),
      ...(position?.marginMode === 'isolated' && { bucketUsd: usdOfPosition.toString() }),
      sinceOpenUsd: usdOfPosition.toString(),
      sinceChangeUsd: sumOf(ofPosition.filter(({ hourMs }) => hourMs > sinceChangeMs)).toString(),
      ...averagesOf(payments),
      hours: payments.length,
    });
  }
}

/** True when no hour behind the payments is owed that is not dropped with them. */
function isWhole(
  payments: readonly HourlyPayment[],
  { hours, droppedToMs }: { hours: readonly OwedHours[]; droppedToMs: number },
): boolean {
  return (hours.at(-1)?.toMs ?? 0) <= Math.max(payments.at(-1)?.hourMs ?? 0, droppedToMs);
}

/** Over the hours with a position. */
function averagesOf(payments: readonly HourlyPayment[]): { signedSize: string; fundingRate: string } {
  const count = Math.max(payments.length, 1);
  const sizes = payments.reduce((sum, { signedSize }) => sum.plus(signedSize), ZERO);
  const rates = payments.reduce((sum, { rate }) => sum.plus(rate), ZERO);
  return {
    signedSize: halfUp(roundOffResidue(sizes.div(count)), AVERAGE_SIZE_DECIMALS).toString(),
    fundingRate: halfUp(roundOffResidue(rates.div(count)), AVERAGE_RATE_DECIMALS).toString(),
  };
}

function sortedAssets({ account }: Draft): number[] {
  return [...account.funding.keys()].sort((a, b) => a - b);
}

/** The command's hours by their boundary, made once for all accounts. */
const hoursOf = rememberFor(
  ({ hours }: { readonly hours: readonly FundingHour[] }): ReadonlyMap<number, FundingHour['coins']> =>
    new Map(hours.map(({ hourMs, coins }) => [hourMs, coins])),
);
