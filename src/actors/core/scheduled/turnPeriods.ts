// The UTC day by which losses are measured, and the hours of the house rules. They turn by the clock before anything else that the account
// does, whatever makes it act: a trade, a mark, funding or a command may come before the account is woken at midnight, and is of the new day.
import type { Account } from '../account/account.ts';
import { nextDayMs } from '../account/limits.ts';
import { dayBegun } from '../checks/checkKeyLimits.ts';
import { type Context, clockOf } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { nextHoursMs, turnHours } from '../house/setHouseRules.ts';

/** When the next of them turns, ms; infinite where the account has none. */
export function nextPeriodMs(account: Account): number {
  const { dayStart, house } = account;
  if (dayStart === undefined && house === undefined) return Number.POSITIVE_INFINITY;
  return Math.min(nextDayMs(dayStart) ?? Number.POSITIVE_INFINITY, nextHoursMs(account) ?? Number.POSITIVE_INFINITY);
}

/** Turns what is over by now. To be called before anything is judged. */
export function turnPeriods(draft: Draft, context: Context): void {
  const { account } = draft;
  const clockMs = clockOf(context);
  if (nextPeriodMs(account) > clockMs) return;
  if ((nextDayMs(account.dayStart) ?? Number.POSITIVE_INFINITY) <= clockMs) draft.record(dayBegun(account, context));
  if ((nextHoursMs(account) ?? Number.POSITIVE_INFINITY) <= clockMs) turnHours(draft, context);
}
