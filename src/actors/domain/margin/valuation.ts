// A position at its mark, the venue’s own (trading-rules 5.1). Margin figures of an account are sums of these, asked for at every order, so a position that
// has not changed is valued once per mark.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { cut6, type Decimal, perLeverage, settle } from '../../../shared/domain/decimal.ts';
import type { Position, Valuation } from '../account/account.ts';
import { entryPriceOf } from './position.ts';

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
