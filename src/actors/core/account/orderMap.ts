// Open orders by oid, in the order in which they came. An order is found by its cloid and by the group that it belongs to
// at the same cost beside a thousand others; both indexes are made when a rule first asks, because most accounts in
// memory are idle, and follow every change from then on.
//
// A decision works on an overlay: a map that holds only what is changed in it and reads the rest from the map below, so
// that a decision about one order does not copy a thousand others. The map below must not change while it is in use.

import { assert } from '../../../shared/domain/assert.ts';
import type { OrderView, Side } from '../messages/order.ts';

/** What of an order the indexes know. */
export type NamedOrder = Partial<Pick<OrderView, 'cloid' | 'trigger'>> &
  Pick<OrderView, 'asset' | 'side' | 'reduceOnly'> & { readonly waitsFor?: 'mark' | 'fill' | 'book' };

/** Orders that belong together: by asset id, but for the first. */
export type OrderGroup =
  /** Children of a parent, also those that have fired. */
  | { readonly parentOid: number }
  /** TP/SL of a whole position, also those that have fired. */
  | { readonly positionIn: number }
  | { readonly waitingForMarkOf: number }
  | { readonly waitingForBookOf: number }
  /** Of both the reduce-only ones of a side that follow the position. */
  | { readonly reducing: number; readonly side: Side };

export class OrderMap<Order extends NamedOrder> extends Map<number, Order> {
  #index: OrderIndex | undefined;
  /** What this map lies over. */
  #base: OrderMap<Order> | undefined;
  #changesOfBase = 0;
  /** Orders of `#base` that are not here any more, or have come again later. */
  #gone: Set<number> | undefined;
  #count = 0;
  #changes = 0;

  constructor(orders: Iterable<readonly [oid: number, order: Order]> = []) {
    super();
    for (const [oid, order] of orders) this.#put(oid, order);
  }

  /** Another map of the same orders, to be changed by itself as long as this one is left alone. */
  overlay(): OrderMap<Order> {
    return new OrderMap<Order>().layOver(this);
  }

  /** To be called with a map that is empty. */
  protected layOver(base: OrderMap<Order>): this {
    this.#base = base;
    this.#changesOfBase = base.#changes;
    this.#count = base.size;
    return this;
  }

  override get size(): number {
    return this.#count;
  }

