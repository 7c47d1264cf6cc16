// The open orders of an account by oid, in order of acceptance, and by coin and side in the order in which they match. The
// sides are made when a rule first asks, because most accounts in memory are idle. They follow every change from then on
// and are no part of the state.
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { OrderView, Side } from '../messages/order.ts';
import type { RestingState } from '../messages/queuePlace.ts';
import {
  countOf,
  findRow,
  inOrder,
  inserted,
  type MatchOrder,
  type MatchPlace,
  oldestIn,
  type RestingRow,
  reduceOnlyIn,
  removed,
  splitAt,
  sumsOf,
  type Tree,
} from './matchTree.ts';
import { type NamedOrder, OrderMap } from './orderMap.ts';

// The resting orders of one coin and side in the order in which they match, with their sums: one order more, one
// less, the best ones left out, or the notional that a position would close cost the same beside thousands of others.
// A side never changes: one with another order shares all but a few nodes with the one before, so copies of an
// account may share it.

/** What of a resting order matters to margin: an open order, or one that is about to rest. */
export type HoldingOrder = Pick<OrderView, 'asset' | 'side' | 'limitPrice' | 'size' | 'reduceOnly'>;

export const toRow = (oid: number, { limitPrice, size, reduceOnly }: HoldingOrder): RestingRow =>
  rowOf(oid, { price: new Decimal(limitPrice), size: new Decimal(size), reduceOnly });

/** @param oid places the order among those of the same price */
export function rowOf(
  oid: number,
  { price, size, reduceOnly }: { readonly price: Decimal; readonly size: Decimal; readonly reduceOnly: boolean },
): RestingRow {
  const opening = reduceOnly ? ZERO : price.times(size);
  return { oid, price, rough: price.toNumber(), size, opening, reduceOnly };
}

/** Best price first, then the older one (trading-rules 2.1). */
const MATCH_ORDER: Readonly<Record<Side, MatchOrder>> = {
  sell: (a, b) => a.rough - b.rough || a.price.cmp(b.price) || a.oid - b.oid,
  buy: (a, b) => b.rough - a.rough || b.price.cmp(a.price) || a.oid - b.oid,
};

