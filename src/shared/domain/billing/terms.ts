// The terms of a wish for a plan: what it means for a user with or without paid time, and what it costs. A user buys
// a better plan for the time that is left; a lesser plan begins when the paid time ends (docs/users.md has the
// table).
import { addMonths, monthsBetween } from '../calendar.ts';
import { type Plan, plans } from '../plan.ts';
import {
  isAbove,
  lastPlanOf,
  monthsOf,
  type PaidPeriod,
  type PlanSubscription,
  periodCents,
  subscriptionAt,
} from './subscription.ts';

export interface PlanWish {
  readonly plan: Plan;
  readonly period: PaidPeriod;
}

/**
 * The effect of a payment. `period`: adds the period after the paid time. `lift`: turns the paid time that is left into the
 * better plan, and adds none. `anew`: begins the period now, because the value of the time left has been taken off.
 */
export type InvoiceKind = 'period' | 'lift' | 'anew';

export interface PriceTerms {
  readonly kind: InvoiceKind;
  /** Before any discount, cents. */
  readonly priceCents: number;
  /** For `lift` and `anew`: the end of the paid time that the price was made for, ms. Paid time of another end refuses it. */
  readonly paidUntilMs?: number;
  /** True when history of the better plan will be removed: the user has to confirm it. */
  readonly losesHistory: boolean;
}

export function termsOf(given: PlanSubscription, { plan, period }: PlanWish, nowMs: number): PriceTerms {
  const subscription = subscriptionAt(given, nowMs);
  const { endMs, next } = subscription;
  const last = lastPlanOf(subscription);
  const losesHistory = plans[plan].historyDays < plans[last].historyDays;
  const full = { kind: 'period', priceCents: periodCents(plan, period), losesHistory } as const;
  if (endMs === null || endMs <= nowMs || !isAbove(plan, last)) return full;

  const lowerFromMs = Math.max(nowMs, next?.fromMs ?? nowMs);
  if (period === 'year' && addMonths(nowMs, monthsOf.year) > endMs) {
    const unused = next === undefined ? 0 : valueCents(plans[subscription.plan].monthCents, nowMs, next.fromMs);
    const creditCents = unused + valueCents(plans[last].monthCents, lowerFromMs, endMs);
    return { kind: 'anew', priceCents: Math.max(0, full.priceCents - creditCents), paidUntilMs: endMs, losesHistory };
  }
  const differenceCents = plans[plan].monthCents - plans[last].monthCents;
  return { kind: 'lift', priceCents: valueCents(differenceCents, lowerFromMs, endMs), paidUntilMs: endMs, losesHistory };
}

/** The price of a stretch of time at so much a month, in proportion within a month; to the nearest cent, half up. */
function valueCents(monthCents: number, fromMs: number, untilMs: number): number {
  const { whole, restMs, monthMs } = monthsBetween(fromMs, untilMs);
  return whole * monthCents + Math.floor((2 * monthCents * restMs + monthMs) / (2 * monthMs));
}

/** Money of invoices is whole US cents inside, decimal text with two places outside: `2000` → `"20.00"`. */
export const centsText = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

/** `"20"`, `"20.5"` or `"20.50"` → cents; undefined for any other text. */
export function readCents(text: string): number | undefined {
  const parts = /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text);
  return parts === null ? undefined : Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0'));
}
