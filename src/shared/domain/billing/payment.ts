// The time that a payment gives a subscription, and the time that a refund or a dispute takes from it.

import { addMonths } from '../calendar.ts';
import type { Plan } from '../plan.ts';
import { isAbove, lastPlanOf, monthsOf, type PaidPeriod, type PlanSubscription, subscriptionAt } from './subscription.ts';
import type { InvoiceKind, PlanWish, PriceTerms } from './terms.ts';

type PaidFor = PlanWish & Pick<PriceTerms, 'kind' | 'paidUntilMs'>;

/**
 * The subscription after a payment. It depends on the subscription, the invoice and the time of the payment alone, so
 * a payment that is applied again after a crash gives the same result.
 * @param paidAtMs when the payment was seen, ms
 * @returns undefined when the payment can no longer buy anything and has to be refunded
 */
export function subscriptionAfter(given: PlanSubscription, paidFor: PaidFor, paidAtMs: number): PlanSubscription | undefined {
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

/** The time that one payment bought. Times are ms since the epoch. */
export interface PaidTime {
  readonly kind: InvoiceKind;
  readonly fromMs: number;
  readonly toMs: number;
  /** The subscription before the payment. */
  readonly before: PlanSubscription;
}

/** @param after what `subscriptionAfter` made of `before` */
export function paidTimeOf(before: PlanSubscription, after: PlanSubscription, kind: InvoiceKind, paidAtMs: number): PaidTime {
  const fromMs = kind === 'period' ? Math.max(paidAtMs, before.endMs ?? paidAtMs) : paidAtMs;
  return { kind, fromMs, toMs: after.endMs ?? fromMs, before };
}

/**
 * The time that a payment without a record bought: the time at the end. A user's document has the records of the newest payments only.
 * @param paidFor.paidUntilMs for `lift` and `anew`: the end of the time that had been paid for before
 */
export function assumedPaidTime(
  { endMs, plan }: PlanSubscription,
  { kind, period, paidUntilMs }: { kind: InvoiceKind; period: PaidPeriod; paidUntilMs?: number },
): PaidTime {
  const toMs = endMs ?? 0;
  const lower: Plan = kind === 'period' ? plan : 'basic';
  return {
    ...{ kind, toMs, fromMs: addMonths(toMs, -monthsOf[period]) },
    before: { plan: lower, endMs: kind === 'lift' ? toMs : (paidUntilMs ?? null) },
  };
}

/** The time that a payment bought, cut where something else took the place of the rest. */
export const usedUpAt = <T extends PaidTime>(time: T, atMs: number): T => ({
  ...time,
  ...{ fromMs: Math.min(time.fromMs, atMs), toMs: Math.min(time.toMs, atMs) },
});

interface Reversed {
  readonly subscription: PlanSubscription;
  /** The time that the other payments bought, as it lies now. */
  readonly others: readonly PaidTime[];
}

/**
 * The subscription after a payment was taken back: refunded by an operator, or disputed at the payer's bank. What the
 * payment bought and is not used up yet is removed; time that other payments bought stays.
 * @param others what the user's other payments bought
 * @param atMs when the payment was taken back
 */
export function subscriptionWithout(
  given: PlanSubscription,
  paid: PaidTime,
  { others, atMs }: { others: readonly PaidTime[]; atMs: number },
): Reversed {
  const { endMs, ...current } = subscriptionAt(given, atMs);
  // Time that is over or used up stays as it was.
  if (endMs === null || Math.min(endMs, paid.toMs) <= atMs) return { subscription: { ...current, endMs }, others };
  const { subscription, moved } = (paid.kind === 'period' ? withoutPeriod : withoutUpgrade)({ ...current, endMs }, paid, atMs);
  return { subscription, others: others.map((other) => movedTime(other, moved)) };
}

type Paid = PlanSubscription & { readonly endMs: number };
type Move = (timeMs: number) => number;

/** Time after the removed stretch moves up to where it began. */
const closingGap =
  (beginMs: number, removedMs: number): Move =>
  (timeMs) =>
    timeMs <= beginMs ? timeMs : Math.max(beginMs, timeMs - removedMs);

function movedTime({ kind, fromMs, toMs, before }: PaidTime, moved: Move): PaidTime {
  return { kind, fromMs: moved(fromMs), toMs: moved(toMs), before: movedSubscription(before, moved) };
}

function movedSubscription({ plan, next, endMs }: PlanSubscription, moved: Move): PlanSubscription {
  const movedEndMs = endMs === null ? null : moved(endMs);
  if (next === undefined || moved(next.fromMs) >= (movedEndMs ?? 0)) return { plan, endMs: movedEndMs };
  return { plan, endMs: movedEndMs, next: { plan: next.plan, fromMs: moved(next.fromMs) } };
}

function withoutPeriod(current: Paid, { fromMs, toMs }: PaidTime, atMs: number): { subscription: PlanSubscription; moved: Move } {
  const beginMs = Math.max(fromMs, atMs);
  const moved = closingGap(beginMs, Math.max(0, Math.min(toMs, current.endMs) - beginMs));
  return { subscription: subscriptionAt(movedSubscription(current, moved), atMs), moved };
}

/** The time that was upgraded has its earlier plan and end again. Time bought after it keeps the plan it was bought at. */
function withoutUpgrade(
  { plan, next, endMs }: Paid,
  { toMs, before }: PaidTime,
  atMs: number,
): { subscription: PlanSubscription; moved: Move } {
  const earlier = subscriptionAt(before, atMs);
  const earlierEndMs = Math.max(atMs, Math.min(earlier.endMs ?? atMs, endMs));
  const moved = closingGap(earlierEndMs, Math.max(0, toMs - earlierEndMs));
  const movedEndMs = earlierEndMs + Math.max(0, endMs - toMs);
  if (movedEndMs === earlierEndMs) return { subscription: movedSubscription({ ...earlier, endMs: earlierEndMs }, moved), moved };
  const last = next?.plan ?? plan;
  const lower = lastPlanOf(earlier);
  const isAllLast = earlierEndMs === atMs || lower === last;
  const subscription = isAllLast
    ? { plan: last, endMs: movedEndMs }
    : { plan: lower, next: { plan: last, fromMs: earlierEndMs }, endMs: movedEndMs };
  return { subscription, moved };
}
