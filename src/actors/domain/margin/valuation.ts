// A position at its mark, the venue’s own (trading-rules 5.1). Margin figures of an account are sums of these, asked for at every order, so a position that
// has not changed is valued once per mark.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { cut6, type Decimal, perLeverage, settle } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import type { Position } from '../account/account.ts';
import { entryPriceOf } from './position.ts';

export interface Valuation {
  /** Mark of the coin, while it has one. */
  readonly mark: Decimal | undefined;
  /** Mark, or the entry price while the coin has none: the position then counts with no gain and no loss. */
  readonly markPrice: Decimal;
  /** USD, size times mark (`positionValue`). */
  readonly notional: Decimal;
  /** The same with the position's sign. */
  readonly signedNotional: Decimal;
  /** Cross: initial margin, cut after 6 decimals. Isolated: the bucket's equity. */
  readonly marginUsed: Decimal;
  /** What a cross position adds to free margin: its value less its initial margin. */
  readonly free: Decimal;
}

/** A position at the mark of now. */
export function valuationOf(position: Position, market: MarketView): Valuation {
  return valuationAt(position, market.prices(position.asset)?.markPrice);
}

const valuationAt = rememberFor(
  (position: Position, mark: Decimal | undefined): Valuation => {
    const { marginMode, leverage, rawUsd } = position;
    const markPrice = mark ?? entryPriceOf(position);
    const signedNotional = settle(position.signedSize.times(markPrice));
    const notional = signedNotional.abs();
    const marginUsed = marginMode === 'cross' ? cut6(perLeverage(notional, leverage)) : rawUsd.plus(signedNotional);
    return { mark, markPrice, notional, signedNotional, marginUsed, free: signedNotional.minus(marginUsed) };
  },
  (last, mark) => last.mark === mark || (mark !== undefined && last.mark?.eq(mark) === true),
);
