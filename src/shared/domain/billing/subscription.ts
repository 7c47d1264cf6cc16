// The paid time of a user: one plan until an end, and at most one plan change on the way there. This file knows no
// invoices and no money. Times are ms since the epoch.
import { type Plan, plans } from '../plan.ts';

export type PaidPeriod = 'month' | 'year';

/** A year costs, and lasts, twelve months. */
export const monthsOf: Readonly<Record<PaidPeriod, number>> = { month: 1, year: 12 };

/** The price of a period before any discount, cents. */
export const periodCents = (plan: Plan, period: PaidPeriod): number => plans[plan].monthCents * monthsOf[period];

export interface PlanSubscription {
  readonly plan: Plan;
  /** The plan from a time on that lies before `endMs`; absent = `plan` until the end. */
  readonly next?: { readonly plan: Plan; readonly fromMs: number };
  /** End of the paid time; null = never paid. */
  readonly endMs: number | null;
}

/** The subscription as it stands at a time: a change of plan whose time has come has happened. */
export function subscriptionAt({ plan, next, endMs }: PlanSubscription, nowMs: number): PlanSubscription {
  if (next === undefined) return { plan, endMs };
  return nowMs < next.fromMs ? { plan, next, endMs } : { plan: next.plan, endMs };
}

/** The plan that the paid time ends with. */
export const lastPlanOf = ({ plan, next }: PlanSubscription): Plan => next?.plan ?? plan;

/** True when the plan costs more than the other. */
export const isAbove = (plan: Plan, other: Plan): boolean => plans[plan].monthCents > plans[other].monthCents;

// Whether an account is paid for, judged by the clock alone. No process has to mark an account when its trial ends,
// so every node refuses it at the same moment, whether the jobs run or not.

export type SubscriptionState = 'trial' | 'active' | 'past_due' | 'expired';

/** Times in ms since the epoch. */
export interface PaidUntil {
  readonly trialExpiresAtMs: number;
  /** End of the paid time; null = never paid. */
  readonly subscriptionExpiresAtMs: number | null;
  /** How long an account may trade after the paid time, ms. A trial has no grace. */
  readonly graceMs: number;
}

/** `past_due`: the paid time is over and the grace is not. Only `expired` may not trade. */
export function subscriptionStateOf(
  { trialExpiresAtMs, subscriptionExpiresAtMs, graceMs }: PaidUntil,
  nowMs: number,
): SubscriptionState {
  if (subscriptionExpiresAtMs !== null && nowMs < subscriptionExpiresAtMs) return 'active';
  if (nowMs < trialExpiresAtMs) return 'trial';
  return subscriptionExpiresAtMs !== null && nowMs < subscriptionExpiresAtMs + graceMs ? 'past_due' : 'expired';
}

/** When the account becomes, or became, `expired` without a further payment, ms since the epoch. */
export function expiryOf({ trialExpiresAtMs, subscriptionExpiresAtMs, graceMs }: PaidUntil): number {
  return subscriptionExpiresAtMs === null ? trialExpiresAtMs : Math.max(trialExpiresAtMs, subscriptionExpiresAtMs + graceMs);
}
