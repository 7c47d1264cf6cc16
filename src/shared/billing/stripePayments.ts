// Payments by Stripe: one Checkout session per attempt, made under an Idempotency-Key so that a repeated call gives
// the same session. The session and its payment carry the invoice's id, by which a webhook finds the invoice.
import Stripe from 'stripe';
import type { Config } from '../config/config.ts';
import { RetryableError } from '../errors.ts';
import type { PaymentProvider, PaymentRequest, PaymentState } from './paymentProvider.ts';

/** How long one call may take, ms, and how often the SDK repeats it. */
const CALL_MS_MAX = 10_000;
const RETRIES = 1;
/** Stripe's error code for a payment that was refunded before. */
const REFUNDED_BEFORE = 'charge_already_refunded';

export class StripePayments implements PaymentProvider {
  readonly name = 'stripe';
  /** @see https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
  readonly minimumCents = 50;
  readonly #stripe: Stripe;
  readonly #config: Pick<Config, 'PUBLIC_URL' | 'STRIPE_WEBHOOK_SECRET'>;

  constructor(config: Pick<Config, 'STRIPE_API_KEY' | 'STRIPE_API_BASE' | 'STRIPE_WEBHOOK_SECRET' | 'PUBLIC_URL'>) {
    const { protocol, hostname, port } = new URL(config.STRIPE_API_BASE);
    const scheme = protocol === 'http:' ? 'http' : 'https';
    this.#stripe = new Stripe(config.STRIPE_API_KEY, {
      ...{ protocol: scheme, host: hostname, port: port === '' ? (scheme === 'http' ? 80 : 443) : Number(port) },
      ...{ timeout: CALL_MS_MAX, maxNetworkRetries: RETRIES, telemetry: false },
    });
    this.#config = config;
  }

  /** The session lives for Stripe's 24 hours: a time of our own would differ between the repetitions of one attempt. */
  async begin({ invoiceId, attempt, email, amountCents, description }: PaymentRequest): Promise<{ ref: string; payUrl: string }> {
    const metadata = { invoice_id: invoiceId };
    const session = await retryable(
      this.#stripe.checkout.sessions.create(
        {
          mode: 'payment',
          client_reference_id: invoiceId,
          customer_email: email,
          line_items: [
            { quantity: 1, price_data: { currency: 'usd', unit_amount: amountCents, product_data: { name: description } } },
          ],
          metadata,
          payment_intent_data: { metadata },
          success_url: `${this.#config.PUBLIC_URL}/billing?invoice=${invoiceId}`,
          cancel_url: `${this.#config.PUBLIC_URL}/billing?invoice=${invoiceId}`,
        },
        { idempotencyKey: `checkout:${invoiceId}:${attempt}` },
      ),
    );
    if (session.url === null) throw new RetryableError('Stripe gave a session without an address.');
    return { ref: session.id, payUrl: session.url };
  }

  async look(ref: string): Promise<PaymentState> {
    return stateOf(await retryable(this.#stripe.checkout.sessions.retrieve(ref)));
  }

  async close(ref: string): Promise<'gone' | 'paid'> {
    const session = await retryable(this.#stripe.checkout.sessions.retrieve(ref));
    if (session.status === 'open') await retryable(this.#stripe.checkout.sessions.expire(ref));
    return stateOf(session) === 'paid' ? 'paid' : 'gone';
  }

  async refund(ref: string): Promise<void> {
    const session = await retryable(this.#stripe.checkout.sessions.retrieve(ref));
    const intent = session.payment_intent;
    if (intent === null) return; // nothing was charged
    const payment_intent = typeof intent === 'string' ? intent : intent.id;
    try {
      await this.#stripe.refunds.create({ payment_intent }, { idempotencyKey: `refund:${ref}` });
    } catch (error) {
      if (error instanceof Stripe.errors.StripeError && error.code === REFUNDED_BEFORE) return;
      throw unwell(error);
    }
  }

  /** The invoice that a payment was for; undefined for a payment that this service has not made. @throws {RetryableError} */
  async invoiceOf(paymentIntent: string): Promise<string | undefined> {
    return (await retryable(this.#stripe.paymentIntents.retrieve(paymentIntent))).metadata['invoice_id'];
  }

  /**
   * Reads a webhook.
   * @param body as it came, byte for byte
   * @returns undefined when the signature is wrong or too old
   */
  readEvent(body: string, signature: string): Stripe.Event | undefined {
    try {
      return this.#stripe.webhooks.constructEvent(body, signature, this.#config.STRIPE_WEBHOOK_SECRET);
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) return undefined;
      throw error;
    }
  }
}

/** A completed session may be paid later, by a bank debit. It counts as open then, because the money is on its way. */
function stateOf({ status, payment_status }: Stripe.Checkout.Session): PaymentState {
  if (payment_status === 'paid') return 'paid';
  return status === 'expired' ? 'gone' : 'open';
}

const retryable = <T>(call: Promise<T>): Promise<T> =>
  call.catch((error: unknown) => {
    throw unwell(error);
  });

/** Stripe's own texts may quote what was sent: only the kind of failure goes on. */
function unwell(error: unknown): RetryableError {
  const kind = error instanceof Stripe.errors.StripeError ? `${error.type} ${error.code ?? ''}`.trim() : 'no connection';
  return new RetryableError(`Stripe does not answer as it should: ${kind}.`);
}
