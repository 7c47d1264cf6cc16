// What an index holds of orders and TWAPs, by account and id: an account and its forks have the same ids (docs/adr/0024-forks.md), and may be of
// one shard.

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
