// The limit of an order that goes to the market: not more than 5 % beyond the price that it is sent at.

const BEYOND_SHARE = 0.05;
const SIGNIFICANT_DIGITS = 5;
/** Decimals of a price and of a size together, for perpetuals. */
const DECIMALS_MAX = 6;

/**
 * @param price USD per coin: the mid, the mark, or that of a trigger
 * @param sizeDecimals of the coin, from `meta`
 * @returns a limit on the venue's grid: five significant digits, and no more decimals than the coin allows
 */
export function limitBeyond(side: 'buy' | 'sell', price: string, sizeDecimals: number): string {
  const wanted = Number(price) * (side === 'sell' ? 1 - BEYOND_SHARE : 1 + BEYOND_SHARE);
  const significant = Number(wanted.toPrecision(SIGNIFICANT_DIGITS));
  return withoutZeros(significant.toFixed(DECIMALS_MAX - sizeDecimals));
}

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
