// Orders of one coin and side by price, so that a moving price meets only the orders between its old and its new
// place. Prices are numbers here: the ladder finds candidates, the rules decide exactly.

export interface PricedOrder {
  readonly price: number;
}

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
