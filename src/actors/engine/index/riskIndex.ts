// Which accounts of a shard a new mark can bring into danger of liquidation: their wake prices, by coin and
// direction, nearest first. A mark that reaches none costs two comparisons, however many accounts hold the coin. The
// rules compute the prices and decide exactly; this index only keeps them in order.
import type { Account } from '../../core/account/account.ts';
import { isInDanger, type WakePrice } from '../../core/margin/wakePrices.ts';

/** One wake price in its heap; `key` rises with the distance from the mark. */
interface Entry {
  readonly accountId: string;
  readonly heap: Entry[];
  key: number;
  /** Place in the heap. */
  at: number;
}

/** Wake prices of one coin: of longs, woken by a mark that falls, and of shorts, woken by one that rises. */
interface Coin {
  readonly falls: Entry[];
  readonly rises: Entry[];
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
    for (const entry of entries) take(entry);
    this.#entries.delete(accountId);
  }

  /** Accounts that this mark of the coin wakes. */
  wokenBy(asset: number, markPrice: number): Set<string> {
    const woken = new Set<string>();
    const coin = this.#coins.get(asset);
    if (coin === undefined) return woken;
    collect(coin.falls, -markPrice, woken);
    collect(coin.rises, markPrice, woken);
    return woken;
  }

  #put(accountId: string, { asset, when, price }: WakePrice): Entry {
    let coin = this.#coins.get(asset);
    if (coin === undefined) {
      coin = { falls: [], rises: [] };
      this.#coins.set(asset, coin);
    }
    const heap = coin[when];
    const entry: Entry = { accountId, heap, key: when === 'falls' ? -price : price, at: heap.length };
    heap.push(entry);
    rise(entry);
    return entry;
  }
}

/** All accounts in the heap with a key up to this one: a walk from the top that stops at the first larger key of each branch. */
function collect(heap: readonly Entry[], key: number, found: Set<string>): void {
  const open = [0];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entry = heap[at];
    if (entry === undefined || entry.key > key) continue;
    found.add(entry.accountId);
    open.push(2 * at + 1, 2 * at + 2);
  }
}

function take(entry: Entry): void {
  const { heap } = entry;
  const last = heap.pop() as Entry;
  if (last === entry) return;
  last.at = entry.at;
  heap[last.at] = last;
  rise(last);
  sink(last);
}

function rise(entry: Entry): void {
  const { heap } = entry;
  while (entry.at > 0) {
    const parent = heap[(entry.at - 1) >> 1] as Entry;
    if (parent.key <= entry.key) return;
    swap(entry, parent);
  }
}

function sink(entry: Entry): void {
  const { heap } = entry;
  for (;;) {
    const left = heap[2 * entry.at + 1];
    const right = heap[2 * entry.at + 2];
    const nearer = left && right && right.key < left.key ? right : left;
    if (nearer === undefined || nearer.key >= entry.key) return;
    swap(nearer, entry);
  }
}

function swap(upper: Entry, lower: Entry): void {
  const { heap } = upper;
  [upper.at, lower.at] = [lower.at, upper.at];
  heap[upper.at] = upper;
  heap[lower.at] = lower;
}
