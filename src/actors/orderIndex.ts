// Which accounts of a shard a market change can concern: resting orders by coin, side and price, and who has taken from a
// coin's book. Prices are numbers here: the index finds candidates, the rules decide exactly.

import type { BookChange, FeedLevel, TradesChange } from '../market/domain/feed.ts';
import type { Account, OpenOrder } from './domain/account.ts';
import type { Side } from './domain/command.ts';
import type { AccountEvent } from './domain/event.ts';

/** The venue shows at most this many levels a side; a book with fewer shows the whole side. */
const LEVELS_SHOWN_MAX = 20;

interface IndexedOrder {
  readonly accountId: string;
  readonly asset: number;
  readonly side: Side;
  readonly price: number;
  /** Size in the queue before it; infinite while unknown. */
  ahead: number;
}

export class OrderIndex {
  readonly #orders = new Map<number, IndexedOrder>();
  readonly #ladders = new Map<string, Ladder>();
  readonly #consumers = new Map<number, Set<string>>();

  /** Number of resting orders. */
  get size(): number {
    return this.#orders.size;
  }

  /** Takes in all of an account that has come into memory. */
  add(account: Account): void {
    for (const order of account.orders.values()) this.#put(account.id, order);
    for (const asset of account.consumption.keys()) this.#setConsumer(asset, account);
  }

  /** Forgets an account that leaves memory. */
  remove(account: Account): void {
    for (const oid of account.orders.keys()) this.#delete(oid);
    for (const asset of account.consumption.keys()) this.#consumers.get(asset)?.delete(account.id);
  }

  /** Follows what the events have done to the account. */
  update(account: Account, events: readonly AccountEvent[]): void {
    for (const event of events) {
      switch (event.type) {
        case 'orderRested':
        case 'orderEnded':
          this.#refresh(account, event.order.oid);
          break;
        case 'orderFilled':
        case 'orderResized':
          this.#refresh(account, event.oid);
          break;
        case 'queueMoved':
          for (const [oid] of event.ahead) this.#refresh(account, oid);
          break;
        case 'consumptionSet':
          this.#setConsumer(event.asset, account);
          break;
        case 'accountOpened':
        case 'leverageSet':
          break;
      }
    }
  }

  /** Accounts with an order on the side that was hit, at or beyond a traded price. */
  concernedByTrades(asset: number, change: TradesChange): Set<string> {
    const found = new Set<string>();
    const bids = this.#ladders.get(ladderKey(asset, 'buy'));
    const asks = this.#ladders.get(ladderKey(asset, 'sell'));
    if (bids === undefined && asks === undefined) return found;
    for (const trade of change.trades) {
      const price = Number(trade.price);
      if (trade.side === 'sell') bids?.eachAtOrAbove(price, (order) => found.add(order.accountId));
      else asks?.eachAtOrBelow(price, (order) => found.add(order.accountId));
    }
    return found;
  }

  /** Accounts whose order a new book crosses or moves up in its queue, and those with consumption to forget. */
  concernedByBook(asset: number, { bids, asks }: BookChange): Set<string> {
    const found = new Set<string>(this.#consumers.get(asset));
    const buys = this.#ladders.get(ladderKey(asset, 'buy'));
    if (buys !== undefined && buys.size > 0) {
      const shown = sizesByPrice(bids);
      const bestAsk = Number(asks[0]?.[0] ?? Number.POSITIVE_INFINITY);
      const lowest = Math.min(worstShown(bids, Number.NEGATIVE_INFINITY), bestAsk);
      buys.eachAtOrAbove(lowest, (order) => {
        if (order.price >= bestAsk || movesUp(order, shown)) found.add(order.accountId);
      });
    }
    const sells = this.#ladders.get(ladderKey(asset, 'sell'));
    if (sells !== undefined && sells.size > 0) {
      const shown = sizesByPrice(asks);
      const bestBid = Number(bids[0]?.[0] ?? Number.NEGATIVE_INFINITY);
      const highest = Math.max(worstShown(asks, Number.POSITIVE_INFINITY), bestBid);
      sells.eachAtOrBelow(highest, (order) => {
        if (order.price <= bestBid || movesUp(order, shown)) found.add(order.accountId);
      });
    }
    return found;
  }

  #refresh(account: Account, oid: number): void {
    const order = account.orders.get(oid);
    if (order === undefined) this.#delete(oid);
    else this.#put(account.id, order);
  }

