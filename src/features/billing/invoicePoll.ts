// The job `invoice-poll` keeps billing going without requests.

import { type Billing, type BillingParts, createBilling } from '../../shared/billing/billing.ts';
import { type Invoice, takenBackUndone } from '../../shared/billing/invoiceStore.ts';
import { applyPayment, takeBackPayment } from '../../shared/billing/payments.ts';
import type { RepeatableJob } from '../../shared/deployment/job.ts';
import { MINUTE_MS } from '../../shared/domain/units.ts';
import { releaseLostDiscounts } from './discounts.ts';
import { beginPayment, closeInvoice, completeInvoice, releaseDiscount } from './invoices.ts';
import { deleteOldPaymentEvents } from './paymentEvents.ts';
import { changePlans, makeRenewals } from './renewals.ts';

/**
 * Keeps billing going without requests: payments that no webhook reported, invoices whose time is over, work that a crash left
 * half done, invoices for next periods, and plan changes that are due. Two runs at once do each of them once.
 */
export function invoicePoll(everyMs: number): RepeatableJob {
  let billing: Billing | undefined;
  return {
    name: 'invoice-poll',
    everyMs,
    async run(parts, periodMs) {
      billing ??= createBilling(parts);
      await pollInvoices(billing);
      await changePlans(billing);
      // Work that is not urgent and reads many documents runs once a minute.
      if (periodMs % MINUTE_MS >= everyMs) return;
      await makeRenewals(billing);
      await releaseLostDiscounts(billing);
      await deleteOldPaymentEvents(parts.mongo, parts.now());
    },
  };
}

// Looks after every invoice with something left to do: asks the provider about open ones, ends those whose time is over, and
// completes what a crash has left half done. The older an invoice, the longer the pause between looks. One that fails delays no
// other.

/** Invoices that one run handles. */
const PER_RUN = 200;
/** Failures in a row after which a run takes the provider or a store for down; ms until the invoice's next try. */
const FAILURES_MAX = 5;
const RETRY_MS = 30_000;
/** The first and the longest pause between two looks at one open invoice, ms; the pause doubles. */
const PAUSE_MS_MIN = 10_000;
const PAUSE_MS_MAX = 900_000;

/** @param parts.provider may fail or be slow; that is logged and tried again in a later run */
export async function pollInvoices(parts: BillingParts): Promise<void> {
  const { invoices, log, now } = parts;
  let failures = 0;
  for (const invoice of await invoices.due(new Date(now()), PER_RUN)) {
    try {
      await lookAfter(parts, invoice);
      failures = 0;
    } catch (error) {
      log.warn({ invoiceId: invoice._id, err: error }, 'an invoice could not be looked after; it has another turn');
      failures += 1;
      if (failures === FAILURES_MAX) return;
      await invoices.later(invoice, new Date(now() + RETRY_MS));
    }
  }
}

async function lookAfter(parts: BillingParts, invoice: Invoice): Promise<void> {
  const how = takenBackUndone(invoice);
  if (how !== undefined) return void (await takeBackPayment(parts, invoice._id, { how, seenBy: 'job:invoice-poll' }));
  switch (invoice.status) {
    case 'open':
      return lookAtOpen(parts, invoice);
    case 'paid':
      return applyPayment(parts, invoice._id, 'job:invoice-poll');
    case 'expired':
    case 'void':
      await releaseDiscount(parts, invoice);
      return;
    case 'refunded':
    case 'disputed':
      return parts.invoices.settled(invoice);
  }
}

async function lookAtOpen(parts: BillingParts, invoice: Invoice): Promise<void> {
  const { provider, invoices, users, now } = parts;
  const { _id: id, amountCents, payment } = invoice;
  const state = payment === undefined ? 'none' : await provider.look(payment.ref);
  if (state === 'paid') return applyPayment(parts, id, `provider:${provider.name}`);
  const user = await users.findById(invoice.userId);
  const isOver = now() >= invoice.expiresAt.getTime();
  if (user === null || isOver) {
    await closeInvoice(parts, invoice, isOver ? 'expired' : 'void');
    const ended = await invoices.find(id);
    return ended === null || ended.status === 'open' ? undefined : lookAfter(parts, ended);
  }
  if (state === 'gone') await beginPayment(parts, invoice, user.email);
  if (state === 'none') await completeInvoice(parts, invoice, user.email);
  if (amountCents > 0) await invoices.lookedAt(id, new Date(now() + pauseMs(invoice.polls)));
}

const pauseMs = (polls: number): number => Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(polls, 16));
