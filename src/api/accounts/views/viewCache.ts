// The views of one node: those used last, up to a bound in bytes. Beside a view stand a few answers about its account's past,
// which stay right exactly as long as the view is true: rows come only with entries.
import type { AccountView } from './accountView.ts';

/** Answers about the past that are kept beside one view. */
const KEPT_MAX = 6;
/** A view, or what is kept beside it, is not larger than this share of the bound. */
const SHARE_OF_ONE = 1 / 8;

interface Entry {
  readonly view: AccountView;
  /** By what was asked, the one used last at the end. */
  readonly kept: Map<string, Kept>;
  bytes: number;
}

interface Kept {
  readonly data: unknown;
  readonly bytes: number;
}

export class ViewCache {
  readonly #bytesMax: number;
  /** By account, the one used last at the end. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #evicted = 0;

  /** @param bytesMax VIEWS_MAX_BYTES */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes of all views, as `bytesOfView` counts them, and of what is kept beside them. */
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
    if (!isSame) entry.kept.clear();
    let bytes = view.bytes;
    for (const kept of entry.kept.values()) bytes += kept.bytes;
    this.#grow(entry, bytes - entry.bytes);
    if (view.bytes > this.#bytesMax * SHARE_OF_ONE) this.drop(view.account.id);
    this.#evict();
  }

  /** In place of an older one. @returns false when it is too large */
  put(accountId: string, view: AccountView): boolean {
    this.drop(accountId);
    if (view.bytes > this.#bytesMax * SHARE_OF_ONE) return false;
    this.#entries.set(accountId, { view, kept: new Map(), bytes: view.bytes });
    this.#bytes += view.bytes;
    this.#evict();
    return true;
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

  /** Keeps what was read at the moment of this view, if the view is still there. */
  keep(view: AccountView, key: string, kept: Kept): void {
    const entry = this.#entryOf(view);
    if (entry === undefined || kept.bytes > this.#bytesMax * SHARE_OF_ONE) return;
    this.#forget(entry, key);
    const [oldest] = entry.kept.keys();
    if (oldest !== undefined && entry.kept.size >= KEPT_MAX) this.#forget(entry, oldest);
    entry.kept.set(key, kept);
    this.#grow(entry, kept.bytes);
    this.#evict();
  }

  #entryOf(view: AccountView): Entry | undefined {
    const entry = this.#entries.get(view.account.id);
    return entry?.view === view ? entry : undefined;
  }

  #forget(entry: Entry, key: string): void {
    const kept = entry.kept.get(key);
    if (kept === undefined) return;
    entry.kept.delete(key);
    this.#grow(entry, -kept.bytes);
  }

  #grow(entry: Entry, by: number): void {
    entry.bytes += by;
    this.#bytes += by;
  }

  #evict(): void {
    for (const accountId of this.#entries.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.drop(accountId);
      this.#evicted += 1;
    }
  }
}
