// Stripe's webhook receives events, and each event has its effect here.

import { Type } from '@sinclair/typebox';
import type Stripe from 'stripe';
import type { RouteContext } from '../../../api/access/requestContext.ts';
import { atLeast, exactly } from '../../../api/contract/answerValues.ts';
import { named } from '../../../api/contract/named.ts';
import { CHEAP } from '../../../api/domain/requestPrice.ts';
import { answerJson } from '../../../api/http/answers.ts';
import { endpoint } from '../../../api/http/endpoint.ts';
import { applyPayment, takeBackPayment } from '../../../shared/billing/payments.ts';
import type { StripePayments } from '../../../shared/billing/stripePayments.ts';
import { RequestError } from '../../../shared/errors.ts';
import { isKnownPaymentEvent, recordPaymentEvent } from '../paymentEvents.ts';
import type { BillingRouteParts } from './billingRoutes.ts';

// What each of Stripe's events does: a payment is applied, a refund or a dispute takes it back. Repeating one does no harm. An
// event that fits no invoice of this deployment is logged and left to an operator.

const SEEN_BY = 'provider:stripe';

type EventParts = Pick<BillingRouteParts, 'billing' | 'log'>;

/** @throws {RetryableError} when a store or Stripe is away: Stripe sends the event again */
async function onStripeEvent(parts: EventParts, event: Stripe.Event): Promise<void> {
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

/**
 * POST /v1/billing/webhooks/stripe: receives Stripe's events. Only events with Stripe's signature are believed. An event that
 * was handled before changes nothing; one of another kind is answered 200 and ignored.
 */
export const stripeWebhookEndpoint = endpoint({
  id: 'stripeWebhook',
  method: 'post',
  path: '/v1/billing/webhooks/stripe',
  tag: 'Billing',
  summary: 'What Stripe tells; only what it has signed is believed.',
  credential: 'none',
  price: CHEAP,
  headers: Type.Object({ 'Stripe-Signature': Type.Optional(Type.String()) }),
  body: {
    schema: named('StripeEvent', atLeast({}, { description: 'An event of Stripe’s API.' })),
    examples: { event: { id: 'evt_1', type: 'checkout.session.completed' } },
  },
  answer: { about: 'It was taken.', schema: exactly({ received: Type.Literal(true) }) },
  errors: { 400: ['invalid_signature'] },
  handle: (parts: BillingRouteParts) => async (ctx) => {
    const { mongo, now } = parts;
    const event = await readSigned(ctx, parts);
    if (event === undefined) throw new RequestError(400, 'invalid_signature', 'The signature is wrong or too old.');
    if (!(await isKnownPaymentEvent(mongo, event.id))) {
      await onStripeEvent(parts, event);
      await recordPaymentEvent(mongo, { id: event.id, type: event.type, atMs: now() });
    }
    answerJson(ctx, { received: true });
  },
});

/** Largest event of Stripe, bytes; theirs are some kilobytes. */
const EVENT_BYTES_MAX = 262_144;
/** A time and signatures by some of Stripe's schemes. Whether they are right, only the body tells. */
const SIGNATURE_FORM = /^t=\d{1,12}(?:,v\d=[\da-f]{64}){1,16}$/;

/** Only what seems to be signed may be as large as an event. @returns undefined when the signature is wrong, too old or missing */
async function readSigned(ctx: RouteContext, { billing, readBody }: BillingRouteParts): Promise<Stripe.Event | undefined> {
  const signature = ctx.get('stripe-signature');
  if (billing.stripe !== undefined && SIGNATURE_FORM.test(signature)) {
    return billing.stripe.readEvent((await readBody.bytes(ctx, EVENT_BYTES_MAX)).toString(), signature);
  }
  await readBody(ctx);
  return undefined;
}
