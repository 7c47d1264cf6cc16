// Holds what is to be given on for a time, in its order and within a bound of bytes: beyond it the oldest is given on before its time.

/** What waits in one line at most, bytes. */
export const LINE_BYTES_MAX = 1_048_576;
/** Of one thing that waits, beside its message. */
const ENTRY_BYTES = 200;

interface Waiting {
  readonly dueMs: number;
  readonly bytes: number;
  readonly give: () => void;
}

export class DelayLine {
  /** Oldest first. */
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;
  #lastDueMs = 0;
  #timer: NodeJS.Timeout | undefined;

  get bytes(): number {
    return this.#bytes;
  }

  /** Gives it on when its time has come and all before it are gone: at once where nothing waits and nothing is to wait. */
  put(delayMs: number, bytes: number, give: () => void): void {
    if (delayMs === 0 && this.#waiting.size === 0) {
      give();
      return;
    }
    const one = { dueMs: Math.max(this.#lastDueMs, performance.now() + delayMs), bytes: bytes + ENTRY_BYTES, give };
    this.#lastDueMs = one.dueMs;
    this.#waiting.add(one);
    this.#bytes += one.bytes;
    this.#giveUntil(() => this.#bytes <= LINE_BYTES_MAX);
    this.#plan();
  }

  /** Gives all on now. */
  flush(): void {
    this.#giveUntil(() => false);
    this.#plan();
  }

  /** Drops what waits. */
  end(): void {
    this.#waiting.clear();
    this.#bytes = 0;
    this.#plan();
  }

  #giveUntil(isDone: (first: Waiting) => boolean): void {
    for (const first of this.#waiting) {
      if (isDone(first)) return;
      this.#waiting.delete(first);
      this.#bytes -= first.bytes;
      first.give();
    }
  }

  #plan(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setTimeout(this.#onTime, Math.max(0, Math.ceil(first.dueMs - performance.now())));
  }

  readonly #onTime = (): void => {
    this.#timer = undefined;
    const nowMs = performance.now();
    this.#giveUntil(({ dueMs }) => dueMs > nowMs);
    this.#plan();
  };
}
