// Which traces are recorded: a share of them by chance, and those whose client asks for it with `traceparent`, but only so many that no
// caller can make the service record what it likes.
import type { TraceParent } from './traceparent.ts';

/** Requests a second of one process that are recorded because their clients want it; the others are taken by chance like all. */
export const WANTED_PER_SECOND = 10;

export class Sampling {
  readonly #share: number;
  readonly #chance: () => number;
  readonly #nowMs: () => number;
  /** How many more are recorded because they are wanted. */
  #left = WANTED_PER_SECOND;
  #countedAtMs: number;

  /** @param share of all traces, 0 to 1 */
  constructor(share: number, chance = Math.random, nowMs: () => number = () => performance.now()) {
    this.#share = share;
    this.#chance = chance;
    this.#nowMs = nowMs;
    this.#countedAtMs = nowMs();
  }

  takes(sent?: TraceParent): boolean {
    if (this.#chance() < this.#share) return true;
    return sent?.isSampled === true && this.#takesWanted();
  }

  #takesWanted(): boolean {
    const nowMs = this.#nowMs();
    const regained = ((nowMs - this.#countedAtMs) / 1000) * WANTED_PER_SECOND;
    this.#countedAtMs = nowMs;
    this.#left = Math.min(WANTED_PER_SECOND, this.#left + regained);
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
