// What an account does when a planned time has come. Due parts run in the order of their times, whether the clock
// wakes the account or a command that comes after a missed time; days and hours have turned before (turnPeriods.ts). The times are state,
// so a crash loses none, and the next owner of the account finds them due.
import { assert } from '../../../shared/domain/assert.ts';
import type { Account } from '../account/account.ts';
import { firstDelayed, firstHeld } from '../account/labState.ts';
import { nextSliceMs } from '../account/twap.ts';
import { type Context, clockOf, type Decided } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import { withConsequences } from '../house/setHouseRules.ts';
import { decideDelayed, letGo } from './labActions.ts';
import { fireScheduledCancel } from './setScheduledCancel.ts';
import { nextPeriodMs, turnPeriods } from './turnPeriods.ts';
import { sendDueSlices } from './twapSlice.ts';

/** One thing that an account does at a time that its state names: when, and what. */
interface DuePart {
  /** Earliest time at which there is something to do, ms; undefined = nothing is planned. */
  nextMs(account: Account): number | undefined;
  /**
   * Does what is due at `dueMs` and records its turn, also when nothing could be done: it is not due again at the
   * same time.
   */
  run(draft: Draft, context: Context, dueMs: number): void;
}

/** Of two that are due at the same time the earlier in this list is first. */
const PARTS: readonly DuePart[] = [
  { nextMs: (account) => account.scheduledCancel.dueMs, run: fireScheduledCancel },
  { nextMs: earliestSliceMs, run: sendDueSlices },
  { nextMs: ({ lab }) => lab && firstDelayed(lab)?.dueMs, run: decideDelayed },
  { nextMs: ({ lab }) => (lab && firstHeld(lab)?.untilMs) ?? undefined, run: letGo },
];

/** Earliest time at which the account wants to be woken, ms, or undefined when it plans nothing. */
export function nextDueMs(account: Account): number | undefined {
  const dueMs = Math.min(nextPeriodMs(account), earliest(account)?.dueMs ?? Number.POSITIVE_INFINITY);
  return dueMs === Number.POSITIVE_INFINITY ? undefined : dueMs;
}

/** Events of all that is due by the clock; none when it is too early. */
export function decideDue(account: Account, context: Context): Decided {
  const first = nextDueMs(account);
  const clockMs = clockOf(context);
  if (first === undefined || first > clockMs) return { events: [] };
  const draft = new Draft(account, context.nowMs);
  turnPeriods(draft, context);
  for (let next = earliest(draft.account); next && next.dueMs <= clockMs; next = earliest(draft.account)) {
    const eventsBefore = draft.events.length;
    next.part.run(draft, context, next.dueMs);
    assert(draft.events.length > eventsBefore, `nothing came of what was due at ${next.dueMs}, it would be due for ever`);
  }
  return withConsequences(account, draft.decided, context);
}

function earliest(account: Account): { readonly part: DuePart; readonly dueMs: number } | undefined {
  let first: { readonly part: DuePart; readonly dueMs: number } | undefined;
  for (const part of PARTS) {
    const dueMs = part.nextMs(account);
    if (dueMs !== undefined && (first === undefined || dueMs < first.dueMs)) first = { part, dueMs };
  }
  return first;
}

/** Of all running TWAPs. */
function earliestSliceMs({ twaps }: Account): number | undefined {
  let earliestMs: number | undefined;
  for (const twap of twaps.values()) {
    if (twap.isWaiting) continue;
    const dueMs = nextSliceMs(twap);
    if (earliestMs === undefined || dueMs < earliestMs) earliestMs = dueMs;
  }
  return earliestMs;
}
