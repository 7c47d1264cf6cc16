// When a shard works: in the next turn of the event loop when there is more to do, when the first of its accounts is
// due, and at every sweep.

/** Sweep of the pending set, tick position, idle accounts: once so often, ms. */
const SWEEP_EVERY_MS = 1000;
/** Longest timer for what is due later, ms. A timer of more than 24 days would fire at once. */
const DUE_MS_MAX = 60_000;

export interface WorkScheduleParts {
  readonly now: () => number;
  readonly onWork: () => void;
  readonly onSweep: () => void;
}

export class WorkSchedule {
  readonly #parts: WorkScheduleParts;
  readonly #sweepTimer: NodeJS.Timeout;
  #dueTimer: NodeJS.Timeout | undefined;
  #isPlanned = false;
  #isStopped = false;

  constructor(parts: WorkScheduleParts) {
    this.#parts = parts;
    this.#sweepTimer = setInterval(parts.onSweep, SWEEP_EVERY_MS);
  }

  /** Work in the next turn of the event loop, once for all that plan it in this one. */
  plan(): void {
    if (this.#isPlanned || this.#isStopped) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#parts.onWork();
    });
  }

  /** Work at this time in place of the earlier one; undefined = at none. */
  planAt(timeMs: number | undefined): void {
    clearTimeout(this.#dueTimer);
    if (timeMs === undefined) return;
    this.#dueTimer = setTimeout(this.#parts.onWork, Math.max(0, Math.min(timeMs - this.#parts.now(), DUE_MS_MAX)));
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#sweepTimer);
    clearTimeout(this.#dueTimer);
  }
}
