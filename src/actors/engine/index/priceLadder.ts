// Prices in order, and the entries of an index by account: the two containers that the indexes are made of.

interface PricedOrder {
  readonly price: number;
}

/**
 * Orders of one coin and side by price, so that a moving price meets only the orders between its old and its new place. Prices are numbers
 * here: the ladder finds candidates, the rules decide exactly.
 */
export class PriceLadder<Order extends PricedOrder> {
  /** Ascending; each has a level. */
  readonly #prices: number[] = [];
  readonly #levels = new Map<number, Set<Order>>();

  get size(): number {
    return this.#prices.length;
  }

  put(order: Order): void {
    const level = this.#levels.get(order.price);
    if (level !== undefined) {
      level.add(order);
      return;
    }
    this.#levels.set(order.price, new Set([order]));
    this.#prices.splice(this.#firstAtOrAbove(order.price), 0, order.price);
  }

  delete(order: Order): void {
    const { price } = order;
    const level = this.#levels.get(price);
    if (!level?.delete(order) || level.size > 0) return;
    this.#levels.delete(price);
    this.#prices.splice(this.#firstAtOrAbove(price), 1);
  }

  eachAtOrAbove(price: number, visit: (order: Order) => void): void {
    for (let i = this.#prices.length - 1; i >= 0 && (this.#prices[i] as number) >= price; i--) this.#visit(i, visit);
  }

  eachAtOrBelow(price: number, visit: (order: Order) => void): void {
    for (let i = 0; i < this.#prices.length && (this.#prices[i] as number) <= price; i++) this.#visit(i, visit);
  }

  #visit(i: number, visit: (order: Order) => void): void {
    for (const order of this.#levels.get(this.#prices[i] as number) ?? []) visit(order);
  }

  #firstAtOrAbove(price: number): number {
    let low = 0;
    let high = this.#prices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#prices[middle] as number) < price) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Orders and TWAPs in an index, by account and id: an account and its forks have the same ids (docs/adr/0024-forks.md), and
 * may be of one shard.
 */
export class OfAccounts<Held> {
  readonly #held = new Map<string, Map<number, Held>>();
  #size = 0;

  /** Of all accounts together. */
  get size(): number {
    return this.#size;
  }

  get(accountId: string, id: number): Held | undefined {
    return this.#held.get(accountId)?.get(id);
  }

  set(accountId: string, id: number, held: Held): void {
    let own = this.#held.get(accountId);
    if (own === undefined) {
      own = new Map();
      this.#held.set(accountId, own);
    }
    const before = own.size;
    own.set(id, held);
    this.#size += own.size - before;
  }

  /** @returns what it was; undefined = nothing was held */
  take(accountId: string, id: number): Held | undefined {
    const own = this.#held.get(accountId);
    const held = own?.get(id);
    if (own === undefined || held === undefined) return undefined;
    own.delete(id);
    this.#size -= 1;
    if (own.size === 0) this.#held.delete(accountId);
    return held;
  }
}
