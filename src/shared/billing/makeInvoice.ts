// Makes a new invoice: the price of its terms less its discount, then the payment at the provider. An invoice of 0
// cents is paid at once. The poll completes an invoice that a crash left half made.
import { centsText } from '../domain/billing/cents.ts';
import { type Discount, discountCents } from '../domain/billing/discount.ts';
import type { PlanWish, Terms } from '../domain/billing/terms.ts';
import type { User } from '../mongo/userStore.ts';
import { notifyUser } from '../userChange.ts';
import { applyPayment, spendDiscount } from './applyPayment.ts';
import type { BillingParts } from './billingParts.ts';
import { closeInvoice } from './closeInvoice.ts';
import type { Invoice } from './stores/invoiceStore.ts';

const POLL_FIRST_AFTER_MS = 10_000;

export interface NewInvoice {
  readonly id: string;
  readonly user: User;
  readonly wish: PlanWish;
  readonly terms: Terms;
  readonly discount?: Discount | undefined;
  readonly expiresAtMs: number;
  readonly renewalOf?: string;
}

/**
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
