// POST /v1/billing/webhooks/stripe: receives Stripe's events. Only events with Stripe's signature are believed. An
// event that was handled before changes nothing; one of another kind is answered 200 and ignored.

import { Type } from '@sinclair/typebox';
import type Stripe from 'stripe';
import { isKnownPaymentEvent, recordPaymentEvent } from '../../shared/billing/paymentEvents.ts';
import { RequestError } from '../../shared/errors.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { atLeast, exactly } from '../contract/answerValues.ts';
import { named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import type { BillingRouteParts } from './billingRoutes.ts';
import { onStripeEvent } from './stripeEvents.ts';

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
  handle: (parts: BillingRouteParts) => {
    const { mongo, now } = parts;
    return async (ctx) => {
      const event = await readSigned(ctx, parts);
      if (event === undefined) throw new RequestError(400, 'invalid_signature', 'The signature is wrong or too old.');
      if (!(await isKnownPaymentEvent(mongo, event.id))) {
        await onStripeEvent(parts, event);
        await recordPaymentEvent(mongo, { id: event.id, type: event.type, atMs: now() });
      }
      answerJson(ctx, { received: true });
    };
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
