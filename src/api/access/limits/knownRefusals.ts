// Windows that have no room for sure, as Redis has told: nothing can change there until the oldest of it leaves, so a
// request that costs as much is refused without asking Redis again.
import type { LimitUsage } from '../../accounts/services.ts';
import type { Charge } from './charge.ts';

/** Windows in memory; past it the oldest are dropped, which costs one call to Redis. */
const SUBJECTS_MAX = 10_000;

interface Refused extends LimitUsage {
  /** A request that costs as much or more is refused. */
  readonly cost: number;
}

export class KnownRefusals {
  readonly #refused = new Map<string, Refused>();

  /** The window of a charge, when it has no room for its cost. */
  find({ subject, cap, cost }: Charge, nowMs: number): Refused | undefined {
    const refused = this.#refused.get(subject);
    if (refused === undefined) return undefined;
    if (refused.cap === cap && nowMs < refused.resetMs) return cost >= refused.cost ? refused : undefined;
    this.#refused.delete(subject);
    return undefined;
  }

  /** Number of the first charge without room; -1 where none is known. */
  findIndex(charges: readonly Charge[], nowMs: number): number {
    return this.#refused.size === 0 ? -1 : charges.findIndex((charge) => this.find(charge, nowMs) !== undefined);
  }

  remember(subject: string, refused: Refused): void {
    if (this.#refused.size >= SUBJECTS_MAX) {
      const [oldest] = this.#refused.keys();
      if (oldest !== undefined) this.#refused.delete(oldest);
    }
    this.#refused.set(subject, refused);
  }
}
