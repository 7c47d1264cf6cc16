// When the shards of a pod work: they share one thread with each other, with the lease renewals, and with all that Redis
// sends. Each shard that has work gets a turn after the other, and between two slices of the event loop's time everything
// else has its turn: a shard whose accounts keep it busy delays the pod by a slice and the command that ends it. Work
// in the background (history, snapshots) is done in pieces, one in a round of the event loop, of whichever shard.

/** Longest time for turns of shards before the event loop goes round, ms: far below a third of the shortest lease. */
const SLICE_MS = 5;

export class PodTurns {
  readonly #nowMs: () => number;
  readonly #defer: (run: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  #isPlanned = false;
  #endsMs = 0;
  #background: Promise<void> = Promise.resolve();

  /**
   * @param nowMs a clock that only goes forward
   * @param defer runs something after the event loop has gone round
   */
  constructor(nowMs: () => number, defer: (run: () => void) => void = setImmediate) {
    this.#nowMs = nowMs;
    this.#defer = defer;
  }

  /** The work is done in its turn. It should end when `isOver`, and plan again what is left. */
  plan(work: () => void): void {
    this.#waiting.push(work);
    this.#wake();
  }

  /**
   * Resolves when the caller may do a piece of background work, of half a millisecond or so: those that ask have a round of
   * the event loop each, in the order in which they ask.
   */
  readonly background = (): Promise<void> => {
    const next = this.#background.then(() => new Promise<void>((resolve) => this.#defer(resolve)));
    this.#background = next;
    return next;
  };

  /** True when the slice has been used up. */
  get isOver(): boolean {
    return this.#nowMs() >= this.#endsMs;
  }

  /** Microseconds, for the cost of single commands. */
  readonly micros = (): number => this.#nowMs() * 1000;

  #wake(): void {
    if (this.#isPlanned || this.#waiting.length === 0) return;
    this.#isPlanned = true;
    this.#defer(() => {
      this.#isPlanned = false;
      this.#slice();
    });
  }

  #slice(): void {
    this.#endsMs = this.#nowMs() + SLICE_MS;
    try {
      while (!this.isOver) {
        const work = this.#waiting.shift();
        if (work === undefined) return;
        work();
      }
    } finally {
      this.#wake();
    }
  }
}
