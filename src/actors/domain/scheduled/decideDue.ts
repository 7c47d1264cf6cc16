import { assert } from '../../../shared/domain/assert.ts';
import type { Account } from '../account/account.ts';
import { Draft } from '../fold/draft.ts';
import { withLiquidation } from '../liquidation/checkLiquidation.ts';
import type { Context } from '../messages/decision.ts';
import type { AccountEvent } from '../messages/event.ts';
import { scheduledCancelDue } from './setScheduledCancel.ts';
import { twapSliceDue } from './twapSlice.ts';

export interface DuePart {
  /** Earliest time at which there is something to do, ms; undefined = nothing is planned. */
  nextMs(account: Account): number | undefined;
  /**
   * Does one thing that is due, the first of them, and records that it had its turn, also when nothing could be done: it is
   * not due again at the same time.
   */
  run(draft: Draft, context: Context): void;
}

/** Of two that are due at the same time the earlier in this list is first. */
const PARTS: readonly DuePart[] = [scheduledCancelDue, twapSliceDue];

/** Earliest time at which the account wants to be woken, ms, or undefined when it plans nothing. */
export function nextDueMs(account: Account): number | undefined {
  return earliest(account)?.dueMs;
}

/** Events of all that is due by `context.nowMs`; none when it is too early. */
export function decideDue(account: Account, context: Context): readonly AccountEvent[] {
  const first = nextDueMs(account);
  if (first === undefined || first > context.nowMs) return [];
  const draft = new Draft(account, context.nowMs);
  for (let next = earliest(account); next && next.dueMs <= context.nowMs; next = earliest(draft.account)) {
    const eventsBefore = draft.events.length;
    next.part.run(draft, context);
    assert(draft.events.length > eventsBefore, `nothing came of what was due at ${next.dueMs}, it would be due for ever`);
  }
  return withLiquidation(account, draft.events, context);
}

function earliest(account: Account): { readonly part: DuePart; readonly dueMs: number } | undefined {
  let first: { readonly part: DuePart; readonly dueMs: number } | undefined;
  for (const part of PARTS) {
    const dueMs = part.nextMs(account);
    if (dueMs !== undefined && (first === undefined || dueMs < first.dueMs)) first = { part, dueMs };
  }
  return first;
}