  #put(accountId: string, order: OpenOrder): void {
    const ahead = order.resting.ahead === 'unknown' ? Number.POSITIVE_INFINITY : Number(order.resting.ahead);
    const known = this.#orders.get(order.oid);
    if (known !== undefined) {
      known.ahead = ahead;
      return;
    }
    const { asset, side } = order;
    const indexed: IndexedOrder = { accountId, asset, side, price: Number(order.limitPrice), ahead };
    this.#orders.set(order.oid, indexed);
    const key = ladderKey(asset, side);
    let ladder = this.#ladders.get(key);
    if (ladder === undefined) {
      ladder = new Ladder();
      this.#ladders.set(key, ladder);
    }
    ladder.put(order.oid, indexed);
  }

  #delete(oid: number): void {
    const indexed = this.#orders.get(oid);
    if (indexed === undefined) return;
    this.#orders.delete(oid);
    this.#ladders.get(ladderKey(indexed.asset, indexed.side))?.delete(oid, indexed.price);
  }

  #setConsumer(asset: number, account: Account): void {
    const consumers = this.#consumers.get(asset);
    if (!account.consumption.has(asset)) consumers?.delete(account.id);
    else if (consumers === undefined) this.#consumers.set(asset, new Set([account.id]));
    else consumers.add(account.id);
  }
}

/** Orders of one coin and side by price. */
class Ladder {
  /** Ascending; each has a level. */
  readonly #prices: number[] = [];
  readonly #levels = new Map<number, Map<number, IndexedOrder>>();

  get size(): number {
    return this.#prices.length;
  }

  put(oid: number, order: IndexedOrder): void {
    const level = this.#levels.get(order.price);
    if (level !== undefined) {
      level.set(oid, order);
      return;
    }
    this.#levels.set(order.price, new Map([[oid, order]]));
    this.#prices.splice(this.#firstAtOrAbove(order.price), 0, order.price);
  }

  delete(oid: number, price: number): void {
    const level = this.#levels.get(price);
    if (!level?.delete(oid) || level.size > 0) return;
    this.#levels.delete(price);
    this.#prices.splice(this.#firstAtOrAbove(price), 1);
  }

  eachAtOrAbove(price: number, visit: (order: IndexedOrder) => void): void {
    for (let i = this.#prices.length - 1; i >= 0 && (this.#prices[i] as number) >= price; i--) this.#visit(i, visit);
  }

  eachAtOrBelow(price: number, visit: (order: IndexedOrder) => void): void {
    for (let i = 0; i < this.#prices.length && (this.#prices[i] as number) <= price; i++) this.#visit(i, visit);
  }

  #visit(i: number, visit: (order: IndexedOrder) => void): void {
    for (const order of this.#levels.get(this.#prices[i] as number)?.values() ?? []) visit(order);
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

const ladderKey = (asset: number, side: Side): string => `${side}:${asset}`;

const sizesByPrice = (levels: readonly FeedLevel[]): Map<number, number> =>
  new Map(levels.map(([price, size]) => [Number(price), Number(size)]));

/** The last price that can be seen: everything when the side is shorter than the venue's window. */
const worstShown = (levels: readonly FeedLevel[], whole: number): number =>
  levels.length < LEVELS_SHOWN_MAX ? whole : Number(levels[levels.length - 1]?.[0]);

/** Fewer coins are displayed at the price than were thought to be ahead, or the queue is seen for the first time. */
const movesUp = (order: IndexedOrder, shown: ReadonlyMap<number, number>): boolean =>
  order.ahead > 0 && order.ahead > (shown.get(order.price) ?? 0);
