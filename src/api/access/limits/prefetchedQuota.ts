// Requests that Redis has granted a subject in advance. A busy subject with a large limit takes as many as it has
// just used, so most of its requests need no call to Redis. They count from the moment they were taken, and may be
// spent only within that sub-window: no span of the window's length ever holds more than the limit. Unused ones stay
// counted.
import type { LimitUsage } from '../../accounts/services.ts';
import type { Charge } from './charge.ts';

/** Share of a limit that a node may hold at once; a limit below this is always counted one by one. */
const SHARE_OF_LIMIT = 20_000;
/** Subjects with a quota; past it the oldest are dropped, which costs them a call to Redis. */
const SUBJECTS_MAX = 10_000;

interface Quota {
  readonly cap: number;
  /** Milliseconds since the epoch, by this node's clock. */
  readonly endsAtMs: number;
  readonly resetMs: number;
  /** Units of the subject in the window, including those spent from this quota. */
  used: number;
  left: number;
  /** Units that came with the quota and since. */
  came: number;
}

export class PrefetchedQuota {
  readonly #quotas = new Map<string, Quota>();

  /** Spends what a request costs, if enough is left in the quotas of all its windows. @returns the windows' usage */
  spend(charges: readonly Charge[], nowMs: number): LimitUsage[] | undefined {
    const quotas: Quota[] = [];
    for (const { subject, cap, cost } of charges) {
      const quota = this.#quotas.get(subject);
      if (quota === undefined || quota.cap !== cap || quota.left < cost || nowMs >= quota.endsAtMs) return undefined;
      quotas.push(quota);
    }
    return quotas.map((quota, i) => {
      const cost = charges[i]?.cost ?? 0;
      quota.left -= cost;
      quota.used += cost;
      quota.came += cost;
      return { used: quota.used, cap: quota.cap, resetMs: quota.resetMs };
    });
  }

  /** How much to take in advance: as much as came since the last time, within the same sub-window. */
  wanted(subject: string, { cap, came, nowMs }: { cap: number; came: number; nowMs: number }): number {
    const most = Math.floor(cap / SHARE_OF_LIMIT);
    if (most === 0) return 0;
    const quota = this.#quotas.get(subject);
    return quota === undefined || nowMs >= quota.endsAtMs ? 0 : Math.min(most, quota.came + came);
  }

  /** Keeps a quota. Unused units of the one before stay counted. */
  take(
    subject: string,
    { cap, endsAtMs, resetMs, used, left, came }: Pick<Quota, 'cap' | 'endsAtMs' | 'resetMs' | 'used' | 'left' | 'came'>,
  ): void {
    if (Math.floor(cap / SHARE_OF_LIMIT) === 0) return;
    if (this.#quotas.size >= SUBJECTS_MAX && !this.#quotas.has(subject)) {
      const [oldest] = this.#quotas.keys();
      if (oldest !== undefined) this.#quotas.delete(oldest);
    }
    this.#quotas.set(subject, { cap, endsAtMs, resetMs, used, left, came });
  }
}
