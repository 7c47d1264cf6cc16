// The open orders of an account by oid, in order of acceptance, and by coin and side in the order in which they match. The
// sides are made when a rule first asks, because most accounts in memory are idle. They follow every change from then on
// and are no part of the state.

import type { Side } from '../messages/command.ts';
import type { RestingState } from '../messages/event.ts';
import type { OrderView } from '../messages/historyRows.ts';
import { type NamedOrder, OrderMap } from './orderMap.ts';
import { type HoldingOrder, RestingSide, toRow } from './restingSide.ts';

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
