// When this pod may take a shard without an owner. The first pod in the ranking takes it at once; each further one
// waits for another half of a lease life. A shard whose ownership has just ended by itself is left alone for a while,
// twice as long each time, because the cause may persist.

/** Pause before a shard whose ownership has just ended by itself is taken again, ms; doubled each time. */
const RETAKE_MS_MIN = 50;
const RETAKE_MS_MAX = 5000;
/** An ownership that has lasted this long was a good one, ms. */
const GOOD_AFTER_MS = 10_000;

interface Setback {
  /** Ownerships in a row that have ended by themselves. */
  readonly count: number;
  readonly takenAtMs: number;
  readonly notBeforeMs: number;
}

const NONE: Setback = { count: 0, takenAtMs: 0, notBeforeMs: 0 };

export class TakeSchedule {
  readonly #ttlMs: number;
  readonly #now: () => number;
  /** When each shard without an owner was first seen so. */
  readonly #freeSinceMs = new Map<number, number>();
  readonly #setbacks = new Map<number, Setback>();

  /** @param options.ttlMs life of a lease */
  constructor(options: { ttlMs: number; now: () => number }) {
    this.#ttlMs = options.ttlMs;
    this.#now = options.now;
  }

  /** The shard has an owner. */
  onOwned(shard: number): void {
    this.#freeSinceMs.delete(shard);
  }

  /** @param rank of this pod among those that may have the free shard; -1 = it may not */
  hasCome(shard: number, rank: number): boolean {
    const nowMs = this.#now();
    const freeSinceMs = this.#freeSinceMs.get(shard) ?? nowMs;
    this.#freeSinceMs.set(shard, freeSinceMs);
    const isTurn = rank >= 0 && nowMs - freeSinceMs >= (rank * this.#ttlMs) / 2;
    return isTurn && nowMs >= this.#setback(shard).notBeforeMs;
  }

  /** This pod has taken the shard. */
  onTaken(shard: number): void {
    this.onOwned(shard);
    this.#setbacks.set(shard, { ...this.#setback(shard), takenAtMs: this.#now() });
  }

  /** This pod's ownership has ended by itself. @returns for how long the shard is left alone, ms */
  onEnded(shard: number): number {
    const nowMs = this.#now();
    const { count: earlier, takenAtMs } = this.#setback(shard);
    const count = nowMs - takenAtMs > GOOD_AFTER_MS ? 1 : earlier + 1;
    const pauseMs = Math.min(RETAKE_MS_MIN * 2 ** (count - 1), RETAKE_MS_MAX);
    this.#setbacks.set(shard, { count, takenAtMs, notBeforeMs: nowMs + pauseMs });
    return pauseMs;
  }

  #setback(shard: number): Setback {
    return this.#setbacks.get(shard) ?? NONE;
  }
}
