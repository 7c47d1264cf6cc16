// Which prices and sizes exist: decimal text that can be read, at most 5 significant figures and `6 - sizeDecimals`
// decimals for a price, whole lots for a size (trading-rules 1.1, 1.2).
import { cutTo, Decimal, roundUp } from '../../../shared/domain/decimal.ts';

const SIGNIFICANT_FIGURES_MAX = 5;
/** Prices of perpetuals have at most this many decimals, less one for each decimal of the size. */
const PRICE_DECIMALS = 6;
/** Whole digits beyond any legal number: longer text is not worth reading. */
const READABLE = /^\d{1,20}(\.\d{1,8})?$/;

/** A number as a client may write it: plain digits, at most 8 decimals, no sign, no exponent, no spaces. */
export function readNumber(text: string): Decimal | undefined {
  return READABLE.test(text) ? new Decimal(text) : undefined;
}

/** Decimals that a price of this coin may have. */
export function priceDecimals(sizeDecimals: number): number {
  return PRICE_DECIMALS - sizeDecimals;
}

/** Too many significant figures. Whole numbers always have few enough. */
export function hasTooManyFigures(price: Decimal): boolean {
  return !price.isInteger() && price.precision() > SIGNIFICANT_FIGURES_MAX;
}

/** Too many decimals. Whole numbers have none. */
export function hasTooManyDecimals(price: Decimal, sizeDecimals: number): boolean {
  return price.decimalPlaces() > priceDecimals(sizeDecimals);
}

/** The legal price nearest to `price` toward less aggressive: a buy is cut down, a sell goes up. */
export function toLegalPrice(price: Decimal, { side, sizeDecimals }: { side: 'buy' | 'sell'; sizeDecimals: number }): Decimal {
  const decimalsByFigures = SIGNIFICANT_FIGURES_MAX - 1 - price.e;
  const decimals = Math.max(0, Math.min(priceDecimals(sizeDecimals), decimalsByFigures));
  return side === 'buy' ? cutTo(price, decimals) : roundUp(price, decimals);
}

/** True when the size is a whole number of lots. */
export function isWholeLots(size: Decimal, sizeDecimals: number): boolean {
  return size.decimalPlaces() <= sizeDecimals;
}
