// The price at which selling everything would leave a margin pool with exactly nothing (trading-rules 5.5). It bounds
// the market step of a liquidation, and the house pays it in a take-over.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, roundOffResidue } from '../../../shared/domain/decimal.ts';
import type { FeeRates } from '../../../shared/domain/fees/fees.ts';
import type { Position } from '../account/account.ts';
import { toLegalPrice } from '../checks/readOrder.ts';
import type { MarginPoolHealth } from '../margin/marginPool.ts';
import { valuationOf } from '../margin/positionMargin.ts';

const ONE = new Decimal(1);

/** USD per coin, exact to 40 decimals: each position of the pool bears the equity by its share of the notional. */
export function bankruptcyPrice(position: Position, { equity, notional }: MarginPoolHealth, market: MarketView): Decimal {
  const value = valuationOf(position, market);
  const borne = equity.times(value.notional).div(notional);
  return roundOffResidue(value.markPrice.minus(borne.div(position.signedSize)));
}

/** Limit of the market step: the bankruptcy price with room for the taker fee, on the grid, toward less aggressive. */
export function liquidationLimit(
  bankrupt: Decimal,
  { signedSize }: Position,
  { asset: { sizeDecimals }, rates }: { readonly asset: Asset; readonly rates: FeeRates },
): Decimal {
  const isLong = signedSize.isPos();
  const withFee = roundOffResidue(bankrupt.div(isLong ? ONE.minus(rates.taker) : ONE.plus(rates.taker)));
  return toLegalPrice(withFee, { side: isLong ? 'sell' : 'buy', sizeDecimals });
}
