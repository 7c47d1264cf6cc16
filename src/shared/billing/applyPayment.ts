// Applies a payment once. Webhook, poll, payment page and operator all call this when they see a payment. The discount's
// document decides whether the invoice may count its discount, the user's document whether the payment is applied or
// buys nothing: each by one update that names the invoice. Later calls, and the poll after a crash, do the steps that
// are left.
import { subscriptionAfter } from '../domain/billing/payment.ts';
import { paidTimeOf } from '../domain/billing/reversal.ts';
import { subscriptionAt } from '../domain/billing/subscription.ts';
import type { User } from '../mongo/userStore.ts';
import { notifyUser } from '../userChange.ts';
import { announcePlan } from './announcePlan.ts';
import type { BillingParts } from './billingParts.ts';
import type { Invoice } from './stores/invoiceStore.ts';
import { subscriptionOf } from './stores/subscriptionStore.ts';
import { takenBackAct } from './takenBackAct.ts';

/** How often the user's document may change during one application; each time another payment has been applied. */
const TRIES_MAX = 20;

/**
 * Records an invoice's payment and does all that follows from it. A second call changes nothing.
 * @param seenBy who has seen the payment, for the audit log: `provider:stripe`, `operator`
 * @throws when a store is away; the poll then does the rest
 */
export async function applyPayment(parts: BillingParts, invoiceId: string, seenBy: string): Promise<void> {
  const { invoices, now, log } = parts;
  const isFirst = await invoices.pay(invoiceId, new Date(now()));
  if (isFirst) log.info({ invoiceId, seenBy }, 'invoice paid');
  const invoice = await invoices.find(invoiceId);
  if (isFirst && invoice !== null) notifyUser(parts, invoice.userId, `Invoice ${invoiceId} is paid: plan ${invoice.plan}`);
  if (invoice?.status === 'paid' && invoice.appliedAt === null) await apply(parts, invoice, seenBy);
}

/** Spends the use of the invoice's discount code. @returns false when the code has none for it any more */
export async function spendDiscount({ discounts, now }: BillingParts, invoice: Invoice): Promise<boolean> {
  const { _id: invoiceId, userId, discountCode } = invoice;
  return discountCode === undefined || discounts.spend(discountCode, { userId, invoiceId, nowMs: now() });
}

async function apply(parts: BillingParts, invoice: Invoice, seenBy: string): Promise<void> {
  const { invoices, audit, now } = parts;
  const { _id: invoiceId, userId, plan, period } = invoice;
  const paidAtMs = invoice.paidAt?.getTime() ?? now();
  const user = await applyToUser(parts, invoice, paidAtMs);
  if (user === undefined) return refund(parts, invoice);
  await announcePlan(parts, user, `invoice:${invoiceId}`);
  await audit.write({
    ...{ userId, action: 'invoice.paid', outcome: 'ok', actor: seenBy, address: null, timeMs: paidAtMs },
    ...{ detail: `${invoiceId} ${plan} ${period}`, once: invoiceId },
  });
  await invoices.applied(invoiceId, new Date(now()));
}

/** @returns the user after the change; undefined when the payment can no longer buy anything */
async function applyToUser(parts: BillingParts, invoice: Invoice, paidAtMs: number): Promise<User | undefined> {
  const { users, subscriptions, discounts } = parts;
  const { _id: invoiceId, userId, period, kind, discountCode } = invoice;
  const paidFor = { ...invoice, ...(invoice.paidUntil && { paidUntilMs: invoice.paidUntil.getTime() }) };
  const hasDiscount = await spendDiscount(parts, invoice);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const user = await users.findById(userId);
    if (user === null) return undefined;
    if (user.appliedInvoices?.includes(invoiceId)) return user;
    if (user.refusedInvoices?.includes(invoiceId)) return undefined;
    const before = subscriptionOf(user);
    const subscription = hasDiscount ? subscriptionAfter(before, paidFor, paidAtMs) : undefined;
    if (subscription === undefined) {
      await subscriptions.refuse(user, invoiceId);
      continue;
    }
    const discount = discountCode === undefined ? undefined : await discounts.find(discountCode);
    const standing = discount?.appliesTo === 'all' ? { standingDiscount: discount.code } : {};
    const bought = { invoiceId, ...paidTimeOf(subscriptionAt(before, paidAtMs), subscription, kind, paidAtMs) };
    await subscriptions.apply(user, { invoiceId, period, subscription, bought, ...standing });
  }
  throw new Error(`Invoice ${invoiceId} cannot be applied: its user changes all the time.`);
}

async function refund({ invoices, provider, audit, log, now }: BillingParts, invoice: Invoice): Promise<void> {
  const { _id: invoiceId, userId, payment } = invoice;
  if (payment !== undefined) await provider.refund(payment.ref);
  const noted = await invoices.noteTakenBack(invoiceId, 'refunded', new Date(now()));
  await audit.write(takenBackAct(noted ?? invoice, 'refunded', `provider:${provider.name}`));
  await invoices.refund(invoiceId);
  log.warn({ invoiceId, userId }, 'a payment could buy nothing any more and was given back');
}