export class RestingSide {
  static readonly #empty: Readonly<Record<Side, RestingSide>> = {
    buy: new RestingSide('buy', undefined, ZERO),
    sell: new RestingSide('sell', undefined, ZERO),
  };
  readonly #side: Side;
  readonly #tree: Tree;
  /** Notional at limit prices of all orders that can open a position, USD, exact. */
  readonly opening: Decimal;

  private constructor(side: Side, tree: Tree, opening: Decimal) {
    this.#side = side;
    this.#tree = tree;
    this.opening = opening;
  }

  static empty(side: Side): RestingSide {
    return RestingSide.#empty[side];
  }

  /** Number of orders. */
  get size(): number {
    return this.#tree?.count ?? 0;
  }

  /** Best price first, then the older one. */
  rows(): Iterable<RestingRow> {
    return inOrder(this.#tree);
  }

  /** The reduce-only ones; the others are not looked at one by one. */
  reduceOnlyRows(): Iterable<RestingRow> {
    return this.#hasReduceOnly ? reduceOnlyIn(this.#tree) : [];
  }

  /** Coins of all reduce-only orders together. */
  get reducing(): Decimal {
    return this.#hasReduceOnly ? sumsOf(this.#tree).reducing : ZERO;
  }

  /** Most sides have none, and then a position asks the tree for nothing. */
  get #hasReduceOnly(): boolean {
    return this.#tree !== undefined && this.#tree.reduceOnly > 0;
  }

  /** Id of the oldest reduce-only order. */
  get oldestReduceOnly(): number | undefined {
    const oid = oldestIn(this.#tree);
    return oid === Number.POSITIVE_INFINITY ? undefined : oid;
  }

  with(row: RestingRow): RestingSide {
    const opening = row.reduceOnly ? this.opening : this.opening.plus(row.opening);
    return new RestingSide(this.#side, inserted(this.#tree, row, MATCH_ORDER[this.#side]), opening);
  }

  /** Without the order; the same side when it is not there. */
  without(place: MatchPlace): RestingSide {
    const compare = MATCH_ORDER[this.#side];
    const row = findRow(this.#tree, place, compare);
    if (!row) return this;
    const opening = row.reduceOnly ? this.opening : this.opening.minus(row.opening);
    return new RestingSide(this.#side, removed(this.#tree, place, compare), opening);
  }

  /** How many orders stand at this price or better. */
  countTo(price: Decimal): number {
    const last = { oid: Number.POSITIVE_INFINITY, price, rough: price.toNumber() };
    const compare = MATCH_ORDER[this.#side];
    let count = 0;
    for (let node = this.#tree; node; ) {
      if (compare(node.row, last) < 0) {
        count += 1 + countOf(node.better);
        node = node.worse;
      } else node = node.better;
    }
    return count;
  }

  /** Without the best so many; the same side for none. */
  withoutBest(count: number): RestingSide {
    if (count === 0) return this;
    const [best, rest] = splitAt(this.#tree, count);
    return new RestingSide(this.#side, rest, this.opening.minus(sumsOf(best).opening));
  }

  /** `opening` of what is left when the best orders have closed so many coins, USD, exact. */
  openingBeyond(coins: Decimal): Decimal {
    let left = coins;
    let usd = this.opening;
    for (let node = this.#tree; node && !left.isZero(); ) {
      const better = sumsOf(node.better);
      if (left.lt(better.size)) {
        node = node.better;
        continue;
      }
      left = left.minus(better.size);
      usd = usd.minus(better.opening);
      const { reduceOnly, size, price, opening } = node.row;
      if (!reduceOnly) {
        if (left.lt(size)) return usd.minus(price.times(left));
        left = left.minus(size);
        usd = usd.minus(opening);
      }
      node = node.worse;
    }
    return usd;
  }
}

/** An order on the book. Its numbers stay text until a rule uses them: most orders are idle most of the time. */
export interface OpenOrder extends OrderView {
  readonly resting: RestingState;
}

/** The same to those who may only read. */
export type OpenOrders = ReadonlyMap<number, OpenOrder> & Pick<OpenOrderBook, 'sides' | 'findByCloid' | 'inGroup' | 'overlay'>;

export type Sides = Readonly<Record<Side, RestingSide>>;

export const NO_SIDES: Sides = { buy: RestingSide.empty('buy'), sell: RestingSide.empty('sell') };

export class OpenOrderBook<Order extends HoldingOrder & NamedOrder = OpenOrder> extends OrderMap<Order> {
  #sides: Map<number, Sides> | undefined;
  /** Orders that are gone and still stand in `#sides`: a batch of cancels that asks for no side takes none out. */
  readonly #ended = new Map<number, Order>();

  override overlay(): OpenOrderBook<Order> {
    const overlay = new OpenOrderBook<Order>().layOver(this);
    this.#takeOutEnded();
    if (this.#sides) overlay.#sides = new Map(this.#sides);
    return overlay;
  }

  /** By asset id, coins without an order left out. */
  get sides(): ReadonlyMap<number, Sides> {
    this.#takeOutEnded();
    this.#sides ??= sidesOf(this);
    return this.#sides;
  }

  override set(oid: number, order: Order): this {
    const before = this.#sides && this.get(oid);
    super.set(oid, order);
    if (!this.#sides || (before && hasSameNumbers(before, order))) return this;
    const ended = before ?? this.#ended.get(oid);
    this.#ended.delete(oid);
    if (ended) this.#takeOut(oid, ended);
    this.#sides.set(order.asset, withOrder(this.#sides.get(order.asset), oid, order));
    return this;
  }

  override delete(oid: number): boolean {
    const before = this.#sides && this.get(oid);
    if (before) this.#ended.set(oid, before);
    return super.delete(oid);
  }

  /** When more orders have ended than are left, the sides are made anew. */
  #takeOutEnded(): void {
    if (this.#ended.size === 0) return;
    if (this.#ended.size > this.size) this.#sides = undefined;
    else for (const [oid, order] of this.#ended) this.#takeOut(oid, order);
    this.#ended.clear();
  }

  #takeOut(oid: number, order: Order): void {
    const sides = this.#sides?.get(order.asset);
    if (!sides) return;
    const left = { ...sides, [order.side]: sides[order.side].without(toRow(oid, order)) };
    if (left.buy.size + left.sell.size > 0) this.#sides?.set(order.asset, left);
    else this.#sides?.delete(order.asset);
  }
}

function hasSameNumbers(a: HoldingOrder, b: HoldingOrder): boolean {
  return a.size === b.size && a.limitPrice === b.limitPrice && a.reduceOnly === b.reduceOnly;
}

function sidesOf(orders: ReadonlyMap<number, HoldingOrder>): Map<number, Sides> {
  const sides = new Map<number, Sides>();
  for (const [oid, order] of orders) sides.set(order.asset, withOrder(sides.get(order.asset), oid, order));
  return sides;
}

function withOrder(sides: Sides = NO_SIDES, oid: number, order: HoldingOrder): Sides {
  const side = sides[order.side].with(toRow(oid, order));
  return order.side === 'buy' ? { buy: side, sell: sides.sell } : { buy: sides.buy, sell: side };
}
