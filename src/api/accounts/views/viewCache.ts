// The views of one node: those used last, up to a bound in bytes. Beside a view stand a few answers about its account's past,
// which stay right exactly as long as the view is true: rows come only with entries.
import type { AccountView } from './accountView.ts';

/** Answers about the past that are kept beside one view. */
const KEPT_MAX = 6;
/** A view and what is kept beside it are together not larger than this share of the bound. */
const SHARE_OF_ONE = 1 / 8;

interface Entry {
  readonly view: AccountView;
  /** By what was asked, the one used last at the end. */
  readonly kept: Map<string, Kept>;
  /** Of all that is kept. */
  keptBytes: number;
  /** Of the entry, as they count at the moment. */
  bytes: number;
}

interface Kept {
  readonly data: unknown;
  readonly bytes: number;
}

export class ViewCache {
  readonly #bytesMax: number;
  readonly #bytesOfOneMax: number;
  readonly #onEvicted: (view: AccountView) => void;
  /** By account, the one used last at the end. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #evicted = 0;

  /**
   * @param bytesMax VIEWS_MAX_BYTES
   * @param onEvicted told each view that made room for others
   */
  constructor(bytesMax: number, onEvicted: (view: AccountView) => void = () => undefined) {
    this.#bytesMax = bytesMax;
    this.#bytesOfOneMax = bytesMax * SHARE_OF_ONE;
    this.#onEvicted = onEvicted;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes of all views and their answers, and of what is kept beside them. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Views that made room for others so far. */
  get evicted(): number {
    return this.#evicted;
  }

  /** The account's view, which counts as used by this. */
  use(accountId: string): AccountView | undefined {
    const entry = this.#entries.get(accountId);
    if (entry === undefined) return undefined;
    this.#entries.delete(accountId);
    this.#entries.set(accountId, entry);
    return entry.view;
  }

  /** The same without a use of it. */
  peek(accountId: string): AccountView | undefined {
    return this.#entries.get(accountId)?.view;
  }

  /** The view has followed its account: it counts as large as it is now. @param isSame what is kept beside it stays right */
  onFollowed(view: AccountView, { isSame }: { readonly isSame: boolean }): void {
    const entry = this.#entryOf(view);
    if (entry === undefined) return;
    if (!isSame) {
      entry.kept.clear();
      entry.keptBytes = 0;
    }
    this.#settle(entry);
  }

  /** The view has answered: what it remembers of that counts. */
  onAnswered(view: AccountView): void {
    const entry = this.#entryOf(view);
    if (entry !== undefined && view.bytes + entry.keptBytes !== entry.bytes) this.#settle(entry);
  }

  /** In place of an older one. @returns false when it is too large */
  put(accountId: string, view: AccountView): boolean {
    this.drop(accountId);
    const entry: Entry = { view, kept: new Map(), keptBytes: 0, bytes: 0 };
    this.#entries.set(accountId, entry);
    this.#settle(entry);
    return this.#entries.get(accountId) === entry;
  }

  drop(accountId: string): void {
    const entry = this.#entries.get(accountId);
    if (entry === undefined) return;
    this.#entries.delete(accountId);
    this.#bytes -= entry.bytes;
  }

  /** What was kept beside this very view. */
  kept(view: AccountView, key: string): { readonly data: unknown } | undefined {
    const entry = this.#entryOf(view);
    const kept = entry?.kept.get(key);
    if (entry === undefined || kept === undefined) return undefined;
    entry.kept.delete(key);
    entry.kept.set(key, kept);
    return kept;
  }

  /** Keeps what was read at the moment of this view, if the view is still there and both are not too large. */
  keep(view: AccountView, key: string, kept: Kept): void {
    const entry = this.#entryOf(view);
    if (entry === undefined || view.bytes + kept.bytes > this.#bytesOfOneMax) return;
    forget(entry, key);
    entry.kept.set(key, kept);
    entry.keptBytes += kept.bytes;
    this.#settle(entry);
  }

  #entryOf(view: AccountView): Entry | undefined {
    const entry = this.#entries.get(view.account.id);
    return entry?.view === view ? entry : undefined;
  }

  /** Counts the entry as it is now, and makes room: first in itself, then among those not used for longest. */
  #settle(entry: Entry): void {
    const { view, kept } = entry;
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_MAX && view.bytes + entry.keptBytes <= this.#bytesOfOneMax) break;
      forget(entry, oldest);
    }
    const bytes = view.bytes + entry.keptBytes;
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    if (bytes > this.#bytesOfOneMax) this.drop(view.account.id);
    for (const [accountId, { view: evicted }] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return;
      this.drop(accountId);
      this.#evicted += 1;
      this.#onEvicted(evicted);
    }
  }
}

function forget(entry: Entry, key: string): void {
  entry.keptBytes -= entry.kept.get(key)?.bytes ?? 0;
  entry.kept.delete(key);
}
