// When a shard works: in its next turn among the pod's shards when there is more to do, when the first of its accounts is
// due, and once a second when it sweeps: pending set, tick position, idle accounts.
import { EachSecond } from '../turns/eachSecond.ts';
import type { PodTurns } from '../turns/podTurns.ts';

/** Longest timer for what is due later, ms. A timer of more than 24 days would fire at once. */
const DUE_MS_MAX = 60_000;

export interface WorkScheduleParts {
  readonly turns: Pick<PodTurns, 'plan'>;
  readonly now: () => number;
  /** Part of each second before the shard's sweep, 0 to 1. */
  readonly sweepShare: number;
  readonly onWork: () => void;
  readonly onSweep: () => void;
}

export class WorkSchedule {
  readonly #parts: WorkScheduleParts;
  readonly #sweeps: EachSecond;
  #dueTimer: NodeJS.Timeout | undefined;
  #isPlanned = false;
  #isStopped = false;

  constructor(parts: WorkScheduleParts) {
    this.#parts = parts;
    this.#sweeps = new EachSecond(parts.sweepShare, parts.onSweep);
  }

  /** There is work for the next turn. */
  get isPlanned(): boolean {
    return this.#isPlanned;
  }

  /** Work in the shard's next turn, once for all that plan it before. */
  plan(): void {
    if (this.#isPlanned || this.#isStopped) return;
    this.#isPlanned = true;
    this.#parts.turns.plan(() => {
      this.#isPlanned = false;
      if (!this.#isStopped) this.#parts.onWork();
    });
  }

  /** Work at this time in place of the earlier one; undefined = at none. */
  planAt(timeMs: number | undefined): void {
    clearTimeout(this.#dueTimer);
    if (timeMs === undefined) return;
    this.#dueTimer = setTimeout(() => this.plan(), Math.max(0, Math.min(timeMs - this.#parts.now(), DUE_MS_MAX)));
  }

  stop(): void {
    this.#isStopped = true;
    this.#sweeps.stop();
    clearTimeout(this.#dueTimer);
  }
}
