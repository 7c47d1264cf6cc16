// The knowledge that a node has of a window without a call to Redis: requests that Redis has granted in advance, and refusals that are
// sure.
import type { Charge, LimitUsage } from './charge.ts';

/** Share of a limit that a node may hold at once; a limit below this is always counted one by one. */
const SHARE_OF_LIMIT = 1000;
/** The smallest limit of which something is granted in advance. */
const LIMIT_MIN = 10_000;
/** Windows with a quota; past it the oldest are dropped, which costs them a call to Redis. */
const WINDOWS_MAX = 50_000;

/** Units of an advance, and the number of the sub-window in which they were counted. */
interface Advance {
  readonly units: number;
  readonly bucket: number;
}

/** What a call asks for in advance, and what it brings back. */
export interface InAdvance {
  readonly wanted: number;
  /** Of an advance before: it will never be used. */
  readonly returned?: Advance;
}

export const NOTHING: InAdvance = { wanted: 0 };

interface Quota {
  /** The limit that was in force. */
  readonly cap: number;
  /** When the count of what came began. */
  sinceMs: number;
  /** Units that came since then. */
  came: number;
  /** A call is under way: another one takes nothing in advance. */
  isAsking: boolean;
  /** Of the newest advance, with the number of the sub-window in which it was counted. */
  left: number;
  bucket: number;
  endsAtMs: number;
  /** Units in the window by Redis's last answer, without what is left, and with what was spent since. */
  used: number;
  resetMs: number;
}

/**
 * Requests that Redis has granted a subject in advance. A subject with a large limit takes as many as it used in the hold time before, so
 * most of its requests need no call to Redis. They count until a window after the end of the time in which they may be used: no span of
 * the window's length ever holds more than the limit. What is left goes back with the next call.
 */
export class PrefetchedQuota {
  readonly #holdMs: number;
  readonly #quotas = new Map<string, Quota>();

  /** @param holdMs how long units may be used */
  constructor(holdMs: number) {
    this.#holdMs = holdMs;
  }

  /**
   * Spends what a request costs, if enough is left in the quotas of all its windows.
   * @param at by a clock that never jumps, as `nowMs` below; and since the epoch
   * @returns the windows' usage
   */
  spend(charges: readonly Charge[], { steadyMs, nowMs }: { steadyMs: number; nowMs: number }): LimitUsage[] | undefined {
    const quotas: Quota[] = [];
    for (const { subject, cap, cost } of charges) {
      const quota = this.#quotas.get(subject);
      if (quota === undefined || quota.left < cost || quota.cap !== cap || steadyMs >= quota.endsAtMs) return undefined;
      quotas.push(quota);
    }
    return quotas.map((quota, i) => {
      const cost = charges[i]?.cost ?? 0;
      quota.left -= cost;
      quota.used += cost;
      quota.came += cost;
      return { used: quota.used, cap: quota.cap, resetMs: Math.max(quota.resetMs, nowMs) };
    });
  }

  /**
   * Before a call to Redis: what to take in advance, and what is left of the advance before. That is not spent any more.
   * @param requests in the call, each with this charge
   */
  turnOver({ subject, cap, cost: each }: Charge, requests: number, nowMs: number): InAdvance {
    if (cap < LIMIT_MIN) return NOTHING;
    const cost = requests * each;
    const quota = this.#quotas.get(subject);
    if (quota === undefined || nowMs >= quota.endsAtMs + this.#holdMs) {
      this.#begin(subject, cap, cost, nowMs);
      return NOTHING;
    }
    const returned = quota.left > 0 ? { units: quota.left, bucket: quota.bucket } : undefined;
    quota.left = 0;
    const isOver = nowMs >= quota.sinceMs + this.#holdMs;
    const came = isOver ? quota.came - cost : quota.came + cost;
    quota.came = isOver ? cost : came;
    if (isOver) quota.sinceMs = nowMs;
    const wanted = quota.isAsking ? 0 : Math.max(0, Math.min(Math.floor(cap / SHARE_OF_LIMIT), came));
    quota.isAsking = true;
    return { wanted, ...(returned && { returned }) };
  }

  /** Keeps what a call has granted in advance, with the window's usage without it. */
  take(subject: string, taken: Pick<Quota, 'cap' | 'left' | 'bucket' | 'endsAtMs' | 'used' | 'resetMs'>): void {
    const quota = this.#quotas.get(subject);
    if (quota === undefined) return;
    // Of two calls under way the first has asked for an advance, and the other one must not take it away.
    if (taken.left > 0 || quota.left === 0) Object.assign(quota, taken);
    quota.isAsking = false;
  }

  #begin(subject: string, cap: number, cost: number, nowMs: number): void {
    this.#quotas.delete(subject);
    if (this.#quotas.size >= WINDOWS_MAX) {
      const [oldest] = this.#quotas.keys();
      if (oldest !== undefined) this.#quotas.delete(oldest);
    }
    const nothing = { left: 0, bucket: 0, endsAtMs: nowMs + this.#holdMs, used: 0, resetMs: 0 };
    this.#quotas.set(subject, { cap, sinceMs: nowMs, came: cost, isAsking: true, ...nothing });
  }
}

/** Windows in memory; past it the oldest are dropped, which costs one call to Redis. */
const SUBJECTS_MAX = 10_000;

interface Refused extends LimitUsage {
  /** A request that costs as much or more is refused. */
  readonly cost: number;
}

/**
 * Windows that have no room for sure, as Redis has told: nothing can change there until the oldest of it leaves, so a
 * request that costs as much is refused without asking Redis again.
 */
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
