// The dead man's switch (trading-rules 2.7): all open orders end at a time that the client keeps moving. Setting and
// removing it is free; only its firings are counted.
import type { Account } from '../../actors/core/account/account.ts';
import { firingsOn, withFiring } from '../../actors/core/account/scheduledCancel.ts';
import type { Decision, Draft } from '../../actors/core/fold/draft.ts';
import type { EvolveSteps } from '../../actors/core/fold/evolve.ts';
import { type CoinChange, type Context, clockOf, type DuePart } from '../../actors/core/fold/pipeline.ts';
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import { endOrders } from '../../actors/core/orders/endOrders.ts';

/** Earliest time from now that may be set, ms. */
const AHEAD_MS_MIN = 5000;
/** Firings in one UTC day. */
const FIRINGS_PER_DAY_MAX = 10;

const SCHEDULE_REFUSALS = {
  tooEarly: 'Scheduled cancel time too early, must be at least 5 seconds from now.',
  tooManyFirings: `Too many scheduled cancels triggered for the day. Limit is ${FIRINGS_PER_DAY_MAX}.`,
} as const;

/** Sets the switch to `dueMs`, instead of the time it had; without one it is removed. */
export function setScheduledCancel(
  account: Account,
  { dueMs }: Extract<AccountCommand, { type: 'scheduleCancel' }>,
  context: Context,
): Decision {
  const { nowMs } = context;
  const requests = 1;
  if (dueMs === undefined) {
    const events = account.scheduledCancel.dueMs === undefined ? [] : [{ type: 'cancelScheduled' } as const];
    return { events, outcome: { type: 'done' }, requests };
  }
  const refused = (text: string): Decision => ({ events: [], outcome: { type: 'refused', text }, requests });
  if (dueMs < clockOf(context) + AHEAD_MS_MIN) return refused(SCHEDULE_REFUSALS.tooEarly);
  if (firingsOn(account.scheduledCancel, nowMs) >= FIRINGS_PER_DAY_MAX) return refused(SCHEDULE_REFUSALS.tooManyFirings);
  return { events: [{ type: 'cancelScheduled', dueMs }], outcome: { type: 'done' }, requests };
}

/**
 * Fires it before a market change that happened when it was due already: a trade that comes while a new owner catches up
 * fills no order that would have ended before it. What happened earlier comes first.
 */
export function fireBefore(draft: Draft, change: CoinChange, context: Context): void {
  fireIfDue(draft, context, change.type === 'trades' ? (change.trades[0]?.timeMs ?? 0) : change.timeMs);
}

/** Fires it when it is due already, and was at `happenedMs`. */
export function fireIfDue(draft: Draft, context: Context, happenedMs = clockOf(context)): void {
  const { dueMs } = draft.account.scheduledCancel;
  if (dueMs !== undefined && dueMs <= Math.min(happenedMs, clockOf(context))) fireScheduledCancel(draft);
}

/** The time that was set. */
export const scheduledCancelDue: DuePart = { nextMs: (account) => account.scheduledCancel.dueMs, run: fireScheduledCancel };

/** Fires also when no order is open. Positions stay, and running TWAPs go on: they are no orders. */
function fireScheduledCancel(draft: Draft): void {
  draft.record({ type: 'scheduledCancelFired' });
  endOrders(draft, () => true, 'scheduledCancel');
}

export const scheduledCancelSteps: EvolveSteps<'cancelScheduled' | 'scheduledCancelFired'> = {
  cancelScheduled({ account }, { dueMs }) {
    account.scheduledCancel = { ...account.scheduledCancel, dueMs };
  },
  scheduledCancelFired({ account }, _, timeMs) {
    account.scheduledCancel = withFiring(account.scheduledCancel, timeMs);
  },
};
