// Which accounts of a shard have trigger orders that a new mark can fire: by coin, direction and trigger price. A
// mark that reaches no trigger costs two comparisons, however many orders wait.

import type { Account, WaitingOrder } from '../domain/account/account.ts';
import { firesWhen } from '../domain/account/triggerPrice.ts';
import { factsOf } from '../domain/history/eventFacts.ts';
import type { AccountEvent } from '../domain/messages/event.ts';
import { PriceLadder } from './priceLadder.ts';

interface IndexedTrigger {
  readonly accountId: string;
  readonly ladder: PriceLadder<IndexedTrigger>;
  readonly price: number;
}

/** Orders of one coin that fire when its mark rises to their price, and when it falls to it. */
interface Waiting {
  readonly above: PriceLadder<IndexedTrigger>;
  readonly below: PriceLadder<IndexedTrigger>;
}

export class TriggerIndex {
  readonly #triggers = new Map<number, IndexedTrigger>();
  readonly #coins = new Map<number, Waiting>();

  /** Number of orders that wait for a mark. */
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
  }

  /** Removes an account that leaves memory. */
  remove(account: Account): void {
    for (const oid of account.triggers.keys()) this.#delete(oid);
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

  #refresh(account: Account, oid: number): void {
    const order = account.triggers.get(oid);
    if (order === undefined) this.#delete(oid);
    else this.#put(account.id, order);
  }

  #put(accountId: string, order: WaitingOrder): void {
    if (order.waitsFor !== 'mark' || this.#triggers.has(order.oid)) return;
    let waiting = this.#coins.get(order.asset);
    if (waiting === undefined) {
      waiting = { above: new PriceLadder(), below: new PriceLadder() };
      this.#coins.set(order.asset, waiting);
    }
    const ladder = waiting[firesWhen(order)];
    const indexed: IndexedTrigger = { accountId, ladder, price: Number(order.trigger.price) };
    this.#triggers.set(order.oid, indexed);
    ladder.put(order.oid, indexed);
  }

  #delete(oid: number): void {
    const indexed = this.#triggers.get(oid);
    if (indexed === undefined) return;
    this.#triggers.delete(oid);
    indexed.ladder.delete(oid, indexed.price);
  }
}
