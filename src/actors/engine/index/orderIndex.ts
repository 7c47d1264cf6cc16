// Which accounts of a shard a book or trade can affect: resting orders by coin, side and price, and the accounts that
// have taken from a coin's book. Prices are numbers here: the index finds candidates, the rules decide exactly.

import type { BookText } from '../../../market/domain/coinBook.ts';
import type { FeedLevel, TradesChange } from '../../../market/domain/feed.ts';
import type { Account, TakenLiquidity } from '../../core/account/account.ts';
import type { OpenOrder } from '../../core/account/openOrderBook.ts';
import { TAKEN_HALF_LIFE_MS } from '../../core/fills/takenLiquidity.ts';
import { factsOf } from '../../core/history/eventFacts.ts';
import type { AccountEvent } from '../../core/messages/event.ts';
import type { Side } from '../../core/messages/order.ts';
import { OfAccounts, PriceLadder } from './priceLadder.ts';

interface IndexedOrder {
  readonly accountId: string;
  readonly asset: number;
  readonly side: Side;
  readonly price: number;
  /** Size in the queue before it; infinite while unknown. */
  ahead: number;
  /** Of a `probable` order, whose place changes whenever this size does: displayed at its price; undefined otherwise. */
  shown: number | undefined;
}

/** An account that has taken from a coin's book. What it has taken is read when a book comes: orders come more often. */
interface Consumer {
  readonly taken: TakenLiquidity;
  read?: Taken;
}

interface TakenAt {
  readonly byPrice: ReadonlyMap<number, number>;
  /** Some of it was taken of a range: any trade of the side may be in it. */
  readonly hasRange: boolean;
}

/** What an account has taken from the two sides of a coin's book. */
interface Taken {
  /** Feed time at which the first of it halves, and that of the oldest last fill. */
  readonly halvesAtMs: number;
  readonly oldestMs: number;
  readonly bids: TakenAt;
  readonly asks: TakenAt;
}

export class OrderIndex {
  readonly #orders = new OfAccounts<IndexedOrder>();
  readonly #ladders = new Map<string, PriceLadder<IndexedOrder>>();
  readonly #consumers = new Map<number, Map<string, Consumer>>();

  /** Number of resting orders. */
  get size(): number {
    return this.#orders.size;
  }

  /** Takes in all of an account that has come into memory. */
  add(account: Account): void {
    for (const order of account.orders.values()) this.#put(account.id, order);
    for (const asset of account.consumption.keys()) this.#setConsumer(asset, account);
  }

  /** Removes an account that leaves memory. */
  remove(account: Account): void {
    for (const oid of account.orders.keys()) this.#delete(account.id, oid);
    for (const asset of account.consumption.keys()) this.#consumers.get(asset)?.delete(account.id);
  }

  /** Follows what the events have done to the account. */
  update(account: Account, events: readonly AccountEvent[]): void {
    for (const event of events) {
      const { orders = [], consumption } = factsOf(event).touches(event) ?? {};
      for (const oid of orders) this.#refresh(account, oid);
      if (consumption !== undefined) this.#setConsumer(consumption, account);
    }
  }

  /** Accounts with an order on the side that was hit, at or beyond a traded price, and those that have taken from a level that was hit. */
  affectedByTrades(asset: number, change: TradesChange): Set<string> {
    const found = new Set<string>();
    for (const [accountId, consumer] of this.#consumers.get(asset) ?? []) {
      consumer.read ??= readTaken(consumer.taken);
      const { bids: onBids, asks: onAsks } = consumer.read;
      const isConcerned = change.trades.some(({ side, price }) => {
        const taken = side === 'buy' ? onAsks : onBids;
        return taken.hasRange || taken.byPrice.has(Number(price));
      });
      if (isConcerned) found.add(accountId);
    }
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

  /** True when a book of the coin can affect an account. */
  hasAsset(asset: number): boolean {
    return (
      (this.#consumers.get(asset)?.size ?? 0) > 0 ||
      (this.#ladders.get(ladderKey(asset, 'buy'))?.size ?? 0) > 0 ||
      (this.#ladders.get(ladderKey(asset, 'sell'))?.size ?? 0) > 0
    );
  }

  /**
   * Accounts whose order a new book crosses or moves up in its queue, and those with taken liquidity to cut, to halve or to drop.
   * @param feedTimeMs newest upstream time of the coin
   */
  affectedByBook(asset: number, { bids, asks, shownTo, setMs = 0 }: BookText, feedTimeMs: number): Set<string> {
    const found = new Set<string>();
    const shownBids = sizesByPrice(bids);
    const shownAsks = sizesByPrice(asks);
    for (const [accountId, consumer] of this.#consumers.get(asset) ?? []) {
      consumer.read ??= readTaken(consumer.taken);
      const taken = consumer.read;
      const isConcerned =
        feedTimeMs >= taken.halvesAtMs ||
        taken.oldestMs < setMs ||
        hasChanged(taken.bids, shownBids) ||
        hasChanged(taken.asks, shownAsks);
      if (isConcerned) found.add(accountId);
    }
    const bestAsk = Number(asks[0]?.[0] ?? Number.POSITIVE_INFINITY);
    const lowest = Math.min(Number(shownTo.bid ?? Number.NEGATIVE_INFINITY), bestAsk);
    this.#ladders.get(ladderKey(asset, 'buy'))?.eachAtOrAbove(lowest, (order) => {
      if (order.price >= bestAsk || movesUp(order, shownBids)) found.add(order.accountId);
    });
    const bestBid = Number(bids[0]?.[0] ?? Number.NEGATIVE_INFINITY);
    const highest = Math.max(Number(shownTo.ask ?? Number.POSITIVE_INFINITY), bestBid);
    this.#ladders.get(ladderKey(asset, 'sell'))?.eachAtOrBelow(highest, (order) => {
      if (order.price <= bestBid || movesUp(order, shownAsks)) found.add(order.accountId);
    });
    return found;
  }

