// How long a pod may believe in a lease by itself. A pod that Redis does not answer any more cannot see its lease run
// out, so it knows by its own monotonic clock when each lease must have ended there, and stops before.
import { RetryableError } from '../../../shared/errors.ts';

/** Part of a lease's life that is not used: two clocks do not run at exactly the same speed. */
const SLACK = 0.05;

export class LeaseTerm {
  readonly #believedMs: number;
  #endsAt: number;

  /** @param askedAt when the request that took the lease was sent, by `performance.now()`: its life in Redis began later */
  constructor(ttlMs: number, askedAt: number) {
    this.#believedMs = ttlMs * (1 - SLACK);
    this.#endsAt = askedAt + this.#believedMs;
  }

  /** False when the lease may have ended in Redis: what is decided from now on may never count. */
  get isRunning(): boolean {
    return performance.now() < this.#endsAt;
  }

  /**
   * Call it at once before each write into MongoDB, which has no token to refuse one of an earlier owner: none begins later than a
   * lease's life after another pod has taken the shard (journalLoss.ts waits so long).
   * @throws {RetryableError} when the lease may have ended in Redis
   */
  readonly requireRunning = (): void => {
    if (!this.isRunning) throw new RetryableError('The lease may have ended: nothing is written into MongoDB under it.');
  };

  /**
   * @param askedAt when the renewal was first sent, by `performance.now()`
   * @returns whether it had ended meanwhile: what was to be decided then has waited
   */
  renewed(askedAt: number): boolean {
    const hadEnded = !this.isRunning;
    this.#endsAt = askedAt + this.#believedMs;
    return hadEnded;
  }
}
