// An order as it comes, and its first checks, which are the same for every order (trading-rules 1.7). Its numbers are read once from the
// client's text: every check and the record of the order use the same ones. Then a coin that trades, fresh market data, a size and a limit
// price on their grids (trading-rules 1.1, 1.2), and the largest value (trading-rules 1.3). On market data that is missing, too old or
// contradicts itself no order is filled, while cancels and valuations go on (trading-rules 3.1).
import type { Asset } from '../../../market/domain/asset.ts';
import type { Book, CoinPrices, DeepBook, MarketView } from '../../../market/domain/marketView.ts';
import { cutTo, Decimal, halfUp, roundUp } from '../../../shared/domain/decimal.ts';
import { clockOf } from '../fold/pipeline.ts';
import type { OrderRequest, TimeInForce } from '../messages/order.ts';
import { type Rejection, rejection } from '../messages/rejection.ts';

const SIGNIFICANT_FIGURES_MAX = 5;
/** Prices of perpetuals have at most this many decimals, less one for each decimal of the size. */
const PRICE_DECIMALS = 6;
/** Whole digits beyond any legal number: longer text is refused unread. */
const READABLE = /^\d{1,20}(\.\d{1,8})?$/;
/** How far beyond the mid a market order without a price may go (trading-rules 1.6). */
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

/** An order of an asset that exists. */
export interface KnownOrder extends ReadOrder {
  readonly asset: Asset;
}

export const isKnown = (order: ReadOrder): order is KnownOrder => order.asset !== undefined;

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

/** The largest value of a resting order is this many times that of a market order. */
const LIMIT_ORDER_FACTOR = 10;

/** What of an order in good form goes to the market, and the market that it finds. */
export interface OrderForm extends Omit<LegalNumbers, 'type'> {
  readonly fresh: FreshMarket;
}

export interface OrderContext {
  readonly nowMs: number;
  readonly clockMs?: number;
  readonly market: MarketView;
}

/** The market on which an order of the coin could be placed now, or why none can. */
export function marketOf(asset: Asset, context: OrderContext): FreshMarket | Rejection {
  const id = { asset: asset.id };
  if (asset.isDelisted) return rejection('halted', id);
  const fresh = freshMarket(context.market, { asset: asset.id, nowMs: clockOf(context) });
  return fresh.type === 'stale' ? rejection('staleMarket', { ...id, age: fresh.age }) : fresh;
}

/** @param context.mayBeZero the size may be 0: all of the position */
export function checkForm(
  order: KnownOrder,
  context: OrderContext & { readonly mayBeZero?: boolean },
): (OrderForm & { readonly type: 'wellFormed' }) | Rejection {
  const { mayBeZero = false } = context;
  const fresh = marketOf(order.asset, context);
  if (fresh.type === 'rejected') return fresh;
  const numbers = checkNumbers(order, { mayBeZero });
  if (numbers.type === 'rejected') return numbers;
  const { originalSize, limitPrice } = numbers;
  return { type: 'wellFormed', originalSize, limitPrice, fresh };
}

/** Size and limit price on the grids of their coin. */
export interface LegalNumbers {
  readonly type: 'legal';
  readonly originalSize: Decimal;
  readonly limitPrice: Decimal;
}

/** The part of the form that the order alone decides: neither the account nor the market can change it. */
export function checkNumbers(
  { asset, size, limitPrice }: KnownOrder,
  { mayBeZero }: { readonly mayBeZero: boolean },
): LegalNumbers | Rejection {
  const id = { asset: asset.id };
  if (!size) return rejection('invalidSize', id);
  if (size.isZero() && !mayBeZero) return rejection('zeroSize', id);
  if (!isWholeLots(size, asset.sizeDecimals)) return rejection('invalidSize', id);

  if (!limitPrice || limitPrice.isZero()) return rejection('invalidPrice', id);
  if (hasTooManyFigures(limitPrice)) return rejection('priceOffTick', id);
  if (hasTooManyDecimals(limitPrice, asset.sizeDecimals)) return rejection('invalidPrice', id);
  return { type: 'legal', originalSize: size, limitPrice };
}

export interface FreshMarket {
  readonly type: 'fresh';
  readonly book: Book;
  readonly prices: CoinPrices;
  /** The aggregated book, no older than the displayed one may be. */
  readonly deep?: DeepBook;
}

/** Book and prices of a coin, or how old what we have is, in words: `15.3 s`. */
export function freshMarket(
  market: MarketView,
  { asset, nowMs }: { asset: number; nowMs: number },
): FreshMarket | { readonly type: 'stale'; readonly age: string } {
  const book = market.book(asset);
  const prices = market.prices(asset);
  if (!book || !prices) return { type: 'stale', age: 'no data yet' };
  const ageMs = nowMs - Math.min(book.wholeMs, prices.timeMs);
  if (ageMs > market.maxAgeMs || isCrossed(book)) return { type: 'stale', age: inSeconds(ageMs) };
  const deep = market.deep(asset);
  const isDeep = deep !== undefined && nowMs - deep.timeMs <= market.maxAgeMs;
  return { type: 'fresh', book, prices, ...(isDeep && { deep }) };
}

/** True when the best bid is at or above the best ask: frames that do not belong together. */
function isCrossed({ bids, asks }: Book): boolean {
  const [bid] = bids;
  const [ask] = asks;
  return bid !== undefined && ask !== undefined && bid.price.gte(ask.price);
}

/** Seconds with one decimal at most. */
function inSeconds(ageMs: number): string {
  return `${Math.max(0, Math.round(ageMs / 100) / 10)} s`;
}

/** Of an order that is worth too much at its limit: the largest value, for the text of its refusal. */
export function exceededValue(
  { originalSize, limitPrice }: Pick<LegalNumbers, 'originalSize' | 'limitPrice'>,
  asset: Asset,
  { immediate }: { readonly immediate: boolean },
): { readonly maxUsd: string } | undefined {
  const maxUsd = orderValueMax(asset, { immediate });
  return originalSize.times(limitPrice).gt(maxUsd) ? { maxUsd: `$${maxUsd}` } : undefined;
}

/** Largest value of one order, USD, by the coin's max leverage. */
export function orderValueMax({ maxLeverage }: Asset, { immediate }: { immediate: boolean }): number {
  const market = marketOrderValueMax(maxLeverage);
  return immediate ? market : market * LIMIT_ORDER_FACTOR;
}

function marketOrderValueMax(maxLeverage: number): number {
  if (maxLeverage >= 25) return 30_000_000;
  if (maxLeverage >= 20) return 5_000_000;
  return maxLeverage >= 10 ? 2_000_000 : 500_000;
}

// Why an asset id cannot be traded here. The venue gives spot pairs, perpetuals of builders' dexs and outcomes ids of their own ranges;
// their market data is shown and nothing of them is simulated, and the refusal says that. Every other unknown id is just unknown.

/** First ids by kind, the highest first. Ids from 100,000 on are 100,000 + 10,000 times a dex, and dex 0 is no builder's. */
const KINDS: readonly (readonly [from: number, what: string])[] = [
  [100_000_000, 'Trading of outcomes'],
  [110_000, 'Trading on builder-deployed dexs'],
  [100_000, ''],
  [10_000, 'Spot trading'],
];

/** The text of the refusal of an asset id that the market does not have. */
export function unknownAssetText(asset: number): string {
  const what = KINDS.find(([from]) => asset >= from)?.[1];
  return what ? `${what} is not available on a paper trading account. asset=${asset}` : rejection('unknownAsset', { asset }).text;
}
