// The charges of requests: the cost to each subject, the decision about it, and the requests of one turn of the event loop that Redis
// counts together. A request may count in several windows at once: in those of its key and of its user. It is granted when there is room
// in all of them, and counts in all or in none.

import { groupedBy } from '../../../shared/domain/groups.ts';
import { shardOf } from '../../../shared/domain/shards.ts';

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

/** The caller's request limit in the current window. `resetMs` is a time in ms since the epoch. */
export interface LimitUsage {
  readonly used: number;
  readonly cap: number;
  readonly resetMs: number;
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

/** Windows in one script call: more would block Redis for others. */
const WINDOWS_PER_CALL = 500;

/** Requests of one turn of the event loop that are alike, because their charges are: they are counted together. */
export interface LikeRequests {
  readonly charges: readonly Charge[];
  readonly isForced: boolean;
  readonly resolvers: ((decision: ChargeDecision) => void)[];
}

/** Names of charges that come again with each request. */
const names = new WeakMap<readonly Charge[], string>();

/** Like requests have the same name. */
export function nameOf(charges: readonly Charge[], isForced: boolean): string {
  let name = names.get(charges);
  if (name === undefined) {
    name = charges.map(({ subject, cap, cost }) => `${subject} ${cap} ${cost}`).join(' ');
    names.set(charges, name);
  }
  return isForced ? `+${name}` : name;
}

/** Parts that are not too large for one call. */
export function inCalls(all: Iterable<LikeRequests>): LikeRequests[][] {
  let call: LikeRequests[] = [];
  const calls = [call];
  let windows = 0;
  for (const one of all) {
    if (windows + one.charges.length > WINDOWS_PER_CALL && call.length > 0) {
      call = [];
      calls.push(call);
      windows = 0;
    }
    call.push(one);
    windows += one.charges.length;
  }
  return calls;
}

/** Few enough that a turn of the event loop is a handful of calls, and enough for the nodes of a cluster to share. */
const PLACES = 16;

/**
 * Where windows stand on a cluster. One script call counts a request in all its windows or in none, so they share a slot; and
 * those of all callers are spread over slots, because one would make one node serve every request of the deployment.
 */
export const placeOf = ({ subject, weightOf, beside }: Charge): number => shardOf(beside ?? weightOf ?? subject, PLACES);

/** Requests whose windows stand at one place. */
export const byPlace = <Request extends { readonly charges: readonly Charge[] }>(all: Iterable<Request>): Iterable<Request[]> =>
  groupedBy(all, ({ charges: [first] }) => (first === undefined ? 0 : placeOf(first))).values();
