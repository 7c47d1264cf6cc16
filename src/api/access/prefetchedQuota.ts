// Requests that Redis has granted a subject before they came. A busy subject with a large limit takes as many as it has just
// used, so most of its requests ask nobody. They count from when they were taken, and may be spent only while that bucket of
// the window lasts: no span of the window's length ever holds more than the limit. What is left over stays counted.
import type { LimitUsage } from '../accounts/services.ts';

/** Share of a limit that a node may hold at once; a limit below this is always counted one by one. */
const SHARE_OF_LIMIT = 20_000;
/** Subjects with grants in hand; past it the oldest are forgotten, which costs them a question to Redis. */
const SUBJECTS_MAX = 10_000;

interface Quota {
  readonly cap: number;
  /** Milliseconds since the epoch, by this node's clock. */
  readonly endsAtMs: number;
  readonly resetMs: number;
  /** Requests of the subject in the window, with those that were spent of these. */
  used: number;
  left: number;
  /** Requests that came since the hand was taken, and the ones it was taken with. */
  came: number;
}

export class PrefetchedQuota {
  readonly #quotas = new Map<string, Quota>();

  /** One of the subject's grants, if there is one left. */
  spend(subject: string, cap: number, nowMs: number): LimitUsage | undefined {
    const quota = this.#quotas.get(subject);
    if (quota === undefined || quota.cap !== cap || quota.left === 0 || nowMs >= quota.endsAtMs) return undefined;
    quota.left -= 1;
    quota.used += 1;
    quota.came += 1;
    return { used: quota.used, cap, resetMs: quota.resetMs };
  }

  /** How many to take beside those that came: as many as came since the last time, within the same bucket. */
  wanted(subject: string, { cap, came, nowMs }: { cap: number; came: number; nowMs: number }): number {
    const most = Math.floor(cap / SHARE_OF_LIMIT);
    if (most === 0) return 0;
    const quota = this.#quotas.get(subject);
    return quota === undefined || nowMs >= quota.endsAtMs ? 0 : Math.min(most, quota.came + came);
  }

  /** Keeps what was taken; an earlier hand's rest stays counted. */
  take(
    subject: string,
    { came, ...taken }: Pick<Quota, 'cap' | 'endsAtMs' | 'resetMs' | 'used' | 'left'> & { came: number },
  ): void {
    if (Math.floor(taken.cap / SHARE_OF_LIMIT) === 0) return;
    if (this.#quotas.size >= SUBJECTS_MAX && !this.#quotas.has(subject)) {
      const [oldest] = this.#quotas.keys();
      if (oldest !== undefined) this.#quotas.delete(oldest);
    }
    this.#quotas.set(subject, { ...taken, came });
  }
}
