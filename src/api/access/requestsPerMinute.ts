// The requests and the weight per minute that a plan includes, as this deployment is configured.
import type { Config } from '../../shared/config/config.ts';
import type { Plan } from '../../shared/domain/plan.ts';

/** Requests a minute that one API key of the plan may make, or a user of the plan with access tokens. */
export function requestsPerMinute(plan: Plan, config: Config): number {
  return plan === 'pro' ? config.PLAN_PRO_REQUESTS_PER_MINUTE : config.PLAN_BASIC_REQUESTS_PER_MINUTE;
}

/** The weight of those requests together. */
export function weightPerMinute(plan: Plan, config: Config): number {
  return plan === 'pro' ? config.PLAN_PRO_WEIGHT_PER_MINUTE : config.PLAN_BASIC_WEIGHT_PER_MINUTE;
}
