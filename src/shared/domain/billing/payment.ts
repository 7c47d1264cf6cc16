// The subscription after a payment. It depends on the subscription, the invoice and the time of the payment alone, so
// a payment that is applied again after a crash gives the same result.
import { addMonths } from '../calendar.ts';
import { isAbove, lastPlanOf, monthsOf, type Subscription, subscriptionAt } from './subscription.ts';
import type { PlanWish, Terms } from './terms.ts';

export type PaidFor = PlanWish & Pick<Terms, 'kind' | 'paidUntilMs'>;

/**
 * @param paidAtMs when the payment was seen, ms
 * @returns undefined when the payment can no longer buy anything and has to be refunded
 */
export function subscriptionAfter(given: Subscription, paidFor: PaidFor, paidAtMs: number): Subscription | undefined {
  const { plan, period, kind, paidUntilMs } = paidFor;
  const subscription = subscriptionAt(given, paidAtMs);
  const { endMs } = subscription;
  const last = lastPlanOf(subscription);
  const months = monthsOf[period];
  const isPaid = endMs !== null && endMs > paidAtMs;

  if (kind !== 'period') {
    if (!isPaid || endMs !== paidUntilMs || !isAbove(plan, last)) return undefined;
    return { plan, endMs: kind === 'lift' ? endMs : addMonths(paidAtMs, months) };
  }
  if (!isPaid) return { plan, endMs: addMonths(paidAtMs, months) };
  if (isAbove(plan, last)) return undefined;
  const later = { ...subscription, endMs: addMonths(endMs, months) };
  return plan === last ? later : { ...later, next: { plan, fromMs: endMs } };
}
