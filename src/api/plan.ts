// What each plan includes (specification 2 and 8). Requests a minute are configuration, so that a load test can lift them.
import type { Config } from '../shared/config.ts';
import type { Plan } from './call.ts';

export interface PlanTerms {
  readonly apiKeysMax: number;
  /** Balance of a new or reset account, USD as decimal text. */
  readonly balanceUsd: string;
}

export const plans: Readonly<Record<Plan, PlanTerms>> = {
  basic: { apiKeysMax: 5, balanceUsd: '10000' },
  pro: { apiKeysMax: 10, balanceUsd: '100000' },
};

/** A new account starts with this, whatever its plan becomes: 10,000 USD (specification 2). */
export const OPENING_BALANCE_USD = plans.basic.balanceUsd;

/** Requests a minute that one API key of the plan may make. */
export function requestsPerMinute(plan: Plan, config: Config): number {
  return plan === 'pro' ? config.PLAN_PRO_REQUESTS_PER_MINUTE : config.PLAN_BASIC_REQUESTS_PER_MINUTE;
}
