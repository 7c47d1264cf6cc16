// What each of Stripe's events does: a payment is applied, a refund or a dispute takes it back. Repeating one does no
// harm. An event that fits no invoice of this deployment is logged and left to an operator.
import type Stripe from 'stripe';
import { applyPayment, takeBackPayment } from '../../shared/billing/applyPayment.ts';
import type { StripePayments } from '../../shared/billing/stripePayments.ts';
import type { BillingRouteParts } from './billingRoutes.ts';

const SEEN_BY = 'provider:stripe';

type EventParts = Pick<BillingRouteParts, 'billing' | 'log'>;

/** @throws {RetryableError} when a store or Stripe is away: Stripe sends the event again */
export async function onStripeEvent(parts: EventParts, event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return onSession(parts, event.data.object);
    case 'charge.refunded':
      return onRefund(parts, event, event.data.object);
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.closed':
      return onDispute(parts, event, event.data.object);
    default:
      return;
  }
}

async function onSession({ billing, log }: EventParts, session: Stripe.Checkout.Session): Promise<void> {
  const { metadata, payment_status, amount_total, currency, id: sessionId } = session;
  const invoiceId = metadata?.['invoice_id'];
  if (invoiceId === undefined || payment_status !== 'paid') return;
  const invoice = await billing.invoices.find(invoiceId);
  if (invoice?.amountCents === amount_total && currency === 'usd') return applyPayment(billing, invoiceId, SEEN_BY);
  log.error({ invoiceId, sessionId, amount_total, currency }, 'a payment does not fit its invoice and is left to an operator');
}

/** A refund of a part leaves the paid time as it is: the operator who made it decides about the rest. */
async function onRefund(parts: EventParts, event: Stripe.Event, charge: Stripe.Charge): Promise<void> {
  const { metadata, refunded, amount_refunded, id: chargeId } = charge;
  const invoiceId = metadata['invoice_id'];
  if (invoiceId === undefined) return;
  if (refunded) return takeBack(parts, invoiceId, 'refunded');
  await note(parts, event, invoiceId, { action: 'invoice.partly_refunded', what: `${chargeId} ${amount_refunded}` });
  parts.log.warn({ invoiceId, chargeId, amount_refunded }, 'a payment was refunded in part: its paid time stays');
}

/** A bank's question (`warning_…`) has moved no money yet. A dispute that was won gives no time back by itself. */
async function onDispute(parts: EventParts, event: Stripe.Event, dispute: Stripe.Dispute): Promise<void> {
  const { status, payment_intent, id: disputeId } = dispute;
  const invoiceId = await invoiceOf(parts.billing.stripe, payment_intent);
  if (invoiceId === undefined || status.startsWith('warning_')) {
    parts.log.warn({ invoiceId, disputeId, status }, 'a dispute changes nothing');
    return;
  }
  if (status !== 'won') return takeBack(parts, invoiceId, 'disputed');
  await note(parts, event, invoiceId, { action: 'invoice.dispute_won', what: disputeId });
  parts.log.error({ invoiceId, disputeId }, 'a dispute was won: an operator gives the paid time back (bin/admin grant)');
}

/** A dispute names the payment only; the payment names the invoice. */
async function invoiceOf(
  stripe: StripePayments | undefined,
  payment: Stripe.Dispute['payment_intent'],
): Promise<string | undefined> {
  if (payment === null || stripe === undefined) return undefined;
  return stripe.invoiceOf(typeof payment === 'string' ? payment : payment.id);
}

async function takeBack({ billing, log }: EventParts, invoiceId: string, how: 'refunded' | 'disputed'): Promise<void> {
  if (await takeBackPayment(billing, invoiceId, { how, seenBy: SEEN_BY })) return;
  log.error({ invoiceId, how }, 'a payment was taken back whose invoice is unknown');
}

/** An audit row for what changes nothing else; one, however often the event comes. */
async function note(
  { billing }: EventParts,
  { id: once, created }: Stripe.Event,
  invoiceId: string,
  { action, what }: { action: 'invoice.partly_refunded' | 'invoice.dispute_won'; what: string },
): Promise<void> {
  const invoice = await billing.invoices.find(invoiceId);
  if (invoice === null) return;
  await billing.audit.write({
    ...{ userId: invoice.userId, action, outcome: 'ok', actor: SEEN_BY, address: null },
    ...{ timeMs: created * 1000, detail: `${invoiceId} ${what}`, once },
  });
}
