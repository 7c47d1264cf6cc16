// Margin that resting orders hold back, per coin: the larger side, without what would only close a position
// (trading-rules 4.6). Reduce-only orders hold nothing. Numbers of an order are parsed once and remembered with it.
import type { MarketView } from '../../market/domain/marketView.ts';
import { Decimal, quotient, ZERO } from '../../shared/domain/decimal.ts';
import type { Account, Position } from './account.ts';
import type { Side } from './command.ts';
import type { OrderView } from './history.ts';
import { leverageOf } from './leverageSetting.ts';
import { isSameSide } from './position.ts';

/** What of a resting order matters here: an open order, or one that is about to rest. */
export type HoldingOrder = Pick<OrderView, 'asset' | 'side' | 'limitPrice' | 'size' | 'reduceOnly'>;

export interface HoldInput extends Pick<Account, 'positions' | 'leverage'> {
  /** Every order that rests, or would. */
  readonly orders: Iterable<HoldingOrder>;
}

/**
 * Sum of the holds of all coins, USD, exact to 40 decimals. Isolated coins hold from cross cash too. A coin that the
 * market does not know yet holds the whole notional.
 */
export function totalHolds(input: HoldInput, market: MarketView): Decimal {
  let total = ZERO;
  for (const [asset, { buy, sell }] of bySide(input.orders)) {
    const position = input.positions.get(asset);
    const notional = Decimal.max(openingNotional(buy, position), openingNotional(sell, position));
    total = total.plus(quotient(notional, leverageFor(asset, input, market)));
  }
  return total;
}

/**
 * Notional at limit prices of orders of ONE coin and side that would open: all but the first coins, best price first,
 * that close an open position. USD, exact.
 */
export function openingNotional(orders: readonly HoldingOrder[], position: Position | undefined): Decimal {
  const [first] = orders;
  if (!first) return ZERO;
  if (!position || isSameSide(position, first.side)) {
    return orders.reduce((sum, order) => sum.plus(numbersOf(order).notional), ZERO);
  }

  const rows = orders.map(numbersOf);
  let closing = position.signedSize.abs();
  let sum = ZERO;
  for (const { price, size } of rows.sort(bestFirst(first.side))) {
    const exempt = Decimal.min(closing, size);
    closing = closing.minus(exempt);
    sum = sum.plus(price.times(size.minus(exempt)));
  }
  return sum;
}

/** Resting orders of one coin and side that can open a position. */
export function openingOrders(orders: Iterable<HoldingOrder>, asset: number, side: Side): HoldingOrder[] {
  const found: HoldingOrder[] = [];
  for (const order of orders) if (order.asset === asset && order.side === side && !order.reduceOnly) found.push(order);
  return found;
}

type Sides = Readonly<Record<Side, HoldingOrder[]>>;

function bySide(orders: Iterable<HoldingOrder>): Map<number, Sides> {
  const sides = new Map<number, Sides>();
  for (const order of orders) {
    if (order.reduceOnly) continue;
    let ofAsset = sides.get(order.asset);
    if (!ofAsset) {
      ofAsset = { buy: [], sell: [] };
      sides.set(order.asset, ofAsset);
    }
    ofAsset[order.side].push(order);
  }
  return sides;
}

function leverageFor(assetId: number, input: HoldInput, market: MarketView): number {
  const asset = market.asset(assetId);
  return asset ? leverageOf(input, asset).leverage : (input.leverage.get(assetId)?.leverage ?? 1);
}

interface OrderNumbers {
  readonly price: Decimal;
  readonly size: Decimal;
  readonly notional: Decimal;
}

const remembered = new WeakMap<HoldingOrder, OrderNumbers>();

function numbersOf(order: HoldingOrder): OrderNumbers {
  const found = remembered.get(order);
  if (found) return found;
  const price = new Decimal(order.limitPrice);
  const size = new Decimal(order.size);
  const numbers = { price, size, notional: price.times(size) };
  remembered.set(order, numbers);
  return numbers;
}

/** Sells at the lowest price close first, buys at the highest. */
function bestFirst(side: Side) {
  return (a: OrderNumbers, b: OrderNumbers): number => (side === 'sell' ? a.price.cmp(b.price) : b.price.cmp(a.price));
}
