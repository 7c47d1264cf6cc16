// Falls of an equity index below its peak: from the moment of the peak to the one at which it is reached again. docs/analytics.md defines
// them.

/** Falls that are told. */
export const FALLS_MAX = 5;

export interface Fall {
  /** When the index was last at its peak. */
  readonly peakMs: number;
  /** When it was deepest below it. */
  readonly deepestMs: number;
  /** When it was there again; undefined = not yet. */
  readonly endMs: number | undefined;
  /** A share of the peak, > 0. */
  readonly depth: number;
}

/** The falls of points that are added one after the other. */
export class Falls {
  #peak = 0;
  #peakMs = 0;
  /** The one that has not ended. */
  #open: Fall | undefined;
  readonly #deepest: Fall[] = [];

  /** @returns how far this point is below the peak, as a share of the peak */
  add(timeMs: number, index: number): number {
    if (index >= this.#peak) {
      if (this.#open !== undefined) this.#keep({ ...this.#open, endMs: timeMs });
      this.#open = undefined;
      [this.#peak, this.#peakMs] = [index, timeMs];
      return 0;
    }
    const depth = 1 - index / this.#peak;
    if (this.#open === undefined || depth > this.#open.depth)
      this.#open = { peakMs: this.#peakMs, deepestMs: timeMs, endMs: undefined, depth };
    return depth;
  }

  /** Deepest first, FALLS_MAX of them; of equal ones the first. */
  deepest(): readonly Fall[] {
    const all = this.#open === undefined ? this.#deepest : [...this.#deepest, this.#open];
    return all.toSorted((a, b) => b.depth - a.depth).slice(0, FALLS_MAX);
  }

  #keep(fall: Fall): void {
    this.#deepest.push(fall);
    this.#deepest.sort((a, b) => b.depth - a.depth);
    this.#deepest.length = Math.min(this.#deepest.length, FALLS_MAX);
  }
}
