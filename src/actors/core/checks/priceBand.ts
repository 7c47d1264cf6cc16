// How far a limit price may be from its reference (trading-rules 1.4). All that the band is made of stands here: its share, its reference
// and the text of its refusal. The venue's text has named 80 % and 95 %; 95 % is what clients report of perpetuals, of the oracle price.
import type { CoinPrices } from '../../../market/domain/marketView.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';

/** A price may be this many percent of the larger of the two away from the reference. */
const BAND_PERCENT = 95;

export const PRICE_TOO_FAR = `Order price cannot be more than ${BAND_PERCENT}% away from the reference price`;

/** The lowest legal price is above this share of the reference, the highest is the reference divided by it: 0.05 and 20 times. */
const LOWER = new Decimal(100 - BAND_PERCENT).div(100);
const UPPER = new Decimal(1).div(LOWER);

export interface PriceBand {
  /** Not legal itself. */
  readonly lower: Decimal;
  readonly upper: Decimal;
}

/** The band of orders that are no triggers: around the oracle price. */
export const bandOf = rememberFor(({ oraclePrice }: CoinPrices): PriceBand => bandAround(oraclePrice));

/** The band around a reference price; of a trigger order that is its trigger. Exact, no rounding. */
export function bandAround(reference: Decimal): PriceBand {
  return { lower: reference.times(LOWER), upper: reference.times(UPPER) };
}

/** True when the price is outside the band. */
export function isBeyond(price: Decimal, { lower, upper }: PriceBand): boolean {
  return price.lte(lower) || price.gt(upper);
}
