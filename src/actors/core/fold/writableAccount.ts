// Write access to an account for `evolve` alone: in place while folding entries, with a map of its own for each that it
// writes to while deciding.
import { assert, unreachable } from '../../../shared/domain/assert.ts';
import type { Account, TakenLevel, WaitingOrder } from '../account/account.ts';
import type { SeenOrder } from '../account/copies.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { childrenOf } from '../account/ownOrders.ts';
import type { AccountEvent } from '../messages/event.ts';

type MapName = 'positions' | 'orders' | 'triggers' | 'leverage' | 'consumption' | 'funding' | 'twaps' | 'commandIds';
type MapOf<Name extends MapName> = Account[Name] extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : never;

export class WritableAccount {
  /** Belongs to this object: fields may be assigned, maps only through `map`, `taken` and `seenOrders`. */
  readonly account: { -readonly [Field in keyof Account]: Account[Field] };
  readonly #owned: Set<MapName> | 'all';
  /** Sides of books in `consumption` whose maps this object has made. */
  #ownedSides: Set<ReadonlyMap<string, TakenLevel>> | undefined;
  /** The map of orders of the address in `following`, where this object has made it. */
  #ownedSeen: ReadonlyMap<number, SeenOrder> | undefined;

  constructor(account: Account, maps: 'overlay' | 'inPlace') {
    this.account = account;
    this.#owned = maps === 'overlay' ? new Set() : 'all';
  }

  /** The map, to be written to. */
  map<Name extends MapName>(name: Name): MapOf<Name> {
    const maps: Record<MapName, unknown> = this.account;
    if (this.#owned !== 'all' && !this.#owned.has(name)) {
      this.#owned.add(name);
      maps[name] = isOrders(name) ? this.account[name].overlay() : new Map<unknown, unknown>(this.account[name]);
    }
    return maps[name] as MapOf<Name>;
  }

  /** What was taken from one side of a coin's book, to be written to: all fills of a batch write to the same map. */
  taken(asset: number, bookSide: 'bid' | 'ask'): Map<string, TakenLevel> {
    const before = this.account.consumption.get(asset);
    const side = before?.[bookSide];
    if (side !== undefined && (this.#owned === 'all' || this.#ownedSides?.has(side))) return side as Map<string, TakenLevel>;
    const own = new Map(side);
    this.#ownedSides ??= new Set();
    this.#ownedSides.add(own);
    const { bid = new Map(), ask = new Map() } = before ?? {};
    this.map('consumption').set(asset, bookSide === 'bid' ? { bid: own, ask } : { bid, ask: own });
    return own;
  }

  /** What is known of the orders of the address that the account follows, to be written to: all facts of a command write to the same map. */
  seenOrders(): Map<number, SeenOrder> {
    const { following } = this.account;
    assert(following, 'orders of an address that is not followed');
    const { orders } = following;
    if (this.#owned === 'all' || this.#ownedSeen === orders) return orders as Map<number, SeenOrder>;
    const own = new Map(orders);
    this.#ownedSeen = own;
    this.account.following = { ...following, orders: own };
    return own;
  }
}

/** The maps of orders are long, and an overlay of one costs the same however long it is. */
const isOrders = (name: MapName): name is 'orders' | 'triggers' => name === 'orders' || name === 'triggers';

/**
 * How events change single open orders: one that rests on the book, and one that waits for the mark or for its
 * parent. An event about an order that is not open is a fault.
 */
export function updateOrder(writable: WritableAccount, oid: number, fields: Partial<OpenOrder>): void {
  const order = writable.account.orders.get(oid);
  assert(order, `order ${oid} is not open`);
  writable.map('orders').set(oid, { ...order, ...fields });
}

type TriggerEvent = Extract<
  AccountEvent,
  { readonly type: 'triggerPlaced' | 'triggersArmed' | 'orderTriggered' | 'triggerWaits' | 'parentReplaced' }
>;

/** Folds what happens to waiting orders alone. */
export function evolveTriggers(writable: WritableAccount, event: TriggerEvent, timeMs: number): void {
  switch (event.type) {
    case 'triggerPlaced': {
      const { order, waitsFor } = event;
      assert(order.trigger, `order ${order.oid} waits without a trigger`);
      writable.map('triggers').set(order.oid, { ...order, trigger: order.trigger, waitsFor });
      return;
    }
    case 'triggersArmed':
      for (const oid of event.oids) updateTrigger(writable, oid, { waitsFor: 'mark' });
      return;
    case 'orderTriggered':
      writable.map('triggers').delete(event.order.oid);
      return;
    case 'triggerWaits': {
      const { order, outOfReach } = event;
      assert(order.trigger, `order ${order.oid} has fired without a trigger`);
      const waits = { waitsFor: 'book', fired: { timeMs, outOfReach } } as const;
      writable.map('triggers').set(order.oid, { ...order, trigger: order.trigger, ...waits });
      return;
    }
    case 'parentReplaced':
      for (const { oid, trigger } of childrenOf(writable.account, event.oid)) {
        updateTrigger(writable, oid, { trigger: { ...trigger, parentOid: event.newOid } });
      }
      return;
    default:
      unreachable(event);
  }
}

export function updateTrigger(writable: WritableAccount, oid: number, fields: Partial<WaitingOrder>): void {
  const order = writable.account.triggers.get(oid);
  assert(order, `order ${oid} does not wait`);
  writable.map('triggers').set(oid, { ...order, ...fields });
}
