// The price at which selling everything would leave a pocket with exactly nothing (trading-rules 5.5). It bounds the
// market step of a liquidation, and it is what the house pays in a backstop.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, settle } from '../../../shared/domain/decimal.ts';
import type { Position } from '../account/account.ts';
import { toLegalPrice } from '../checks/readOrder.ts';
import { TAKER_RATE } from '../fills/fillPlan.ts';
import type { PocketHealth } from '../margin/marginPool.ts';
import { valuationOf } from '../margin/positionMargin.ts';

const ONE = new Decimal(1);

/** USD per coin, exact to 40 decimals: each position of the pocket bears the equity by its share of the notional. */
export function bankruptcyPrice(position: Position, { equity, notional }: PocketHealth, market: MarketView): Decimal {
  const value = valuationOf(position, market);
  const borne = equity.times(value.notional).div(notional);
  return settle(value.markPrice.minus(borne.div(position.signedSize)));
}

/** Limit of the market step: the bankruptcy price with room for the taker fee, on the grid, toward less aggressive. */
export function liquidationLimit(bankrupt: Decimal, { signedSize }: Position, { sizeDecimals }: Asset): Decimal {
  const isLong = signedSize.isPos();
  const withFee = settle(bankrupt.div(isLong ? ONE.minus(TAKER_RATE) : ONE.plus(TAKER_RATE)));
  return toLegalPrice(withFee, { side: isLong ? 'sell' : 'buy', sizeDecimals });
}
