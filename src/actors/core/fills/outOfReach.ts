// What stands inside an order's limit and the account may not take, or cannot see (trading-rules 2.4): reasons of this exchange alone, for
// which the venue would not end an order.
import { isBeyond } from '../../../market/domain/aggregateBook.ts';
import type { Book, DeepBook } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { isWithinLimit } from '../account/ownOrders.ts';
import type { Side } from '../messages/command.ts';
import type { OutOfReach } from '../messages/event.ts';
import { availabilityOf } from './bookLiquidity.ts';
import { type BookSide, reachableLevels } from './reachableLevels.ts';

/** The books of a coin, fresh. */
interface Books {
  readonly book: Book;
  readonly deep?: DeepBook;
}

/** Where an order may take. */
export interface Reach {
  readonly side: Side;
  readonly limitPrice: Decimal;
}

/**
 * What this exchange alone keeps from an order; undefined where the venue has no more for it either.
 * @param account before the order takes anything
 */
export function outOfReach(
  account: Account,
  { side, limitPrice, asset }: Reach & { readonly asset: { readonly id: number; readonly sizeDecimals: number } },
  books: Books,
): OutOfReach | undefined {
  const bookSide = facing(side);
  const levels = reachableLevels(books, bookSide);
  const place = { asset: asset.id, bookSide, sizeDecimals: asset.sizeDecimals, book: books.book };
  const availableAt = availabilityOf(account, levels, place);
  const isTaken = levels.some(
    (level) => isWithinLimit(level.price, { side, limitPrice }) && !availableAt(level).consumed.isZero(),
  );
  if (isTaken) return 'taken';
  return goesBeyond(books, { side, limitPrice }) ? 'beyond' : undefined;
}

/** True when the book shows size inside the limit, whoever has taken it, or may have some beyond what it shows. */
export function isAnythingInside(books: Books, { side, limitPrice }: Reach): boolean {
  const [best] = reachableLevels(books, facing(side));
  return (best !== undefined && isWithinLimit(best.price, { side, limitPrice })) || goesBeyond(books, { side, limitPrice });
}

/** True when the limit lies beyond all that is shown of a side that may go on; the aggregated book shows more of it than the displayed one. */
function goesBeyond({ book, deep }: Books, { side, limitPrice }: Reach): boolean {
  const bookSide = facing(side);
  const last = book.shownTo[bookSide];
  if (!book.goesOn[bookSide] || last === undefined || !isBeyond(bookSide, limitPrice, last)) return false;
  const next = (bookSide === 'bid' ? deep?.bids : deep?.asks)?.find(({ price }) => isBeyond(bookSide, price, limitPrice));
  return next === undefined || isBeyond(bookSide, limitPrice, next.from);
}

const facing = (side: Side): BookSide => (side === 'buy' ? 'ask' : 'bid');