  override get(oid: number): Order | undefined {
    const own = super.get(oid);
    if (own !== undefined || this.#base === undefined || this.#gone?.has(oid)) return own;
    return this.#unchangedBase.get(oid);
  }

  override has(oid: number): boolean {
    return this.get(oid) !== undefined;
  }

  override set(oid: number, order: Order): this {
    this.#put(oid, order);
    return this;
  }

  override delete(oid: number): boolean {
    const before = this.get(oid);
    if (before === undefined) return false;
    this.#index?.remove(oid, before);
    super.delete(oid);
    if (this.#base?.has(oid)) {
      this.#gone ??= new Set();
      this.#gone.add(oid);
    }
    this.#count -= 1;
    this.#changes += 1;
    return true;
  }

  override clear(): void {
    for (const oid of [...this.keys()]) this.delete(oid);
  }

  /** The newest order with this cloid: several open orders may have one. */
  findByCloid(cloid: string): Order | undefined {
    const oids = this.#oidsOf(cloid);
    return oids.length === 0 ? undefined : this.get(oids.length === 1 ? (oids[0] as number) : Math.max(...oids));
  }

  /** Oldest first. */
  inGroup(group: OrderGroup): Order[] {
    if (this.#count === 0) return [];
    const oids = this.#oidsIn(keyOf(group)).sort((a, b) => a - b);
    return oids.map((oid) => this.get(oid) as Order);
  }

  override entries(): ReturnType<Map<number, Order>['entries']> {
    this.#flatten();
    return super.entries();
  }

  override keys(): ReturnType<Map<number, Order>['keys']> {
    this.#flatten();
    return super.keys();
  }

  override values(): ReturnType<Map<number, Order>['values']> {
    this.#flatten();
    return super.values();
  }

  override [Symbol.iterator](): ReturnType<Map<number, Order>['entries']> {
    return this.entries();
  }

  override forEach(visit: (order: Order, oid: number, map: Map<number, Order>) => void): void {
    for (const [oid, order] of this) visit(order, oid, this);
  }

  get #unchangedBase(): OrderMap<Order> {
    const base = this.#base as OrderMap<Order>;
    assert(base.#changes === this.#changesOfBase, 'orders were changed while an overlay of them was in use');
    return base;
  }

  /** Of all orders; of an overlay, its own ones. */
  get #indexed(): OrderIndex {
    this.#index ??= new OrderIndex(super.entries());
    return this.#index;
  }

  #oidsOf(cloid: string): readonly number[] {
    const own = this.#indexed.oidsOf(cloid);
    if (this.#base === undefined) return own;
    const below = this.#unchangedBase.#oidsOf(cloid).filter((oid) => !this.#gone?.has(oid) && !super.has(oid));
    return below.length === 0 ? own : [...own, ...below];
  }

  #oidsIn(key: string): number[] {
    const oids = [...this.#indexed.oidsIn(key)];
    if (this.#base === undefined) return oids;
    for (const oid of this.#unchangedBase.#oidsIn(key)) if (!this.#gone?.has(oid) && !super.has(oid)) oids.push(oid);
    return oids;
  }

  #put(oid: number, order: Order): void {
    const before = this.get(oid);
    if (before === undefined) this.#count += 1;
    if (this.#index !== undefined) {
      if (before !== undefined) this.#index.remove(oid, before);
      this.#index.add(oid, order);
    }
    super.set(oid, order);
    this.#changes += 1;
  }

  /** Takes in all of `#base`: what was there keeps its place. */
  #flatten(): void {
    if (this.#base === undefined) return;
    const base = this.#unchangedBase;
    const own = new Map(super.entries());
    const gone = this.#gone;
    this.#base = undefined;
    this.#gone = undefined;
    this.#index = undefined;
    super.clear();
    for (const [oid, order] of base) if (!gone?.has(oid)) super.set(oid, own.get(oid) ?? order);
    for (const [oid, order] of own) super.set(oid, order);
  }
}

const NO_OIDS: readonly number[] = [];

/** Orders by cloid, and by the groups that they belong to. */
class OrderIndex {
  readonly #cloids = new Map<string, readonly number[]>();
  readonly #groups = new Map<string, Set<number>>();

  constructor(orders: Iterable<[oid: number, order: NamedOrder]>) {
    for (const [oid, order] of orders) this.add(oid, order);
  }

  oidsOf(cloid: string): readonly number[] {
    return this.#cloids.get(cloid) ?? NO_OIDS;
  }

  oidsIn(key: string): Iterable<number> {
    return this.#groups.get(key) ?? [];
  }

  add(oid: number, order: NamedOrder): void {
    if (order.cloid !== undefined) this.#cloids.set(order.cloid, [...this.oidsOf(order.cloid), oid]);
    for (const key of keysOf(order)) {
      const group = this.#groups.get(key);
      if (group === undefined) this.#groups.set(key, new Set([oid]));
      else group.add(oid);
    }
  }

  remove(oid: number, order: NamedOrder): void {
    if (order.cloid !== undefined) {
      const others = this.oidsOf(order.cloid).filter((other) => other !== oid);
      if (others.length === 0) this.#cloids.delete(order.cloid);
      else this.#cloids.set(order.cloid, others);
    }
    for (const key of keysOf(order)) {
      const group = this.#groups.get(key);
      if (group?.delete(oid) && group.size === 0) this.#groups.delete(key);
    }
  }
}

function keyOf(group: OrderGroup): string {
  if ('parentOid' in group) return `parent ${group.parentOid}`;
  if ('positionIn' in group) return `position ${group.positionIn}`;
  if ('waitingForBookOf' in group) return `book ${group.waitingForBookOf}`;
  return 'reducing' in group ? `${group.side} ${group.reducing}` : `mark ${group.waitingForMarkOf}`;
}

/** True of a waiting order that the position cuts and ends (trading-rules 2.3, 2.4). */
export function followsPosition({ waitsFor, reduceOnly, trigger }: NamedOrder): boolean {
  return reduceOnly && (waitsFor === 'book' || (waitsFor === 'mark' && !trigger?.placedFlat));
}

const NO_KEYS: readonly string[] = [];

function keysOf(order: NamedOrder): readonly string[] {
  const { asset, side, trigger, waitsFor } = order;
  if (trigger === undefined) return NO_KEYS;
  const keys: string[] = [];
  if (trigger.parentOid !== undefined) keys.push(`parent ${trigger.parentOid}`);
  if (trigger.grouping === 'positionTpsl') keys.push(`position ${asset}`);
  if (waitsFor === 'mark' || waitsFor === 'book') keys.push(`${waitsFor} ${asset}`);
  if (followsPosition(order)) keys.push(`${side} ${asset}`);
  return keys;
}
