// The places of turns in a process. A turn that lasts gives its place to the next one and goes on beside it, so those that answer do not
// wait until those that hang are over. How many may go on like that is bounded: then turns wait again.

export interface PlaceBounds {
  /** Turns that have a place. */
  readonly places: number;
  /** Turns that have given theirs away. */
  readonly aside: number;
  /** A turn gives its place away after this, ms. */
  readonly placeMs: number;
}

export class TurnPlaces {
  readonly #bounds: PlaceBounds;
  /** Turns without a place, the first that came first. */
  readonly #waiting: (() => void)[] = [];
  /** Turns that have lasted and still have their place, those first that have lasted longest. */
  readonly #lasting = new Set<symbol>();
  readonly #aside = new Set<symbol>();
  #placed = 0;

  constructor(bounds: PlaceBounds) {
    this.#bounds = bounds;
  }

  /** Runs the turn when there is a place for it. */
  async run(turn: () => Promise<void>): Promise<void> {
    if (this.#placed < this.#bounds.places) this.#placed += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const self = Symbol();
    const timer = setTimeout(() => {
      this.#lasting.add(self);
      this.#stepAside();
    }, this.#bounds.placeMs);
    try {
      await turn();
    } finally {
      clearTimeout(timer);
      this.#lasting.delete(self);
      if (this.#aside.delete(self)) this.#stepAside();
      else this.#giveOn();
    }
  }

  #stepAside(): void {
    const [first] = this.#lasting;
    if (first === undefined || this.#aside.size >= this.#bounds.aside) return;
    this.#lasting.delete(first);
    this.#aside.add(first);
    this.#giveOn();
  }

  /** The place goes to the turn that has waited longest. */
  #giveOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#placed -= 1;
    else next();
  }
}
