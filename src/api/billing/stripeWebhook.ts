// POST /v1/billing/webhooks/stripe: receives Stripe's events. Only events with Stripe's signature are believed. An
// event that was handled before changes nothing; one of another kind is answered 200 and ignored.

import { Type } from '@sinclair/typebox';
import type Stripe from 'stripe';
import { applyPayment } from '../../shared/billing/applyPayment.ts';
import { isKnownPaymentEvent, recordPaymentEvent } from '../../shared/billing/stores/paymentEvents.ts';
import { RequestError } from '../../shared/errors.ts';
import { exactly } from '../contract/answerValues.ts';
import { endpoint } from '../contract/endpoint.ts';
import { answerJson } from '../http/answerJson.ts';
import type { BillingRouteParts, BillingRouter } from './billingRoutes.ts';

export const stripeWebhookEndpoint = endpoint({
  id: 'stripeWebhook',
  method: 'post',
  path: '/v1/billing/webhooks/stripe',
  tag: 'Billing',
  summary: 'What Stripe tells; only what it has signed is believed.',
  credential: 'none',
  headers: Type.Object({ 'Stripe-Signature': Type.Optional(Type.String()) }),
  body: {
    schema: Type.Object({}, { description: 'An event of Stripe’s API.' }),
    examples: { event: { id: 'evt_1', type: 'checkout.session.completed' } },
  },
  answer: { about: 'It was taken.', schema: exactly({ received: Type.Literal(true) }) },
  errors: { 400: ['invalid_signature'] },
});

export function mountStripeWebhook(router: BillingRouter, parts: BillingRouteParts): void {
  const { billing, mongo, now } = parts;
  router.post(stripeWebhookEndpoint.path, async (ctx) => {
    await parts.readBody(ctx);
    const { rawBody } = ctx.request as { readonly rawBody?: string };
    const event = billing.stripe?.readEvent(rawBody ?? '', ctx.get('stripe-signature'));
    if (event === undefined) throw new RequestError(400, 'invalid_signature', 'The signature is wrong or too old.');
    if (!(await isKnownPaymentEvent(mongo, event.id))) {
      await onEvent(parts, event);
      await recordPaymentEvent(mongo, { id: event.id, type: event.type, atMs: now() });
    }
    answerJson(ctx, { received: true });
  });
}

async function onEvent({ billing, log }: BillingRouteParts, event: Stripe.Event): Promise<void> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const { metadata, payment_status, amount_total, currency, id: sessionId } = event.data.object;
      const invoiceId = metadata?.['invoice_id'];
      if (invoiceId === undefined || payment_status !== 'paid') return;
      const invoice = await billing.invoices.find(invoiceId);
      if (invoice?.amountCents === amount_total && currency === 'usd') return applyPayment(billing, invoiceId, 'provider:stripe');
      log.error(
        { invoiceId, sessionId, amount_total, currency },
        'a payment does not fit its invoice and is left to an operator',
      );
      return;
    }
    case 'charge.refunded': {
      const { metadata, refunded } = event.data.object;
      const invoiceId = metadata['invoice_id'];
      if (invoiceId !== undefined && refunded && (await billing.invoices.refund(invoiceId))) {
        log.info({ invoiceId }, 'invoice refunded at Stripe');
      }
      return;
    }
    default:
      return;
  }
}
