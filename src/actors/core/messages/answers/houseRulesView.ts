// The answer to the question for an account's house rules.
import type { HouseRule, HouseRules } from '../../../../shared/domain/access/houseRules.ts';

/** A rule that was found broken. */
export interface Breach {
  readonly rule: HouseRule;
  readonly timeMs: number;
  /** Of `coins`. */
  readonly coin?: string;
  /** What was lost, USD, or how deep the drawdown was, percent. */
  readonly found?: string;
}

export interface HouseRulesView {
  readonly rules: HouseRules;
  /** Oldest first. */
  readonly breaches: readonly Breach[];
  /** Since the UTC day began, USD; negative = gained. Where the loss of a day is limited. */
  readonly lostUsd?: string;
  /** How far the account is below its peak, percent. Where that is limited. */
  readonly drawdownPercent?: string;
}
