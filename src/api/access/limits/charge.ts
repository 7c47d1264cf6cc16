// What a request costs one of its subjects, and what became of it. A request may count in several windows at once: in
// those of its key and of its user. It is granted when there is room in all of them, and counts in all or in none.
import type { LimitUsage } from '../../accounts/services.ts';

export interface Charge {
  /** Names the window, e.g. `key:<id>` or `address:<network>`. */
  readonly subject: string;
  /** For a window of weights: whose requests are counted beside it, e.g. `key:<id>` for `weight:key:<id>`. */
  readonly weightOf?: string;
  /** The subject at whose place its window stands on a cluster, always the same: one that the request counts in beside it. */
  readonly beside?: string;
  /** What may be used in a window. */
  readonly cap: number;
  /** Whole number, 1 or more. */
  readonly cost: number;
}

export interface RateLimitDecision extends LimitUsage {
  readonly isGranted: boolean;
}

export interface ChargeDecision {
  readonly isGranted: boolean;
  /** Of each charge, in their order. `resetMs` of a window that has refused: when there is room for the cost again. */
  readonly windows: readonly LimitUsage[];
  /** Number of the first charge without room. */
  readonly refusedBy?: number;
}

/** Decides from what is used now, before the cost is added: the windows as they are after a grant, or as they stay. */
export function decided(
  charges: readonly Charge[],
  usage: readonly { readonly used: number; readonly resetMs: number }[],
  isForced = false,
): ChargeDecision {
  const full = isForced ? -1 : charges.findIndex(({ cap, cost }, i) => (usage[i]?.used ?? 0) + cost > cap);
  const windows = charges.map(({ cap, cost }, i) => {
    const { used = 0, resetMs = 0 } = usage[i] ?? {};
    return { used: full === -1 ? used + cost : used, cap, resetMs };
  });
  return full === -1 ? { isGranted: true, windows } : { isGranted: false, windows, refusedBy: full };
}
