// The open orders of an account by oid, in order of acceptance, that also know themselves by coin and side and by cloid:
// one order more or less costs the same beside a thousand others. Both indexes are made when a rule first asks, because
// most accounts in memory are idle, and follow every change from then on; they are no part of the state.

import type { RestingState } from '../messages/event.ts';
import type { OrderView } from '../messages/historyRows.ts';
import { type HoldingOrder, NO_SIDES, type RestingRow, type Sides, toRow, toSide, withoutRows, withRow } from './restingSide.ts';

/** An order on the book. Its numbers stay text until a rule uses them: most orders are idle most of the time. */
export interface OpenOrder extends OrderView {
  readonly resting: RestingState;
}

type IndexedOrder = HoldingOrder & Pick<OrderView, 'cloid'>;

/** The same to those who may only read. */
export type OpenOrders = ReadonlyMap<number, OpenOrder> & Pick<RestingOrders, 'sides' | 'findByCloid' | 'copy'>;

export class RestingOrders<Order extends IndexedOrder = OpenOrder> extends Map<number, Order> {
  #sides: Map<number, Sides> | undefined;
  /** Ended orders that still have a row in `#sides`: a batch of cancels takes its rows out together. */
  readonly #ended = new Map<number, Order>();
  #cloids: Map<string, number> | undefined;

  constructor(orders: Iterable<readonly [oid: number, order: Order]> = []) {
    super();
    for (const [oid, order] of orders) super.set(oid, order);
  }

  /** Another map of the same orders, to be changed by itself. */
  copy(): RestingOrders<Order> {
    const copy = new RestingOrders(this);
    this.#takeOut();
    if (this.#sides) copy.#sides = new Map(this.#sides);
    return copy;
  }

  /** By asset id, coins without an order left out. */
  get sides(): ReadonlyMap<number, Sides> {
    this.#takeOut();
    this.#sides ??= sidesOf(this);
    return this.#sides;
  }

  /** A cloid is unique among open orders. */
  findByCloid(cloid: string): Order | undefined {
    this.#cloids ??= cloidsOf(this);
    const oid = this.#cloids.get(cloid);
    return oid === undefined ? undefined : this.get(oid);
  }

  override set(oid: number, order: Order): this {
    const before = this.get(oid);
    super.set(oid, order);
    if (order.cloid !== undefined) this.#cloids?.set(order.cloid, oid);
    if (before && hasSameNumbers(before, order)) return this;
    if (this.#sides) {
      if (before) this.#ended.set(oid, before);
      this.#takeOut();
      const sides = this.#sides.get(order.asset) ?? NO_SIDES;
      const side = withRow(sides[order.side], order.side, toRow(oid, order));
      this.#sides.set(order.asset, { ...sides, [order.side]: side });
    }
    return this;
  }

  override delete(oid: number): boolean {
    const before = this.get(oid);
    if (!before) return false;
    if (this.#sides) this.#ended.set(oid, before);
    if (before.cloid !== undefined) this.#cloids?.delete(before.cloid);
    return super.delete(oid);
  }

  override clear(): void {
    super.clear();
    this.#ended.clear();
    this.#sides = undefined;
    this.#cloids = undefined;
  }

  /** Brings `#sides` up to date. */
  #takeOut(): void {
    if (this.#ended.size === 0 || !this.#sides) return;
    const assets = new Set([...this.#ended.values()].map(({ asset }) => asset));
    for (const asset of assets) {
      const { buy, sell } = this.#sides.get(asset) ?? NO_SIDES;
      const left = { buy: withoutRows(buy, this.#ended), sell: withoutRows(sell, this.#ended) };
      if (left.buy.rows.length + left.sell.rows.length > 0) this.#sides.set(asset, left);
      else this.#sides.delete(asset);
    }
    this.#ended.clear();
  }
}

function hasSameNumbers(a: HoldingOrder, b: HoldingOrder): boolean {
  return a.size === b.size && a.limitPrice === b.limitPrice && a.reduceOnly === b.reduceOnly;
}

function sidesOf(orders: ReadonlyMap<number, IndexedOrder>): Map<number, Sides> {
  const rows = new Map<number, { buy: RestingRow[]; sell: RestingRow[] }>();
  for (const [oid, order] of orders) {
    let ofAsset = rows.get(order.asset);
    if (!ofAsset) {
      ofAsset = { buy: [], sell: [] };
      rows.set(order.asset, ofAsset);
    }
    ofAsset[order.side].push(toRow(oid, order));
  }
  const sides = new Map<number, Sides>();
  for (const [asset, { buy, sell }] of rows) sides.set(asset, { buy: toSide('buy', buy), sell: toSide('sell', sell) });
  return sides;
}

function cloidsOf(orders: ReadonlyMap<number, IndexedOrder>): Map<string, number> {
  const cloids = new Map<string, number>();
  for (const [oid, { cloid }] of orders) if (cloid !== undefined) cloids.set(cloid, oid);
  return cloids;
}
