// A position at its mark. Margin figures of an account are sums of these, asked for at every order, so a position that
// has not changed is valued once per mark.
import type { MarginTier } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { cut6, type Decimal, perLeverage, settle } from '../../../shared/domain/decimal.ts';
import type { Position } from '../account/account.ts';
import { entryPriceOf } from './position.ts';

export interface Valuation {
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
  /** What `maintenanceOf` remembers of it. */
  maintained: { readonly tiers: readonly MarginTier[]; readonly maintenance: Decimal } | undefined;
}

/** The last valuation of a position, kept in it: a weak map would cost more than it saves. */
export interface ValuedPosition {
  readonly position: Position;
  readonly mark: Decimal | undefined;
  readonly valuation: Valuation;
}

/** A position at the mark of now. A function of its arguments; the memory only saves the arithmetic. */
export function valuationOf(position: Position, market: MarketView): Valuation {
  const mark = market.prices(position.asset)?.markPrice;
  const last = position.valued;
  if (last?.position === position && (last.mark === mark || (mark && last.mark?.eq(mark)))) return last.valuation;
  const valuation = valuationAt(position, mark ?? entryPriceOf(position));
  position.valued = { position, mark, valuation };
  return valuation;
}

function valuationAt(position: Position, markPrice: Decimal): Valuation {
  const { marginMode, leverage, rawUsd } = position;
  const signedNotional = settle(position.signedSize.times(markPrice));
  const notional = signedNotional.abs();
  const marginUsed = marginMode === 'cross' ? cut6(perLeverage(notional, leverage)) : rawUsd.plus(signedNotional);
  return { markPrice, notional, signedNotional, marginUsed, free: signedNotional.minus(marginUsed), maintained: undefined };
}
