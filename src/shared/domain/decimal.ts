// The one place that configures decimal.js and names each rounding. Money, prices, sizes and rates are Decimal inside
// and decimal text outside; every rounding in the project goes through a function of this file (trading-rules 0.1).
import { Decimal as Base } from 'decimal.js';
import { withShortDecimals } from './shortDecimal.ts';

/** Enough digits that no product of a legal price and size, nor their sums, is ever rounded by accident (`Decimal`). */
const short = withShortDecimals(
  Base.clone({
    precision: 60,
    rounding: Base.ROUND_HALF_UP,
    toExpNeg: -60,
    toExpPos: 60,
  }),
);
export const { Decimal } = short;
export type Decimal = Base;

export const ZERO = new Decimal(0);

/** Decimals of one micro-USD. */
export const USD_DECIMALS = 6;

/** Far above what residues add up to, far below what is shown. */
const DUST_DECIMALS = 24;

/** Cut toward zero after 6 decimals: fees, funding, margins (trading-rules 0.1). */
export function cut6(value: Decimal): Decimal {
  return value.decimalPlaces() <= USD_DECIMALS ? value : value.toDecimalPlaces(USD_DECIMALS, Base.ROUND_DOWN);
}

/** Cut toward zero after `decimals` decimals: lots, average prices. */
export function cutTo(value: Decimal, decimals: number): Decimal {
  return value.decimalPlaces() <= decimals ? value : value.toDecimalPlaces(decimals, Base.ROUND_DOWN);
}

/** Half up after `decimals` decimals: figures that are only shown (liquidation price, return on equity, closed PnL). */
export function halfUp(value: Decimal, decimals: number): Decimal {
  return value.decimalPlaces() <= decimals ? value : value.toDecimalPlaces(decimals, Base.ROUND_HALF_UP);
}

/**
 * A quotient, cut toward zero after 40 decimals: fine enough that no sum of such quotients can be mistaken for another
 * number of micro-USD, and never above the true value.
 */
export function quotient(value: Decimal, divisor: Decimal | number): Decimal {
  return cutTo(typeof divisor === 'number' ? perLeverage(value, divisor) : value.div(divisor), 40);
}

/** A quotient, half up after `decimals` decimals: what `halfUp` makes of `div` without its dust. */
export function halfUpQuotient(value: Decimal, divisor: Decimal, decimals: number): Decimal {
  return short.quotientTo(value, divisor, decimals, true) ?? halfUp(roundOffDust(value.div(divisor)), decimals);
}

/** A quotient, cut toward zero after `decimals` decimals: what `cutTo` makes of `quotient`. */
export function cutQuotient(value: Decimal, divisor: Decimal, decimals: number): Decimal {
  return short.quotientTo(value, divisor, decimals, false) ?? cutTo(quotient(value, divisor), decimals);
}

/** 1 / n for every leverage up to 50, and twice that, where it is a short decimal: a product is much cheaper than a division. */
const RECIPROCALS: readonly (Decimal | undefined)[] = Array.from({ length: 101 }, (_, n) => {
  const reciprocal = n > 0 ? new Decimal(1).div(n) : undefined;
  return reciprocal && reciprocal.decimalPlaces() < 10 ? reciprocal : undefined;
});

/** Whole numbers as divisors. */
const WHOLES: readonly Decimal[] = Array.from({ length: RECIPROCALS.length }, (_, n) => new Decimal(n));

/** A notional by a leverage, a whole number, cut toward zero after 6 decimals. */
export function cutPerLeverage(notional: Decimal, leverage: number): Decimal {
  const reciprocal = RECIPROCALS[leverage];
  if (reciprocal) return cut6(notional.times(reciprocal));
  return cutQuotient(notional, WHOLES[leverage] ?? new Decimal(leverage), USD_DECIMALS);
}

/** A notional by a leverage, a whole number: exact where the reciprocal is a short decimal, else to 60 digits. */
export function perLeverage(notional: Decimal, leverage: number): Decimal {
  const reciprocal = RECIPROCALS[leverage];
  return reciprocal ? notional.times(reciprocal) : notional.div(leverage);
}

/**
 * Forgets what a division left in the last of 60 digits (half up after 40 decimals), so that a whole number or a tie is
 * recognised as one when the value is rounded again.
 */
export function roundOffResidue(value: Decimal): Decimal {
  return value.decimalPlaces() <= 40 ? value : value.toDecimalPlaces(40, Base.ROUND_HALF_UP);
}

/**
 * Forgets what quotients that are kept to 40 decimals have left in a number (half up after 24 decimals). A cost that many partial
 * closes have divided is wrong by one in the fortieth decimal for each of them, times the size where it is multiplied by one; a
 * tie or a whole number must be recognised all the same before the number is rounded to what is shown.
 */
export function roundOffDust(value: Decimal): Decimal {
  return value.decimalPlaces() <= DUST_DECIMALS ? value : value.toDecimalPlaces(DUST_DECIMALS, Base.ROUND_HALF_UP);
}

/** Away from zero after `decimals` decimals: a 20 % liquidation is rounded up to a lot, a top-up of margin to a micro-USD. */
export function roundUp(value: Decimal, decimals: number): Decimal {
  return value.toDecimalPlaces(decimals, Base.ROUND_UP);
}

/** Wire form of a number: plain decimal text with at least one decimal and no trailing zeros beyond it (wire-format 2.1). */
export function toWire(value: Decimal): string {
  const text = value.isZero() ? '0' : value.toFixed();
  return text.includes('.') ? text : `${text}.0`;
}
