// Feeds of the venue without news for a while: the connector reads them by REST, well before orders fail for their age.

/** Listings and contexts are read again at least this often. */
const RELOAD_MS = 60_000;
/** A feed without news for this long is read by REST: well below the age at which orders are refused. */
const BOOK_QUIET_MS = 9000;
const CONTEXT_QUIET_MS = 9000;
/** Between two readings of all contexts because one is quiet: weight 20, of the 1200 that the venue allows in a minute. */
const CONTEXT_RELOAD_MS = 10_000;

export class QuietFeeds {
  #listed: readonly string[] = [];
  /** When each feed last had news. */
  readonly #bookHeardMs = new Map<string, number>();
  readonly #contextHeardMs = new Map<string, number>();
  #loadedMs = 0;

  onBook(coin: string, nowMs: number): void {
    this.#bookHeardMs.set(coin, nowMs);
  }

  onContext(coin: string, nowMs: number): void {
    this.#contextHeardMs.set(coin, nowMs);
  }

  /** Listings and contexts were read whole. */
  onLoaded(nowMs: number): void {
    this.#loadedMs = nowMs;
  }

  onListed(coins: readonly string[]): void {
    this.#listed = coins;
  }

  /** There was a gap: everything is read again. */
  onGap(): void {
    this.#loadedMs = 0;
  }

  /** @returns the coin whose book is to be read, `all` for listings and contexts, undefined when everything has news */
  next(nowMs: number): { readonly coin: string } | 'all' | undefined {
    const contextsAreQuiet =
      nowMs - this.#loadedMs > CONTEXT_RELOAD_MS &&
      this.#listed.some((coin) => nowMs - (this.#contextHeardMs.get(coin) ?? 0) > CONTEXT_QUIET_MS);
    return contextsAreQuiet || nowMs - this.#loadedMs > RELOAD_MS ? 'all' : this.#quietestBook(nowMs);
  }

  #quietestBook(nowMs: number): { readonly coin: string } | undefined {
    let quietest: { readonly coin: string } | undefined;
    let heardMs = nowMs - BOOK_QUIET_MS;
    for (const coin of this.#listed) {
      const heard = this.#bookHeardMs.get(coin) ?? this.#loadedMs - BOOK_QUIET_MS / 2;
      if (heard >= heardMs) continue;
      quietest = { coin };
      heardMs = heard;
    }
    return quietest;
  }
}
