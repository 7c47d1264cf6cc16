// What an account does when a planned time has come. Due parts run in the order of their times, whether the clock
// wakes the account or a command that comes after a missed time; days and hours have turned before (turnPeriods.ts). The times are state,
// so a crash loses none, and the next owner of the account finds them due.
import { assert } from '../../../shared/domain/assert.ts';
import type { Account } from '../account/account.ts';
import { type Context, clockOf, type Decided } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import type { DuePart, Pipeline } from '../fold/pipeline.ts';
import { withConsequences } from '../house/setHouseRules.ts';
import { nextPeriodMs, turnPeriods } from './turnPeriods.ts';

/** Earliest time at which the account wants to be woken, ms, or undefined when it plans nothing. */
export function nextDueMs(account: Account, features: Pipeline): number | undefined {
  const dueMs = Math.min(nextPeriodMs(account), earliest(account, features)?.dueMs ?? Number.POSITIVE_INFINITY);
  return dueMs === Number.POSITIVE_INFINITY ? undefined : dueMs;
}

/** Events of all that is due by the clock; none when it is too early. */
export function decideDue(account: Account, context: Context, features: Pipeline): Decided {
  const first = nextDueMs(account, features);
  const clockMs = clockOf(context);
  if (first === undefined || first > clockMs) return { events: [] };
  const draft = new Draft(account, context.nowMs);
  turnPeriods(draft, context);
  const next = () => earliest(draft.account, features);
  for (let due = next(); due && due.dueMs <= clockMs; due = next()) {
    const eventsBefore = draft.events.length;
    due.part.run(draft, context, due.dueMs);
    assert(draft.events.length > eventsBefore, `nothing came of what was due at ${due.dueMs}, it would be due for ever`);
  }
  return withConsequences(account, draft.decided, context);
}

function earliest(account: Account, { due }: Pipeline): { readonly part: DuePart; readonly dueMs: number } | undefined {
  let first: { readonly part: DuePart; readonly dueMs: number } | undefined;
  for (const part of due) {
    const dueMs = part.nextMs(account);
    if (dueMs !== undefined && (first === undefined || dueMs < first.dueMs)) first = { part, dueMs };
  }
  return first;
}
