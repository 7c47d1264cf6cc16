// The fees of a fill, and the venue's schedule of fees (trading-rules 7.1). The rules, the emulator and `userFees` read the same tables.
// A negative rate is a rebate: the account gets it.

import { utcDay } from './calendar.ts';
import { cut6, Decimal, ZERO } from './decimal.ts';
import { DAY_MS } from './units.ts';

/** Fractions of the notional, for the order that rested and for the one that crossed. */
export interface FeeRates {
  readonly maker: Decimal;
  readonly taker: Decimal;
}

/** The service's own: 0.015 % and 0.045 %. They are the venue's tier 0. */
export const FEE_RATES: FeeRates = { maker: new Decimal('0.00015'), taker: new Decimal('0.00045') };

/** Bounds of rates that a user chooses. */
export const RATE_MIN = new Decimal('-0.001');
export const RATE_MAX = new Decimal('0.01');

/** A tier of the venue holds above this volume of 14 days, USD. */
export interface VolumeTier extends FeeRates {
  readonly above: Decimal;
}

const tier = (above: string, taker: string, maker: string): VolumeTier => ({
  above: new Decimal(above),
  taker: new Decimal(taker),
  maker: new Decimal(maker),
});

/** The venue's tiers 1 to 6 of perpetuals, as `userFees` there tells them (`tiers.vip`). */
export const VOLUME_TIERS = [
  tier('5e6', '0.0004', '0.00012'),
  tier('25e6', '0.00035', '0.00008'),
  tier('100e6', '0.0003', '0.00004'),
  tier('500e6', '0.00028', '0'),
  tier('2e9', '0.00026', '0'),
  tier('7e9', '0.00024', '0'),
] as const satisfies readonly VolumeTier[];

/** A rebate of the venue holds above this share of all makers' volume. */
export interface RebateTier {
  readonly above: Decimal;
  readonly maker: Decimal;
}

/** The venue's rebates 1 to 3 (`tiers.mm`): the maker rate of an account that has one, whatever its tier. */
export const REBATE_TIERS: readonly RebateTier[] = [
  { above: new Decimal('0.005'), maker: new Decimal('-0.00001') },
  { above: new Decimal('0.015'), maker: new Decimal('-0.00002') },
  { above: new Decimal('0.03'), maker: new Decimal('-0.00003') },
];

/** @param number 0 = the service's own rates @param rebate 0 = none */
export function ratesOfTier(number: number, rebate = 0): FeeRates {
  const rates = VOLUME_TIERS[number - 1] ?? FEE_RATES;
  const maker = REBATE_TIERS[rebate - 1]?.maker;
  return maker === undefined ? rates : { taker: rates.taker, maker };
}

/** The number of the tier that a volume of 14 days reaches: it is above the tier's bound. */
export const tierOfVolume = (volumeUsd: Decimal): number => VOLUME_TIERS.filter(({ above }) => volumeUsd.gt(above)).length;

/** Days before a UTC day whose volume makes its tier. */
export const TIER_DAYS = 14;

/**
 * The volume that makes the tier of the UTC day of `timeMs`: of the 14 days before it. The day itself does not count, so that the tier
 * changes at midnight alone.
 * @param days traded notional by UTC day, USD
 */
export function tierVolume(
  days: readonly { readonly day: string; readonly takerUsd: Decimal; readonly makerUsd: Decimal }[],
  timeMs: number,
): Decimal {
  const [from, to] = [utcDay(timeMs - TIER_DAYS * DAY_MS), utcDay(timeMs)];
  return days
    .filter(({ day }) => day >= from && day < to)
    .reduce((sum, { takerUsd, makerUsd }) => sum.plus(takerUsd).plus(makerUsd), ZERO);
}

/** Fee of one fill, USD, cut toward zero after 6 decimals: neither a fee nor a rebate is more than the exact one. */
export function feeOf(notional: Decimal, liquidity: 'maker' | 'taker', rates = FEE_RATES): Decimal {
  const fee = cut6(notional.times(rates[liquidity]));
  return fee.isZero() ? ZERO : fee;
}
