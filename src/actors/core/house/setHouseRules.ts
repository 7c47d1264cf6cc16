// Sets the house rules of an account, or takes them away. They begin anew with it: the peak is what the account has gained by now, and
// nothing is broken but what is found broken at once. What was lost on this day was lost.
import type { Account } from '../account/account.ts';
import { nextTurnMs } from '../account/limits.ts';
import { noteCoin } from '../checks/checkHouseRules.ts';
import { dayBegun } from '../checks/checkKeyLimits.ts';
import { type Context, clockOf, type Decided, type Decision } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import { withLiquidation } from '../liquidation/checkLiquidation.ts';
import { resultOf } from '../margin/margin.ts';
import type { AccountCommand } from '../messages/command.ts';
import { carryPeak, watchHouse } from './watchHouse.ts';

export function setHouseRules(
  account: Account,
  { rules }: Extract<AccountCommand, { type: 'setHouseRules' }>,
  context: Context,
): Decision {
  const draft = new Draft(account, context.nowMs);
  if (rules === null) {
    if (account.house !== undefined) draft.record({ type: 'houseRulesSet', rules });
    return draft.decision({ type: 'done' }, 0);
  }
  if (rules.dailyLoss !== undefined && account.dayStart === undefined) draft.record(dayBegun(account, context));
  const peakUsd = resultOf(account, context.market).toString();
  draft.record({ type: 'houseRulesSet', rules, peakUsd, turnedMs: clockOf(context) });
  for (const coin of new Set(coinsOf(account))) noteCoin((event) => draft.record(event), draft.account, coin);
  watchHouse(draft, context);
  return draft.decision({ type: 'done' }, 0);
}

function coinsOf({ positions, orders, triggers, twaps }: Account): string[] {
  return [positions, orders, triggers, twaps].flatMap((open) => [...open.values()].map(({ coin }) => coin));
}

/** The hours of the rules begin or end: what was missed in between is not made up for. */
export function turnHours(draft: Draft, context: Context): void {
  draft.record({ type: 'houseHoursTurned', turnedMs: clockOf(context) });
}

/** When the account has to look at its hours again, ms. */
export const nextHoursMs = ({ house }: Account): number | undefined => nextTurnMs(house);

// What every decision leads to: a liquidation where a margin pool is below its maintenance margin, then what the house rules of the
// account want. An account without rules costs one comparison.

/** What was decided, and what follows from it; the same object where nothing does. */
export function withConsequences(account: Account, decided: Decided, context: Context): Decided {
  const settled = withLiquidation(account, decided, context);
  if (account.house === undefined || settled.events.length === 0) return settled;
  const draft = new Draft(account, context.nowMs, settled);
  carryPeak(account, draft, context);
  watchHouse(draft, context);
  return draft.events.length === settled.events.length ? settled : draft.decided;
}
