// Places of things that one process does at a time: so many of all, and so many of one holder. Who finds none waits for one in the
// order of coming; a holder that has all of its own keeps no other waiting.

export interface WaitingPlacesOptions {
  readonly all: number;
  readonly each: number;
  /** The number of callers that may wait at a time. */
  readonly waiting: number;
}

export class WaitingPlaces {
  readonly #options: WaitingPlacesOptions;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Set<{ readonly holder: string; readonly go: () => void }>();
  #total = 0;

  constructor(options: WaitingPlacesOptions) {
    this.#options = options;
  }

  /** @returns a function that gives the place back; undefined when none came free in time, or too many wait */
  async take(holder: string, waitMs: number): Promise<(() => void) | undefined> {
    if (this.#hasRoom(holder)) this.#count(holder, 1);
    else if (!(await this.#wait(holder, waitMs))) return undefined;
    return () => {
      this.#count(holder, -1);
      for (const one of this.#waiting) {
        if (!this.#hasRoom(one.holder)) continue;
        one.go();
        break;
      }
    };
  }

  #wait(holder: string, waitMs: number): Promise<boolean> {
    if (this.#waiting.size >= this.#options.waiting || waitMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isRoom: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(one);
        if (isRoom) this.#count(holder, 1);
        resolve(isRoom);
      };
      const one = { holder, go: () => end(true) };
      const timer = setTimeout(() => end(false), waitMs);
      this.#waiting.add(one);
    });
  }

  #hasRoom(holder: string): boolean {
    return this.#total < this.#options.all && (this.#held.get(holder) ?? 0) < this.#options.each;
  }

  #count(holder: string, by: 1 | -1): void {
    this.#total += by;
    const held = (this.#held.get(holder) ?? 0) + by;
    if (held === 0) this.#held.delete(holder);
    else this.#held.set(holder, held);
  }
}
