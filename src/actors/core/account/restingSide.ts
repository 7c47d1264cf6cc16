// The resting orders of one coin and side in the order in which they match, with their sums: one order more, one
// less, the best ones left out, or the notional that a position would close cost the same beside thousands of others.
// A side never changes: one with another order shares all but a few nodes with the one before, so copies of an
// account may share it.

import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Side } from '../messages/command.ts';
import type { OrderView } from '../messages/historyRows.ts';
import {
  countOf,
  findRow,
  inOrder,
  inserted,
  type MatchOrder,
  oldestIn,
  type Place,
  type RestingRow,
  reduceOnlyIn,
  removed,
  splitAt,
  sumsOf,
  type Tree,
} from './matchTree.ts';

/** What of a resting order matters to margin: an open order, or one that is about to rest. */
export type HoldingOrder = Pick<OrderView, 'asset' | 'side' | 'limitPrice' | 'size' | 'reduceOnly'>;

/** @param oid places the order among those of the same price */
export function toRow(oid: number, { limitPrice, size, reduceOnly }: HoldingOrder): RestingRow {
  const price = new Decimal(limitPrice);
  const lots = new Decimal(size);
  const opening = reduceOnly ? ZERO : price.times(lots);
  return { oid, price, rough: Number(limitPrice), size: lots, opening, reduceOnly };
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
    return reduceOnlyIn(this.#tree);
  }

  /** Coins of all reduce-only orders together. */
  get reducing(): Decimal {
    return sumsOf(this.#tree).reducing;
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
  without(place: Place): RestingSide {
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
