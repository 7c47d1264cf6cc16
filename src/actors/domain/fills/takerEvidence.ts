// What the book showed to an order that took from it: the evidence of each such fill, whoever sent the order.
import type { Book } from '../../../market/domain/marketView.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { FillEvidence } from '../messages/historyRows.ts';

const HALF = new Decimal('0.5');

/** @param level what was displayed at the fill's price, and what of it the account had consumed before */
export function takerEvidence(book: Book, level: { readonly displayed: Decimal; readonly consumed: Decimal }): FillEvidence {
  const [bid] = book.bids;
  const [ask] = book.asks;
  const evidence: { -readonly [Field in keyof FillEvidence]: FillEvidence[Field] } = {
    bookTimeMs: book.timeMs,
    bookVersion: book.version,
    displayed: level.displayed.toString(),
    consumed: level.consumed.toString(),
  };
  if (bid && ask) evidence.midPrice = bid.price.plus(ask.price).times(HALF).toString();
  return evidence;
}
