// The open orders of an account by oid, in order of acceptance, with indexes by coin and side and by cloid: one order
// more or less costs the same beside a thousand others. Both indexes are made when a rule first asks, because most
// accounts in memory are idle. They follow every change from then on and are no part of the state. One side of a coin
// stands in the order in which it matches, with the notional that could open a position summed once. It never
// changes, so copies of an account may share it.

import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Side } from '../messages/command.ts';
import type { RestingState } from '../messages/event.ts';
import type { OrderView } from '../messages/historyRows.ts';

/** An order on the book. Its numbers stay text until a rule uses them: most orders are idle most of the time. */
export interface OpenOrder extends OrderView {
  readonly resting: RestingState;
}

type IndexedOrder = HoldingOrder & Pick<OrderView, 'cloid'>;

/** The same to those who may only read. */
export type OpenOrders = ReadonlyMap<number, OpenOrder> & Pick<OpenOrderBook, 'sides' | 'findByCloid' | 'copy'>;

export class OpenOrderBook<Order extends IndexedOrder = OpenOrder> extends Map<number, Order> {
  #sides: Map<number, Sides> | undefined;
  /** Ended orders that still have a row in `#sides`: a batch of cancels takes its rows out together. */
  readonly #ended = new Map<number, Order>();
  #cloids: Map<string, number> | undefined;

  constructor(orders: Iterable<readonly [oid: number, order: Order]> = []) {
    super();
    for (const [oid, order] of orders) super.set(oid, order);
  }

  /** Another map of the same orders, to be changed by itself. */
  copy(): OpenOrderBook<Order> {
    const copy = new OpenOrderBook(this);
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

/** What of a resting order matters to margin: an open order, or one that is about to rest. */
export type HoldingOrder = Pick<OrderView, 'asset' | 'side' | 'limitPrice' | 'size' | 'reduceOnly'>;

/** The numbers of one order, read once. */
export interface RestingRow {
  readonly oid: number;
  readonly price: Decimal;
  readonly size: Decimal;
  /** Price times size, USD, of an order that can open a position; 0 when it is reduce-only. */
  readonly opening: Decimal;
  readonly reduceOnly: boolean;
}

export interface RestingSide {
  /** Best price first, then the older one (trading-rules 2.1). */
  readonly rows: readonly RestingRow[];
  /** Sum of the rows, USD, exact. */
  readonly opening: Decimal;
}

export type Sides = Readonly<Record<Side, RestingSide>>;

const EMPTY: RestingSide = { rows: [], opening: ZERO };

export const NO_SIDES: Sides = { buy: EMPTY, sell: EMPTY };

export function toRow(oid: number, { limitPrice, size, reduceOnly }: HoldingOrder): RestingRow {
  const numbers = { oid, price: new Decimal(limitPrice), size: new Decimal(size), reduceOnly };
  return { ...numbers, opening: reduceOnly ? ZERO : numbers.price.times(numbers.size) };
}

/** With one more order, at its place. */
export function withRow({ rows, opening }: RestingSide, side: Side, row: RestingRow): RestingSide {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = rows[middle];
    if (other && matchOrder(side)(other, row) < 0) low = middle + 1;
    else high = middle;
  }
  const after = rows.slice();
  after.splice(low, 0, row);
  return { rows: after, opening: opening.plus(row.opening) };
}

/** Without the order; the same side when it is not there. */
export function withoutRow(side: RestingSide, oid: number): RestingSide {
  const index = side.rows.findIndex((row) => row.oid === oid);
  const row = side.rows[index];
  if (!row) return side;
  const rows = side.rows.slice();
  rows.splice(index, 1);
  return { rows, opening: side.opening.minus(row.opening) };
}

/** Without these orders; the same side when none of them is there. */
function withoutRows(side: RestingSide, oids: ReadonlyMap<number, unknown>): RestingSide {
  const [only] = oids.size === 1 ? oids.keys() : [];
  if (only !== undefined) return withoutRow(side, only);
  const rows = side.rows.filter(({ oid }) => !oids.has(oid));
  if (rows.length === side.rows.length) return side;
  const opening = side.rows.reduce((left, row) => (oids.has(row.oid) ? left.minus(row.opening) : left), side.opening);
  return { rows, opening };
}

function toSide(side: Side, rows: RestingRow[]): RestingSide {
  if (rows.length === 0) return EMPTY;
  return { rows: rows.sort(matchOrder(side)), opening: rows.reduce((sum, row) => sum.plus(row.opening), ZERO) };
}

const lowestFirst = (a: RestingRow, b: RestingRow) => a.price.cmp(b.price) || a.oid - b.oid;

const highestFirst = (a: RestingRow, b: RestingRow) => b.price.cmp(a.price) || a.oid - b.oid;

function matchOrder(side: Side): (a: RestingRow, b: RestingRow) => number {
  return side === 'sell' ? lowestFirst : highestFirst;
}
