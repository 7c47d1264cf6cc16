// What an order can reach (trading-rules 3.5): the displayed levels and, beyond the last of them, the buckets of the aggregated book, where one is
// known. A bucket counts at its worst price, and only with what no displayed level has of it.
import type { Book, BookLevel, DeepBook } from '../../../market/domain/marketView.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';

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
  const beyond: ReachableLevel[] = [];
  let before: Decimal | undefined;
  for (const { price, size, orders } of bookSide === 'bid' ? deep.bids : deep.asks) {
    if (isBeyond(bookSide, price, last)) {
      const isFirst = before === undefined || !isBeyond(bookSide, before, last);
      const left = isFirst ? size.minus(sizeBeyond(shown, bookSide, before)) : size;
      if (left.gt(0)) beyond.push({ price, size: left, orders, from: isFirst ? last : (before ?? last) });
    }
    before = price;
  }
  return [...shown, ...beyond];
}

/** What is displayed beyond a price, coins. */
function sizeBeyond(shown: readonly BookLevel[], bookSide: BookSide, price: Decimal | undefined): Decimal {
  return shown.reduce(
    (sum, level) => (price === undefined || isBeyond(bookSide, level.price, price) ? sum.plus(level.size) : sum),
    new Decimal(0),
  );
}

/** True when a price is worse for who takes it. */
export const isBeyond = (bookSide: BookSide, price: Decimal, than: Decimal): boolean =>
  bookSide === 'bid' ? price.lt(than) : price.gt(than);

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
