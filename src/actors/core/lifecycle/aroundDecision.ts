// The steps around every decision. Before a decision periods turn by the clock, and due work runs. After it come its consequences: a
// liquidation, and the acts of the account's limits. The times are state, so a crash loses none, and the next owner of the account finds
// them due.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { assert } from '../../../shared/domain/assert.ts';
import type { Account } from '../account/account.ts';
import { type Decided, Draft } from '../fold/draft.ts';
import { type Context, clockOf, type DuePart, type Pipeline } from '../fold/pipeline.ts';
import { withLiquidation } from '../liquidation/checkLiquidation.ts';
import type { WakePrice } from '../margin/wakePrices.ts';

/** Whether no feature plans anything in the account: most accounts plan nothing, and need not be asked for a time. */
export const plansNothing = ({ scheduledCancel, twaps, lab, dayStart, house }: Account): boolean =>
  scheduledCancel.dueMs === undefined && twaps.size === 0 && lab === undefined && dayStart === undefined && house === undefined;

/** Earliest time at which the account wants to be woken, ms, or undefined when it plans nothing. */
export function nextDueMs(account: Account, { periods, due }: Pipeline): number | undefined {
  if (plansNothing(account)) return undefined;
  const [period, planned] = [earliest(account, periods), earliest(account, due)];
  if (period === undefined || planned === undefined) return (period ?? planned)?.dueMs;
  return Math.min(period.dueMs, planned.dueMs);
}

/** Events of all that is due by the clock; none when it is too early. Due parts run in the order of their times. */
export function decideDue(account: Account, context: Context): Decided {
  const first = nextDueMs(account, context.pipeline);
  const clockMs = clockOf(context);
  if (first === undefined || first > clockMs) return { events: [] };
  const draft = new Draft(account, context.nowMs);
  turnPeriods(draft, context);
  const next = () => earliest(draft.account, context.pipeline.due);
  for (let due = next(); due && due.dueMs <= clockMs; due = next()) {
    const eventsBefore = draft.events.length;
    due.part.run(draft, context, due.dueMs);
    assert(draft.events.length > eventsBefore, `nothing came of what was due at ${due.dueMs}, it would be due for ever`);
  }
  return withConsequences(account, draft.decided, context);
}

function earliest(account: Account, parts: readonly DuePart[]): { readonly part: DuePart; readonly dueMs: number } | undefined {
  let first: { readonly part: DuePart; readonly dueMs: number } | undefined;
  for (const part of parts) {
    const dueMs = part.nextMs(account);
    if (dueMs !== undefined && (first === undefined || dueMs < first.dueMs)) first = { part, dueMs };
  }
  return first;
}

/**
 * Turns the periods that are over by now. Every decision calls it first: a trade, a mark, funding or a command may come before the clock wakes
 * the account at midnight, and belongs to the new day.
 */
export function turnPeriods(draft: Draft, context: Context): void {
  const { account } = draft;
  if (account.dayStart === undefined && account.house === undefined) return;
  const clockMs = clockOf(context);
  for (const period of context.pipeline.periods) {
    const turnMs = period.nextMs(account);
    if (turnMs !== undefined && turnMs <= clockMs) period.run(draft, context, turnMs);
  }
}

/** What was decided, and what follows from it; the same object where nothing does. */
export function withConsequences(account: Account, decided: Decided, context: Context): Decided {
  const settled = withLiquidation(account, decided, context);
  if (account.house === undefined || settled.events.length === 0) return settled;
  const draft = new Draft(account, context.nowMs, settled);
  for (const follow of context.pipeline.consequences) follow(account, draft, context);
  watchLimits(draft, context);
  return draft.events.length === settled.events.length ? settled : draft.decided;
}

/** Looks whether limits of the account are broken, and does what then follows. */
export function watchLimits(draft: Draft, context: Context): void {
  if (draft.account.house === undefined) return;
  for (const watch of context.pipeline.watches) watch(draft, context);
}

/** Marks at which the limits of the account have to be looked at. */
export function limitWakePrices(account: Account, market: MarketView, { wakePrices }: Pipeline): WakePrice[] {
  return account.house === undefined ? [] : wakePrices.flatMap((pricesOf) => pricesOf(account, market));
}
