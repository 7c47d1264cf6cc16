// A limit per second, counted in memory: for work that this node does for requesters without a claim to it.

export class LocalRateLimit {
  readonly #perSecond: number;
  #second = 0;
  #taken = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** @returns false when this second's share is used up */
  take(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#taken = 0;
    }
    if (this.#taken >= this.#perSecond) return false;
    this.#taken += 1;
    return true;
  }
}
