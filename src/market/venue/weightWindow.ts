// Spreads requests over time: the venue allows an address a certain request weight per minute.

const WINDOW_MS = 60_000;

export class WeightWindow {
  readonly #weightMax: number;
  /** The weights of the last minute, oldest first. */
  readonly #spent: { readonly atMs: number; readonly weight: number }[] = [];

  /** @param weightMax in any 60 s; a single request is allowed whatever its weight */
  constructor(weightMax: number) {
    this.#weightMax = weightMax;
  }

  /** Spends the weight and gives 0, or gives the ms to wait before trying again. */
  take(weight: number, nowMs: number): number {
    while ((this.#spent[0]?.atMs ?? nowMs) <= nowMs - WINDOW_MS) this.#spent.shift();
    const [oldest] = this.#spent;
    const spent = this.#spent.reduce((sum, entry) => sum + entry.weight, 0);
    if (oldest !== undefined && spent + weight > this.#weightMax) return oldest.atMs + WINDOW_MS - nowMs;
    this.#spent.push({ atMs: nowMs, weight });
    return 0;
  }
}
