// Sets the house rules of an account, or takes them away. They begin anew with it: the peak is what the account has gained by now, and
// nothing is broken but what is found broken at once. What was lost on this day was lost.
import type { Account } from '../../../actors/core/account/account.ts';
import { nextTurnMs } from '../../../actors/core/account/limits.ts';
import { type Decision, Draft } from '../../../actors/core/fold/draft.ts';
import { type Context, clockOf, type DuePart } from '../../../actors/core/fold/pipeline.ts';
import { resultOf } from '../../../actors/core/margin/drawdown.ts';
import type { AccountCommand } from '../../../actors/core/messages/command.ts';
import { noteCoin } from './accountLimits.ts';
import { dayBegun } from './keyLimits.ts';
import { watchAccountLimits } from './watchLimits.ts';

export function setAccountLimits(
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
  for (const coin of new Set(coinsOf(account))) {
    const event = noteCoin(draft.account, coin);
    if (event !== undefined) draft.record(event);
  }
  watchAccountLimits(draft, context);
  return draft.decision({ type: 'done' }, 0);
}

function coinsOf({ positions, orders, triggers, twaps }: Account): string[] {
  return [positions, orders, triggers, twaps].flatMap((open) => [...open.values()].map(({ coin }) => coin));
}

/** The hours of the rules begin or end: what was missed in between is not made up for. */
export const hoursTurn: DuePart = {
  nextMs: ({ house }) => nextTurnMs(house),
  run: (draft, context) => draft.record({ type: 'houseHoursTurned', turnedMs: clockOf(context) }),
};
