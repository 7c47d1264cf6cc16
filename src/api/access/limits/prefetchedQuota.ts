// Requests that Redis has granted a subject in advance. A busy subject with a large limit takes as many as it used in the
// sub-window before, then as many as it has just used, so most of its requests need no call to Redis. They count from the
// moment they were taken, and may be spent only within that sub-window: no span of the window's length ever holds more than
// the limit. Unused ones stay counted.
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
  /** Units that came before, in the same sub-window. */
  readonly cameBefore: number;
}

export class PrefetchedQuota {
  readonly #bucketMs: number;
  readonly #quotas = new Map<string, Quota>();

  /** @param bucketMs width of a sub-window */
  constructor(bucketMs: number) {
    this.#bucketMs = bucketMs;
  }

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

  /** How much to take in advance: the rest of what came in the sub-window before; within the same one, as much as since the last time. */
  wanted(subject: string, { cap, came, nowMs }: { cap: number; came: number; nowMs: number }): number {
    const most = Math.floor(cap / SHARE_OF_LIMIT);
    const quota = most === 0 ? undefined : this.#quotas.get(subject);
    if (quota === undefined || nowMs >= quota.endsAtMs + this.#bucketMs) return 0;
    const cameInAll = quota.cameBefore + quota.came;
    return nowMs < quota.endsAtMs ? Math.min(most, quota.came + came) : Math.min(most, Math.max(0, cameInAll - came));
  }

  /** Keeps a quota. Unused units of the one before stay counted. */
  take(
    subject: string,
    { cap, endsAtMs, resetMs, used, left, came, nowMs }: Omit<Quota, 'cameBefore'> & { readonly nowMs: number },
  ): void {
    if (Math.floor(cap / SHARE_OF_LIMIT) === 0) return;
    const before = this.#quotas.get(subject);
    const cameBefore = before !== undefined && nowMs < before.endsAtMs ? before.cameBefore + before.came : 0;
    if (this.#quotas.size >= SUBJECTS_MAX && before === undefined) {
      const [oldest] = this.#quotas.keys();
      if (oldest !== undefined) this.#quotas.delete(oldest);
    }
    this.#quotas.set(subject, { cap, endsAtMs, resetMs, used, left, came, cameBefore });
  }
}
