// Ends an unpaid invoice, as expired or void. First the provider stops accepting the payment, then the invoice
// changes its status, then its discount is free again. Repeating it does no harm, and a payment that came just before
// wins.

import { applyPayment } from './applyPayment.ts';
import type { BillingParts } from './billingParts.ts';
import type { Invoice } from './stores/invoiceStore.ts';

/** @returns `paid` when a payment came before; the payment is then applied */
export async function closeInvoice(
  parts: BillingParts,
  invoice: Invoice,
  status: 'expired' | 'void',
): Promise<'paid' | 'closed'> {
  const { provider, invoices, now } = parts;
  const { _id: id, payment } = invoice;
  if (payment !== undefined && (await provider.close(payment.ref)) === 'paid') {
    await applyPayment(parts, id, `provider:${provider.name}`);
    return 'paid';
  }
  if (await invoices.closeUnpaid(id, status, new Date(now()))) await releaseDiscount(parts, invoice);
  return 'closed';
}

/** Releases the discount of an expired or void invoice, unless another invoice has taken it. */
export async function releaseDiscount({ discounts, invoices }: BillingParts, invoice: Invoice): Promise<void> {
  const { _id: invoiceId, userId, discountCode } = invoice;
  if (discountCode !== undefined) await discounts.giveBack(discountCode, { userId, invoiceId });
  await invoices.done(invoiceId);
}
