// Books with fewer digits, as `l2Book` offers them: levels that round to one price become one level.
import { Decimal } from '../../shared/domain/decimal.ts';
import { BOOK_LEVELS_MAX, type BookText, toLevel } from './coinBook.ts';
import type { DeepChange, FeedLevel } from './feed.ts';
import type { Bucket, DeepBook } from './marketView.ts';

export interface BookAggregation {
  readonly nSigFigs: 2 | 3 | 4 | 5;
  /** Only with 5 digits: the last one moves in steps of 2 or 5. */
  readonly mantissa?: 1 | 2 | 5;
}

/** Of the venue's coarsest prices: there is no deeper book. */
export const COARSEST_DIGITS = 2;

type Side = 'bid' | 'ask';

/** Rounds one side's prices away from the market (bids down, asks up) and sums sizes and orders; at most 20 levels. */
export function aggregateLevels(
  levels: readonly FeedLevel[],
  side: Side,
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

/**
 * The aggregated book of a coin less what was displayed when it came (trading-rules 3.5): what is left stands beyond the displayed levels. So a level
 * that is gone from a later book is not taken for one that is out of sight.
 * @param shown the displayed book of that moment; without one nothing is known to be beyond it
 */
export const toDeepBook = ({ timeMs, digits, bids, asks }: DeepChange, shown: BookText | undefined): DeepBook => ({
  ...{ timeMs, digits },
  bids: shown === undefined ? [] : bucketsBeyond(bids, 'bid', { levels: shown.bids, last: shown.shownTo.bid }),
  asks: shown === undefined ? [] : bucketsBeyond(asks, 'ask', { levels: shown.asks, last: shown.shownTo.ask }),
});

/** Finer levels with what a coarser book of the side has beyond their last one, less what the finer ones have of its first bucket there. */
export function deepened(finer: readonly FeedLevel[], coarser: readonly FeedLevel[], side: Side): readonly FeedLevel[] {
  const last = finer.at(-1)?.[0];
  if (last === undefined) return coarser;
  const beyond = bucketsBeyond(coarser, side, { levels: finer, last });
  return [...finer, ...beyond.map(({ price, size, orders }): FeedLevel => [price.toFixed(), size.toFixed(), orders])];
}

function bucketsBeyond(
  buckets: readonly FeedLevel[],
  side: Side,
  { levels, last: lastText }: { readonly levels: readonly FeedLevel[]; readonly last: string | undefined },
): Bucket[] {
  if (lastText === undefined) return [];
  const last = new Decimal(lastText);
  const found: Bucket[] = [];
  let before: Decimal | undefined;
  for (const { price, size, orders } of buckets.map(toLevel)) {
    if (isBeyond(side, price, last)) {
      const isFirst = before === undefined || !isBeyond(side, before, last);
      const left = isFirst ? size.minus(sizeBeyond(levels.map(toLevel), side, before)) : size;
      if (left.gt(0)) found.push({ price, size: left, orders, from: isFirst || before === undefined ? last : before });
    }
    before = price;
  }
  return found;
}

/** The coins beyond a price; all coins without a price. */
export function sizeBeyond(
  levels: readonly { readonly price: Decimal; readonly size: Decimal }[],
  side: Side,
  price: Decimal | undefined,
): Decimal {
  const beyond = levels.filter((level) => price === undefined || isBeyond(side, level.price, price));
  return beyond.reduce((sum, { size }) => sum.plus(size), new Decimal(0));
}

/** True when a price is worse for who takes it. */
export const isBeyond = (side: Side, price: Decimal, than: Decimal): boolean =>
  side === 'bid' ? price.lt(than) : price.gt(than);
