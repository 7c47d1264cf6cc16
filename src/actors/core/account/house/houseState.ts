// What an account remembers of its house rules: the rules, the highest that it has gained under them, and which are broken. It is state
// made of journalled events, so a restart judges as before.

import type { HouseRule, HouseRules, RuleAct } from '../../../../shared/domain/access/houseRules.ts';
import type { Decimal } from '../../../../shared/domain/decimal.ts';
import { ZERO } from '../../../../shared/domain/decimal.ts';
import { DAY_MS, MINUTE_MS } from '../../../../shared/domain/units.ts';
import type { Breach } from '../../messages/answers/houseRulesView.ts';

export interface HouseState {
  readonly rules: HouseRules;
  /** The highest that the account has gained under the rules, USD: its value less deposits. */
  readonly peakUsd: Decimal;
  /** How much of its peak the account was when the last of its money went; until money comes again. */
  readonly shareKept?: Decimal | undefined;
  /** Up to when beginnings and ends of the hours have been seen. */
  readonly turnedMs: number;
  /** Oldest first; one of each rule, of `coins` one of each coin. */
  readonly breaches: readonly Breach[];
}

export const actOf = ({ rules }: HouseState, rule: HouseRule): RuleAct | undefined => rules[rule]?.act;

export const breachOf = ({ breaches }: HouseState, rule: HouseRule, coin?: string): Breach | undefined =>
  breaches.find((breach) => breach.rule === rule && breach.coin === coin);

export const withoutBreaches = (house: HouseState, rule: HouseRule): HouseState => ({
  ...house,
  breaches: house.breaches.filter((breach) => breach.rule !== rule),
});

/** After a reset the account has gained nothing. What is broken stays so: a key may reset an account, and lifts no rule of its owner by it. */
export const houseAfterReset = (house: HouseState): HouseState => ({ ...house, peakUsd: ZERO });

export type Hours = NonNullable<HouseRules['hours']>;

export function isOutside({ fromMinute, toMinute }: Hours, timeMs: number): boolean {
  const minute = Math.floor((timeMs % DAY_MS) / MINUTE_MS);
  if (fromMinute < toMinute) return minute < fromMinute || minute >= toMinute;
  return minute >= toMinute && minute < fromMinute;
}

/** When the hours next begin or end, ms; undefined without hours. */
export function nextTurnMs(house: HouseState | undefined): number | undefined {
  const hours = house?.rules.hours;
  if (house === undefined || hours === undefined) return undefined;
  const dayMs = house.turnedMs - (house.turnedMs % DAY_MS);
  const turns = [hours.fromMinute, hours.toMinute].flatMap((minute) => {
    const todayMs = dayMs + minute * MINUTE_MS;
    return [todayMs, todayMs + DAY_MS];
  });
  return Math.min(...turns.filter((turnMs) => turnMs > house.turnedMs));
}