  #refresh(account: Account, oid: number): void {
    const order = account.orders.get(oid);
    if (order === undefined) this.#delete(account.id, oid);
    else this.#put(account.id, order);
  }

  #put(accountId: string, order: OpenOrder): void {
    const ahead = order.resting.ahead === 'unknown' ? Number.POSITIVE_INFINITY : Number(order.resting.ahead);
    const shown = order.resting.shown === undefined ? undefined : Number(order.resting.shown);
    const known = this.#orders.get(accountId, order.oid);
    if (known !== undefined) {
      known.ahead = ahead;
      known.shown = shown;
      return;
    }
    const { asset, side } = order;
    const indexed: IndexedOrder = { accountId, asset, side, price: Number(order.limitPrice), ahead, shown };
    this.#orders.set(accountId, order.oid, indexed);
    const key = ladderKey(asset, side);
    let ladder = this.#ladders.get(key);
    if (ladder === undefined) {
      ladder = new PriceLadder();
      this.#ladders.set(key, ladder);
    }
    ladder.put(indexed);
  }

  #delete(accountId: string, oid: number): void {
    const indexed = this.#orders.take(accountId, oid);
    if (indexed !== undefined) this.#ladders.get(ladderKey(indexed.asset, indexed.side))?.delete(indexed);
  }

  #setConsumer(asset: number, account: Account): void {
    const consumption = account.consumption.get(asset);
    if (consumption === undefined) {
      this.#consumers.get(asset)?.delete(account.id);
      return;
    }
    let consumers = this.#consumers.get(asset);
    if (consumers === undefined) {
      consumers = new Map();
      this.#consumers.set(asset, consumers);
    }
    consumers.set(account.id, { taken: consumption });
  }
}

const ladderKey = (asset: number, side: Side): string => `${side}:${asset}`;

const sizesByPrice = (levels: readonly FeedLevel[]): Map<number, number> =>
  new Map(levels.map(([price, size]) => [Number(price), Number(size)]));

/** Fewer coins are displayed at the price than were thought to be ahead, the queue is seen for the first time, or its length counts. */
function movesUp({ price, ahead, shown: before }: IndexedOrder, shown: ReadonlyMap<number, number>): boolean {
  if (ahead === 0) return false;
  const displayed = shown.get(price) ?? 0;
  return before === undefined ? ahead > displayed : before !== displayed;
}

function readTaken({ bid, ask }: TakenLiquidity): Taken {
  let [halvesAtMs, oldestMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const read = (side: TakenLiquidity['bid']): TakenAt => {
    const byPrice = new Map<number, number>();
    let hasRange = false;
    for (const [price, { consumed, lastFillFeedTimeMs, halvings = 0, from }] of side) {
      // A range is judged at each book: any level in it may have come into sight.
      if (from !== undefined) [halvesAtMs, hasRange] = [0, true];
      halvesAtMs = Math.min(halvesAtMs, lastFillFeedTimeMs + (halvings + 1) * TAKEN_HALF_LIFE_MS);
      oldestMs = Math.min(oldestMs, lastFillFeedTimeMs);
      byPrice.set(Number(price), Number(consumed));
    }
    return { byPrice, hasRange };
  };
  const [bids, asks] = [read(bid), read(ask)];
  return { halvesAtMs, oldestMs, bids, asks };
}

/** Less is displayed than was taken, and the level is there. */
function hasChanged(taken: TakenAt, shown: ReadonlyMap<number, number>): boolean {
  for (const [price, consumed] of taken.byPrice) {
    const displayed = shown.get(price) ?? 0;
    if (displayed > 0 && displayed < consumed) return true;
  }
  return false;
}
