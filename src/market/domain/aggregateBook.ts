// Books with fewer digits, as `l2Book` offers them: levels that round to one price become one level.
import { Decimal } from '../../shared/domain/decimal.ts';
import type { FeedLevel } from './feed.ts';

export interface BookAggregation {
  readonly nSigFigs: 2 | 3 | 4 | 5;
  /** Only with 5 digits: the last one moves in steps of 2 or 5. */
  readonly mantissa?: 1 | 2 | 5;
}

/** Levels a side of any book that is shown. */
export const BOOK_LEVELS_MAX = 20;

/** Rounds one side's prices away from the market (bids down, asks up) and sums sizes and orders; at most 20 levels. */
export function aggregateLevels(
  levels: readonly FeedLevel[],
  side: 'bid' | 'ask',
  { nSigFigs, mantissa = 1 }: BookAggregation,
): FeedLevel[] {
  const merged: { price: Decimal; size: Decimal; orders: number }[] = [];
  for (const [priceText, size, orders] of levels) {
    const exact = new Decimal(priceText);
    const step = new Decimal(10).pow(exact.e - nSigFigs + 1).times(mantissa);
    const price = exact
      .div(step)
      .toDecimalPlaces(0, side === 'bid' ? Decimal.ROUND_DOWN : Decimal.ROUND_UP)
      .times(step);
    const last = merged.at(-1);
    if (last?.price.eq(price)) {
      last.size = last.size.plus(size);
      last.orders += orders;
    } else if (merged.length < BOOK_LEVELS_MAX) merged.push({ price, size: new Decimal(size), orders });
    else break;
  }
  return merged.map(({ price, size, orders }) => [price.toFixed(), size.toFixed(), orders]);
}
