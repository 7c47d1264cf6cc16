// The accounts that a new mark concerns, by two indexes: wake prices and trigger orders.
// Which accounts of a shard a new mark can bring into danger of liquidation: their wake prices, by coin and
// direction, nearest first. A mark that reaches none costs two comparisons, however many accounts hold the coin. The
// rules compute the prices and decide exactly; this index only keeps them in order.

import { IndexedHeap, type InHeap } from '../../../shared/domain/indexedHeap.ts';
import type { Account, WaitingOrder } from '../../core/account/account.ts';
import { firesWhen } from '../../core/account/ownOrders.ts';
import { type Twap, watchedPrice } from '../../core/account/twap.ts';
import { factsOf } from '../../core/history/eventFacts.ts';
import { isInDanger, type WakePrice } from '../../core/margin/wakePrices.ts';
import type { AccountEvent } from '../../core/messages/event.ts';
import { OfAccounts, PriceLadder } from './priceLadder.ts';

/** One wake price in its heap; `key` rises with the distance from the mark. */
interface Entry extends InHeap {
  readonly accountId: string;
  readonly heap: IndexedHeap<Entry>;
  readonly key: number;
}

const heapByDistance = (): IndexedHeap<Entry> => new IndexedHeap((a, b) => a.key < b.key);

/** Wake prices of one coin: of longs, woken by a mark that falls, and of shorts, woken by one that rises. */
interface Coin {
  readonly falls: IndexedHeap<Entry>;
  readonly rises: IndexedHeap<Entry>;
}

export class RiskIndex {
  readonly #coins = new Map<number, Coin>();
  readonly #entries = new Map<string, readonly Entry[]>();
  readonly #inDanger = new Set<string>();
  /** Accounts whose wake prices are of a state that they have left. */
  readonly #stale = new Set<string>();

  /** Coins in which an account has ever held a position. */
  get assets(): Iterable<number> {
    return this.#coins.keys();
  }

  /** Accounts that were changed since their wake prices were set. */
  get stale(): ReadonlySet<string> {
    return this.#stale;
  }

  /** True when the next mark of its coins will check the account, or it was changed since the last one. */
  isWatched(accountId: string): boolean {
    return this.#inDanger.has(accountId) || this.#stale.has(accountId);
  }

