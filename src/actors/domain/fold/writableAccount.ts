// Write access to an account for `evolve` alone: in place while folding entries, with a copy of each map before its first
// write while deciding.
import type { Account } from '../account/account.ts';

type MapName = 'positions' | 'orders' | 'triggers' | 'leverage' | 'consumption' | 'funding' | 'twaps' | 'commandIds';
type MapOf<Name extends MapName> = Account[Name] extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : never;

export class WritableAccount {
  /** Belongs to this object: fields may be assigned, maps only through `map`. */
  readonly account: { -readonly [Field in keyof Account]: Account[Field] };
  readonly #owned: Set<MapName> | 'all';

  constructor(account: Account, maps: 'copy' | 'inPlace') {
    this.account = account;
    this.#owned = maps === 'copy' ? new Set() : 'all';
  }

  /** The map, to be written to. */
  map<Name extends MapName>(name: Name): MapOf<Name> {
    const maps: Record<MapName, unknown> = this.account;
    if (this.#owned !== 'all' && !this.#owned.has(name)) {
      this.#owned.add(name);
      maps[name] = name === 'orders' ? this.account.orders.copy() : new Map<unknown, unknown>(this.account[name]);
    }
    return maps[name] as MapOf<Name>;
  }
}
