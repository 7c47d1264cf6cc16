// Ends an unpaid invoice, as expired or void. First the provider stops accepting the payment, then the invoice
// changes its status, then its discount is free again. Repeating it does no harm. A payment that came before wins, and
// so does a discount that was already spent on an invoice of 0 cents.

import { applyPayment } from './applyPayment.ts';
import type { BillingParts } from './billingParts.ts';
import type { Invoice } from './stores/invoiceStore.ts';

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
