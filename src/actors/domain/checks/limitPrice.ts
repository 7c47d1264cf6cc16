// The limit that an order really has: the client's own, or for price "0" with Ioc the one this service sets for a market
// order (trading-rules 1.6). Order of checks and price band look at the same number.
import type { Asset } from '../../../market/domain/asset.ts';
import type { CoinPrices } from '../../../market/domain/marketView.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { OrderRequest, TimeInForce } from '../messages/command.ts';
import { readNumber, toLegalPrice } from './priceGrid.ts';

/** How far beyond the mid a market order without a price may go. */
const MARKET_BUY_FACTOR = new Decimal('1.08');
const MARKET_SELL_FACTOR = new Decimal('0.92');

/** True for orders that never rest. */
export function isImmediate(timeInForce: TimeInForce): boolean {
  return timeInForce === 'ioc' || timeInForce === 'frontendMarket';
}

/** The order's limit, USD per coin; 0 where "0" is not allowed, undefined when the text is no number. */
export function limitPriceOf(request: OrderRequest, asset: Asset, prices: CoinPrices | undefined): Decimal | undefined {
  const price = readNumber(request.limitPrice);
  const { type } = request;
  if (!price?.isZero() || !prices || type.kind === 'trigger' || !isImmediate(type.timeInForce)) return price;
  const { side } = request;
  const reference = prices.midPrice ?? prices.markPrice;
  const farthest = reference.times(side === 'buy' ? MARKET_BUY_FACTOR : MARKET_SELL_FACTOR);
  return toLegalPrice(farthest, { side, sizeDecimals: asset.sizeDecimals });
}
