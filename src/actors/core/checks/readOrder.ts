// Reads the numbers of an order once from the client's text, so that every check and the record of the order use the
// same ones. Also the legal prices and sizes, and the limit that this service gives to a market order (trading-rules
// 1.1, 1.2, 1.6).
import type { Asset } from '../../../market/domain/asset.ts';
import type { CoinPrices, MarketView } from '../../../market/domain/marketView.ts';
import { cutTo, Decimal, halfUp, roundUp } from '../../../shared/domain/decimal.ts';
import type { OrderRequest, TimeInForce } from '../messages/command.ts';

const SIGNIFICANT_FIGURES_MAX = 5;
/** Prices of perpetuals have at most this many decimals, less one for each decimal of the size. */
const PRICE_DECIMALS = 6;
/** Whole digits beyond any legal number: longer text is refused unread. */
const READABLE = /^\d{1,20}(\.\d{1,8})?$/;
/** How far beyond the mid a market order without a price may go. */
const MARKET_BUY_FACTOR = new Decimal('1.08');
const MARKET_SELL_FACTOR = new Decimal('0.92');

export interface ReadOrder {
  readonly request: OrderRequest;
  /** Undefined when there is no such asset. */
  readonly asset: Asset | undefined;
  /** As requested, coins; undefined when the text is no number. */
  readonly size: Decimal | undefined;
  /** USD per coin; what this service sets for price "0" where that is allowed, undefined when the text is no number. */
  readonly limitPrice: Decimal | undefined;
  /** Of a trigger order, USD per coin; undefined when the text is no number. */
  readonly triggerPrice?: Decimal | undefined;
  /** The TWAP that the order is a slice of: made by this service and free of the minimum value. */
  readonly twapId?: number;
}

export function readOrder(request: OrderRequest, market: MarketView): ReadOrder {
  const asset = market.asset(request.asset);
  const limitPrice = asset && limitPriceOf(request, asset, market.prices(request.asset));
  const triggerPrice = request.type.kind === 'trigger' ? readNumber(request.type.triggerPrice) : undefined;
  return { request, asset, size: readNumber(request.size), limitPrice, triggerPrice };
}

/** The order's limit, USD per coin; 0 where "0" is not allowed, undefined when the text is no number. */
function limitPriceOf(request: OrderRequest, asset: Asset, prices: CoinPrices | undefined): Decimal | undefined {
  const price = readNumber(request.limitPrice);
  const { type } = request;
  if (!price?.isZero() || !prices || type.kind === 'trigger' || !isImmediate(type.timeInForce)) return price;
  return marketLimit(prices, { side: request.side, sizeDecimals: asset.sizeDecimals });
}

/** The limit of a market order without a price: 8 % beyond the mid, or the mark while there is no mid. */
export function marketLimit(
  { midPrice, markPrice }: Pick<CoinPrices, 'midPrice' | 'markPrice'>,
  { side, sizeDecimals }: { side: 'buy' | 'sell'; sizeDecimals: number },
): Decimal {
  const farthest = (midPrice ?? markPrice).times(side === 'buy' ? MARKET_BUY_FACTOR : MARKET_SELL_FACTOR);
  return toLegalPrice(farthest, { side, sizeDecimals });
}

/** True for orders that never rest. */
export function isImmediate(timeInForce: TimeInForce): boolean {
  return timeInForce === 'ioc' || timeInForce === 'frontendMarket';
}

/** A number as a client may write it: plain digits, at most 8 decimals, no sign, no exponent, no spaces. */
export function readNumber(text: string): Decimal | undefined {
  return READABLE.test(text) ? new Decimal(text) : undefined;
}

/** Decimals that a price of this coin may have. */
export function priceDecimals(sizeDecimals: number): number {
  return PRICE_DECIMALS - sizeDecimals;
}

/** Too many significant figures. Whole numbers always have few enough. */
export function hasTooManyFigures(price: Decimal): boolean {
  return !price.isInteger() && price.precision() > SIGNIFICANT_FIGURES_MAX;
}

/** Too many decimals. Whole numbers have none. */
export function hasTooManyDecimals(price: Decimal, sizeDecimals: number): boolean {
  return price.decimalPlaces() > priceDecimals(sizeDecimals);
}

/** The legal price nearest to `price` toward less aggressive: a buy is cut down, a sell goes up. */
export function toLegalPrice(price: Decimal, { side, sizeDecimals }: { side: 'buy' | 'sell'; sizeDecimals: number }): Decimal {
  const decimals = legalDecimals(price, sizeDecimals);
  return side === 'buy' ? cutTo(price, decimals) : roundUp(price, decimals);
}

/** The legal price next to it, half up: what a backstop fill shows. */
export const nearestLegalPrice = (price: Decimal, sizeDecimals: number): Decimal =>
  halfUp(price, legalDecimals(price, sizeDecimals));

function legalDecimals(price: Decimal, sizeDecimals: number): number {
  const decimalsByFigures = SIGNIFICANT_FIGURES_MAX - 1 - price.e;
  return Math.max(0, Math.min(priceDecimals(sizeDecimals), decimalsByFigures));
}

/** True when the size is a whole number of lots. */
export function isWholeLots(size: Decimal, sizeDecimals: number): boolean {
  return size.decimalPlaces() <= sizeDecimals;
}
