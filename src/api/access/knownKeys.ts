// The records of API keys that a node has in memory, by the key's digest, and by user: what a change of one user costs
// depends on that user's keys, not on how many keys the node knows.

/** Records in memory, some 500 bytes each; past it the oldest are dropped and looked up again. */
const RECORDS_MAX = 100_000;

interface Owned {
  readonly caller: { readonly userId: string };
}

export interface KnownKey<Rec extends Owned> {
  readonly record: Rec;
  /** When it is read again in the background, ms since the epoch. */
  readonly refreshAtMs: number;
}

export class KnownKeys<Rec extends Owned> {
  readonly #keys = new Map<string, KnownKey<Rec>>();
  readonly #digests = new Map<string, Set<string>>();

  get(digest: string): KnownKey<Rec> | undefined {
    return this.#keys.get(digest);
  }

  set(digest: string, key: KnownKey<Rec>): void {
    this.delete(digest);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size >= RECORDS_MAX && oldest !== undefined) this.delete(oldest);
    this.#keys.set(digest, key);
    const { userId } = key.record.caller;
    const own = this.#digests.get(userId);
    if (own === undefined) this.#digests.set(userId, new Set([digest]));
    else own.add(digest);
  }

  delete(digest: string): void {
    const userId = this.#keys.get(digest)?.record.caller.userId;
    if (userId === undefined) return;
    this.#keys.delete(digest);
    const own = this.#digests.get(userId);
    own?.delete(digest);
    if (own?.size === 0) this.#digests.delete(userId);
  }

  /** Removes all keys of a user. @returns their digests */
  deleteAllOf(userId: string): readonly string[] {
    const digests = [...(this.#digests.get(userId) ?? [])];
    for (const digest of digests) this.#keys.delete(digest);
    this.#digests.delete(userId);
    return digests;
  }

  clear(): void {
    this.#keys.clear();
    this.#digests.clear();
  }
}
