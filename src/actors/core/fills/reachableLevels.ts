// What an order can reach (trading-rules 3.5): the displayed levels and, beyond the last of them, the buckets of the aggregated book, where one is
// known. A bucket counts at its worst price, and only with what no displayed level has of it.
import { isBeyond, sizeBeyond } from '../../../market/domain/aggregateBook.ts';
import type { Book, BookLevel, DeepBook } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';

export type BookSide = 'bid' | 'ask';

/** Coins between two prices of one side; `from` is the better one and not of the range. Absent: at `price` alone. */
export interface PriceRange {
  readonly price: Decimal;
  readonly from?: Decimal;
}

export interface ReachableLevel extends BookLevel, PriceRange {}

/** Opposite levels, best first. */
export function reachableLevels(
  { book, deep }: { readonly book: Book; readonly deep?: DeepBook | undefined },
  bookSide: BookSide,
): readonly ReachableLevel[] {
  const shown = bookSide === 'bid' ? book.bids : book.asks;
  const last = book.shownTo[bookSide];
  if (deep === undefined || last === undefined) return shown;
  const beyond = (bookSide === 'bid' ? deep.bids : deep.asks).flatMap((bucket): ReachableLevel[] => {
    const { price, size, from } = bucket;
    if (!isBeyond(bookSide, price, last)) return [];
    if (!isBeyond(bookSide, last, from)) return [bucket];
    const left = size.minus(sizeBeyond(shown, bookSide, from));
    return left.gt(0) ? [{ ...bucket, size: left, from: last }] : [];
  });
  return [...shown, ...beyond];
}

/** True when a price, or any of a range, is in both. */
export function overlap(bookSide: BookSide, a: PriceRange, b: PriceRange): boolean {
  if (isBeyond(bookSide, a.price, b.price)) return a.from === undefined ? false : isBeyond(bookSide, b.price, a.from);
  if (a.price.eq(b.price)) return true;
  return b.from !== undefined && isBeyond(bookSide, a.price, b.from);
}

/** The better of two beginnings; a price alone begins at itself, which says nothing. */
export function betterFrom(bookSide: BookSide, a: Decimal | undefined, b: Decimal | undefined): Decimal | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return isBeyond(bookSide, a, b) ? b : a;
}
