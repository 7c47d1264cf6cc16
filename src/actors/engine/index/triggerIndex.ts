// Which accounts of a shard have trigger orders that a new mark can fire, or that have fired and wait for a newer book, or TWAPs that a mark
// can start or end: by coin, direction and price. A mark that reaches no price costs two comparisons, however many wait. Orders and TWAPs have their
// ids from one source, so one map of an account holds both.

import type { Account, WaitingOrder } from '../../core/account/account.ts';
import { firesWhen } from '../../core/account/ownOrders.ts';
import { type Twap, watchedPrice } from '../../core/account/twap.ts';
import { factsOf } from '../../core/history/eventFacts.ts';
import type { AccountEvent } from '../../core/messages/event.ts';
import { OfAccounts, PriceLadder } from './priceLadder.ts';

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