  /** Accounts that the next mark of one of their coins will check. */
  get watched(): ReadonlySet<string> {
    return new Set([...this.#inDanger, ...this.#stale]);
  }

  /** The account has changed. Its wake prices are set again before the next mark is checked. */
  touch({ id, positions }: Account): void {
    if (positions.size > 0 || this.#entries.has(id)) this.#stale.add(id);
  }

  /** Replaces the account's wake prices. */
  set(accountId: string, prices: readonly WakePrice[]): void {
    this.remove(accountId);
    if (prices.length === 0) return;
    this.#entries.set(
      accountId,
      prices.map((price) => this.#put(accountId, price)),
    );
    if (isInDanger(prices)) this.#inDanger.add(accountId);
  }

  remove(accountId: string): void {
    this.#stale.delete(accountId);
    this.#inDanger.delete(accountId);
    const entries = this.#entries.get(accountId);
    if (entries === undefined) return;
    for (const entry of entries) entry.heap.remove(entry);
    this.#entries.delete(accountId);
  }

  /** Accounts that this mark of the coin wakes. */
  wokenBy(asset: number, markPrice: number): Set<string> {
    const woken = new Set<string>();
    const coin = this.#coins.get(asset);
    if (coin === undefined) return woken;
    for (const { accountId } of coin.falls.whileWanted(({ key }) => key <= -markPrice)) woken.add(accountId);
    for (const { accountId } of coin.rises.whileWanted(({ key }) => key <= markPrice)) woken.add(accountId);
    return woken;
  }

  #put(accountId: string, { asset, when, price }: WakePrice): Entry {
    let coin = this.#coins.get(asset);
    if (coin === undefined) {
      coin = { falls: heapByDistance(), rises: heapByDistance() };
      this.#coins.set(asset, coin);
    }
    const heap = coin[when];
    const entry: Entry = { accountId, heap, key: when === 'falls' ? -price : price, at: 0 };
    heap.add(entry);
    return entry;
  }
}

// Which accounts of a shard have trigger orders that a new mark can fire, or that have fired and wait for a newer book, or TWAPs that a mark
// can start or end: by coin, direction and price. A mark that reaches no price costs two comparisons, however many wait. Orders and TWAPs have their
// ids from one source, so one map of an account holds both.

interface IndexedTrigger {
  readonly accountId: string;
  readonly ladder: PriceLadder<IndexedTrigger>;
  readonly price: number;
}

/** Orders of one coin that fire when its mark rises to their price, and when it falls to it; and those that have fired, at any price. */
interface Waiting {
  readonly above: PriceLadder<IndexedTrigger>;
  readonly below: PriceLadder<IndexedTrigger>;
  readonly fired: PriceLadder<IndexedTrigger>;
}

interface Watched {
  readonly accountId: string;
  readonly asset: number;
  readonly price: string;
  readonly ladder: keyof Waiting;
}

export class TriggerIndex {
  readonly #triggers = new OfAccounts<IndexedTrigger>();
  readonly #coins = new Map<number, Waiting>();

  /** Number of orders and TWAPs that wait for a mark, or for a newer book. */
  get size(): number {
    return this.#triggers.size;
  }

  /** Coins for whose mark an order has ever waited. */
  get assets(): Iterable<number> {
    return this.#coins.keys();
  }

  /** Takes in all of an account that has come into memory. */
  add(account: Account): void {
    for (const order of account.triggers.values()) this.#put(account.id, order);
    for (const twap of account.twaps.values()) this.#putTwap(account.id, twap);
  }

  /** Removes an account that leaves memory. */
  remove(account: Account): void {
    for (const oid of account.triggers.keys()) this.#delete(account.id, oid);
    for (const twapId of account.twaps.keys()) this.#delete(account.id, twapId);
  }

  /** Follows what the events have done to the account. */
  update(account: Account, events: readonly AccountEvent[]): void {
    for (const event of events) {
      for (const oid of factsOf(event).touches(event)?.triggers ?? []) this.#refresh(account, oid);
    }
  }

  /** Accounts with an order that fires at this mark. */
  affectedBy(asset: number, markPrice: number): Set<string> {
    const found = new Set<string>();
    const waiting = this.#coins.get(asset);
    waiting?.above.eachAtOrBelow(markPrice, ({ accountId }) => found.add(accountId));
    waiting?.below.eachAtOrAbove(markPrice, ({ accountId }) => found.add(accountId));
    return found;
  }

  /** Accounts with an order that has fired and tries each newer book of the coin. */
  waitingForBook(asset: number): Set<string> {
    const found = new Set<string>();
    this.#coins.get(asset)?.fired.eachAtOrAbove(0, ({ accountId }) => found.add(accountId));
    return found;
  }

  #refresh(account: Account, oid: number): void {
    const order = account.triggers.get(oid);
    if (order?.waitsFor !== 'mark') this.#delete(account.id, oid);
    if (order !== undefined) {
      this.#put(account.id, order);
      return;
    }
    const twap = account.twaps.get(oid);
    if (twap !== undefined) this.#putTwap(account.id, twap);
  }

  #put(accountId: string, order: WaitingOrder): void {
    if (order.waitsFor === 'fill' || this.#triggers.get(accountId, order.oid) !== undefined) return;
    const { oid, asset, trigger } = order;
    const ladder = order.waitsFor === 'book' ? 'fired' : firesWhen(order);
    this.#index(oid, { accountId, asset, price: trigger.price, ladder });
  }

  #putTwap(accountId: string, twap: Twap): void {
    const watched = watchedPrice(twap);
    if (watched === undefined) return;
    const { price, above } = watched;
    this.#index(twap.twapId, { accountId, asset: twap.asset, price, ladder: above ? 'above' : 'below' });
  }

  #index(id: number, { accountId, asset, price, ladder: name }: Watched): void {
    let waiting = this.#coins.get(asset);
    if (waiting === undefined) {
      waiting = { above: new PriceLadder(), below: new PriceLadder(), fired: new PriceLadder() };
      this.#coins.set(asset, waiting);
    }
    const ladder = waiting[name];
    const indexed: IndexedTrigger = { accountId, ladder, price: Number(price) };
    this.#triggers.set(accountId, id, indexed);
    ladder.put(indexed);
  }

  #delete(accountId: string, oid: number): void {
    const indexed = this.#triggers.take(accountId, oid);
    indexed?.ladder.delete(indexed);
  }
}
