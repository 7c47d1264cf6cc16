// What operators do by hand: grant a plan without payment, and pay an invoice of the test provider without its page.
import { usedUpAt } from '../domain/billing/payment.ts';
import type { Plan } from '../domain/plan.ts';
import type { User } from '../mongo/userStore.ts';
import { announcePlan, applyPayment } from './applyPayment.ts';
import type { Billing, BillingParts } from './billing.ts';

/**
 * Gives a user a plan until a time, in place of the paid time. No invoice follows at its end unless the user had paid.
 * @returns false when the user changed meanwhile: read the user again and repeat
 */
export async function grantPlan(
  parts: BillingParts,
  user: User,
  { plan, untilMs }: { plan: Plan; untilMs: number },
): Promise<boolean> {
  const nowMs = parts.now();
  // What was bought until now has been replaced: giving such a payment back takes nothing of the grant.
  const usedUp = (user.paidTimes ?? []).map((time) => usedUpAt(time, nowMs));
  if (!(await parts.subscriptions.set(user, { plan, endMs: untilMs }, usedUp))) return false;
  await announcePlan(parts, { ...user, plan }, 'operator');
  return true;
}

/**
 * Pays an invoice of the test provider.
 * @returns `paid`, also when it was paid before, or the reason why it cannot be paid
 */
export async function payTestInvoice(
  parts: Billing,
  invoiceId: string,
  seenBy: string,
): Promise<'paid' | 'unknown' | 'closed' | 'not a test'> {
  if (parts.test === undefined) return 'not a test';
  const invoice = await parts.invoices.find(invoiceId);
  if (invoice === null) return 'unknown';
  const isPaid = invoice.status === 'paid';
  if (!isPaid && (invoice.payment === undefined || !(await parts.test.pay(invoice.payment.ref)))) return 'closed';
  // Of one that was paid before: what a process that died has left to do.
  await applyPayment(parts, invoiceId, seenBy);
  return 'paid';
}
