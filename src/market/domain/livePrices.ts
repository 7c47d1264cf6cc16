// Mark, oracle and mid of one coin in the live market. Most readers want the mark alone, and a book changes many times while
// a mark stands: the others are read from the text when they are asked for.
import { Decimal } from '../../shared/domain/decimal.ts';
import type { BookText, CoinBook } from './coinBook.ts';
import type { ContextChange } from './feed.ts';
import type { CoinPrices } from './marketView.ts';

/** Of one context, and of the book as it goes on. */
export class LivePrices implements CoinPrices {
  readonly #change: ContextChange;
  readonly #book: CoinBook;
  readonly markPrice: Decimal;
  #mid: { readonly version: number; readonly price: Decimal | undefined } | undefined;

  constructor(change: ContextChange, book: CoinBook) {
    this.#change = change;
    this.#book = book;
    this.markPrice = new Decimal(change.context.markPx); // the venue’s own, never worked out (trading-rules 5.1)
  }

  get oraclePrice(): Decimal {
    return new Decimal(this.#change.context.oraclePx);
  }

  get midPrice(): Decimal | undefined {
    const { version } = this.#book;
    if (this.#mid?.version !== version) {
      const { midPx } = this.#change.context;
      this.#mid = { version, price: midOf(this.#book.text()) ?? (midPx === null ? undefined : new Decimal(midPx)) };
    }
    return this.#mid.price;
  }

  get timeMs(): number {
    return this.#change.timeMs;
  }
}

function midOf(text: BookText | undefined): Decimal | undefined {
  const bid = text?.bids[0];
  const ask = text?.asks[0];
  return bid === undefined || ask === undefined ? undefined : new Decimal(bid[0]).plus(ask[0]).div(2);
}
