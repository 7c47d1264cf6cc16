// Makes invoices, and ends unpaid invoices.

import { notifyUser } from '../../shared/access/userChange.ts';
import type { BillingParts } from '../../shared/billing/billing.ts';
import type { Invoice } from '../../shared/billing/invoiceStore.ts';
import { applyPayment, spendDiscount } from '../../shared/billing/payments.ts';
import { type Discount, discountCents } from '../../shared/domain/billing/discount.ts';
import { centsText, type PlanWish, type PriceTerms } from '../../shared/domain/billing/terms.ts';
import type { User } from '../../shared/mongo/userStore.ts';

const POLL_FIRST_AFTER_MS = 10_000;

interface NewInvoice {
  readonly id: string;
  readonly user: User;
  readonly wish: PlanWish;
  readonly terms: PriceTerms;
  readonly discount?: Discount | undefined;
  readonly expiresAtMs: number;
  readonly renewalOf?: string;
}

/**
 * Makes a new invoice: the price of its terms less its discount, then the payment at the provider. An invoice of 0
 * cents is paid at once. The poll completes an invoice that a crash left half made.
 * @returns the invoice as it is now; `other` when the user has another open invoice
 * @throws {RetryableError} when the provider is away: the invoice exists then, and the next request gets it
 */
export async function makeInvoice(parts: BillingParts, wanted: NewInvoice): Promise<Invoice | 'other'> {
  const { invoices } = parts;
  const invoice = toInvoice(parts, wanted);
  const inserted = await invoices.insert(invoice);
  if (inserted === 'other') return 'other';
  if (inserted === 'first' && invoice.amountCents > 0) notifyUser(parts, wanted.user._id, madeText(invoice));
  return completeInvoice(parts, (await invoices.find(invoice._id)) ?? invoice, wanted.user.email);
}

/** Takes an open invoice to its provider, or applies it when there is nothing to pay. */
export async function completeInvoice(parts: BillingParts, invoice: Invoice, email: string): Promise<Invoice> {
  const { _id: id, status, amountCents, payment } = invoice;
  if (status !== 'open') return invoice;
  if (amountCents === 0) await completeFree(parts, invoice);
  else if (payment === undefined) await beginPayment(parts, invoice, email);
  return (await parts.invoices.find(id)) ?? invoice;
}

/** Its discount pays it. A discount that has moved to another invoice meanwhile pays that one. */
async function completeFree(parts: BillingParts, invoice: Invoice): Promise<void> {
  if (await spendDiscount(parts, invoice)) await applyPayment(parts, invoice._id, 'user');
  else await closeInvoice(parts, invoice, 'void');
}

/** Begins the next attempt of a payment. */
export async function beginPayment({ provider, invoices }: BillingParts, invoice: Invoice, email: string): Promise<void> {
  const { _id: invoiceId, amountCents, kind, plan, period } = invoice;
  const attempt = (invoice.payment?.attempt ?? 0) + 1;
  const description = kind === 'lift' ? `Plan ${plan} for the time that is paid for` : `Plan ${plan}, one ${period}`;
  const { ref, payUrl } = await provider.begin({ invoiceId, attempt, email, amountCents, description });
  await invoices.begun(invoiceId, { ref, payUrl, attempt });
}

const madeText = ({ _id, plan, amountCents, expiresAt }: Invoice): string =>
  `Invoice ${_id}: $${centsText(amountCents)} for plan ${plan}, to be paid by ${expiresAt.toISOString()}`;

function toInvoice({ provider, now }: BillingParts, wanted: NewInvoice): Invoice {
  const { id, user, wish, terms, discount, expiresAtMs, renewalOf } = wanted;
  const createdAtMs = now();
  const off = discount === undefined ? 0 : discountCents(discount, terms.priceCents);
  const toPay = terms.priceCents - off;
  return {
    ...{ _id: id, userId: user._id, status: 'open', kind: terms.kind, plan: wish.plan, period: wish.period },
    amountCents: toPay < provider.minimumCents ? 0 : toPay,
    discountCents: off,
    ...(discount !== undefined && { discountCode: discount.code }),
    ...(terms.paidUntilMs !== undefined && { paidUntil: new Date(terms.paidUntilMs) }),
    createdAt: new Date(createdAtMs),
    expiresAt: new Date(expiresAtMs),
    ...{ paidAt: null, appliedAt: null, openFor: user._id, ...(renewalOf !== undefined && { renewalOf }) },
    ...{ pollAt: new Date(createdAtMs + POLL_FIRST_AFTER_MS), polls: 0, schema: 1 },
  };
}

// Ends an unpaid invoice, as expired or void. First the provider stops accepting the payment, then the invoice
// changes its status, then its discount is free again. Repeating it does no harm. A payment that came before wins, and
// so does a discount that was already spent on an invoice of 0 cents.

/** @returns `paid` when a payment came before; the payment is then applied */
export async function closeInvoice(
  parts: BillingParts,
  invoice: Invoice,
  status: 'expired' | 'void',
): Promise<'paid' | 'closed'> {
  if ((await closeUnpaid(parts, invoice, status)) === 'paid') return 'paid';
  return releaseDiscount(parts, invoice);
}

/**
 * The same, but its discount stays with the closed invoice until the caller has moved or released it.
 * @returns `paid` when a payment came before; the payment is then applied
 */
export async function closeUnpaid(
  parts: BillingParts,
  { _id: id, payment }: Invoice,
  status: 'expired' | 'void',
): Promise<'paid' | 'closed'> {
  const { provider, invoices, now } = parts;
  const isPaidThere = payment !== undefined && (await provider.close(payment.ref)) === 'paid';
  const isClosedNow = !isPaidThere && (await invoices.closeUnpaid(id, status, new Date(now())));
  // Another process may have changed it meanwhile: what the invoice says now is what counts.
  const isPaid = isPaidThere || (!isClosedNow && (await invoices.find(id))?.status === 'paid');
  if (!isPaid) return 'closed';
  await applyPayment(parts, id, `provider:${provider.name}`);
  return 'paid';
}

/**
 * Releases the discount of an expired or void invoice, unless another invoice has taken it.
 * @returns `paid` when the discount was spent on this invoice: it had paid the invoice before it was closed
 */
export async function releaseDiscount(parts: BillingParts, invoice: Invoice): Promise<'paid' | 'closed'> {
  const { discounts, invoices } = parts;
  const { _id: invoiceId, userId, discountCode, amountCents } = invoice;
  const isReleased = discountCode === undefined || (await discounts.giveBack(discountCode, { userId, invoiceId }));
  if (!isReleased && amountCents === 0) {
    await applyPayment(parts, invoiceId, 'user');
    return 'paid';
  }
  await invoices.done(invoiceId);
  return 'closed';
}
