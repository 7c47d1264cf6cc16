import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Stripe from 'stripe';
import { invoicePoll } from '../../../src/features/billing/invoicePoll.ts';
import { StripePayments } from '../../../src/shared/billing/stripePayments.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { RetryableError } from '../../../src/shared/errors.ts';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { newestFormats } from '../../support/formats.ts';
import { useStores } from '../../support/useStores.ts';

const API_KEY = 'sk_test_notakey';
const SECRET = 'whsec_notasecret';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
}

interface Session {
  readonly id: string;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
}

/** Answers like Stripe's API as far as Checkout needs it: form-encoded requests, one session an Idempotency-Key. */
class StripeShaped {
  readonly sent: Sent[] = [];
  readonly sessions = new Map<string, Session>();
  /** While set, every request is answered with this status. */
  failsWith: number | undefined;
  /** Of the payment that a dispute names. */
  paymentMetadata: Record<string, string> = {};
  readonly #byKey = new Map<string, string>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const sent = { method, path, headers, form: new URLSearchParams(Buffer.concat(chunks).toString()) };
        this.sent.push(sent);
        const answer =
          this.failsWith === undefined ? this.#answer(sent) : { error: { type: 'api_error', message: `${API_KEY} is bad` } };
        response.writeHead(this.failsWith ?? 200, { 'content-type': 'application/json', 'stripe-should-retry': 'false' });
        response.end(JSON.stringify(answer));
      });
    });
  }

  static async start(): Promise<StripeShaped> {
    const shaped = new StripeShaped();
    await new Promise<void>((resolve) => shaped.#server.listen(0, '127.0.0.1', resolve));
    return shaped;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The session of an invoice's newest attempt. */
  sessionOf(invoiceId: string): Session {
    const key = [...this.#byKey.keys()].filter((name) => name.startsWith(`checkout:${invoiceId}:`)).at(-1) ?? '';
    const session = this.sessions.get(this.#byKey.get(key) ?? '');
    if (session === undefined) throw new Error(`no session for ${invoiceId}`);
    return session;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #answer({ method, path, headers }: Sent): object {
    const [, , , , id, verb] = path.split('/');
    if (path.startsWith('/v1/payment_intents/')) return { object: 'payment_intent', id: 'pi_1', metadata: this.paymentMetadata };
    if (path === '/v1/refunds') return { id: 're_1', object: 'refund', status: 'succeeded' };
    const session = id === undefined ? this.#create(String(headers['idempotency-key'])) : this.sessions.get(id);
    if (session === undefined) throw new Error(`${method} ${path} is not served`);
    if (verb === 'expire') session.status = 'expired';
    const url = session.status === 'open' ? `https://checkout.stripe.test/${session.id}` : null;
    return { object: 'checkout.session', ...session, url, payment_intent: 'pi_1' };
  }

  #create(key: string): Session {
    const known = this.sessions.get(this.#byKey.get(key) ?? '');
    if (known !== undefined) return known;
    const session: Session = { id: `cs_test_${this.sessions.size + 1}`, status: 'open', payment_status: 'unpaid' };
    this.#byKey.set(key, session.id);
    this.sessions.set(session.id, session);
    return session;
  }
}

describe('payments by Stripe, against a server of its shape', () => {
  const stores = useStores();
  let stripe: StripeShaped;
  let node: ApiNode;
  let env: Record<string, string>;
  let nowMs = Date.now();
  let events = 0;

  before(async () => {
    stripe = await StripeShaped.start();
    env = {
      ...{ PAYMENT_PROVIDER: 'stripe', STRIPE_API_KEY: API_KEY, STRIPE_WEBHOOK_SECRET: SECRET, STRIPE_API_BASE: stripe.url },
      PUBLIC_URL: 'https://paper.example.com',
    };
    node = await ApiNode.start(stores, { env, now: () => nowMs });
  });
  beforeEach(() => {
    nowMs = Date.now();
    stripe.failsWith = undefined;
    stripe.sent.length = 0;
  });
  after(async () => {
    await node.stop();
    await stripe.stop();
  });

  const bearer = ({ token }: TestUser): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const subscribe = (user: TestUser, plan = 'basic'): Promise<Answer> =>
    node.post('/v1/billing/subscribe', { plan, period: 'month' }, bearer(user));
  const endOf = async (user: TestUser): Promise<string | null> =>
    (await node.request('GET', '/v1/billing/subscription', { headers: bearer(user) })).body.current_period_end;
  const statusOf = async (user: TestUser): Promise<string> =>
    (await node.request('GET', '/v1/billing/invoices', { headers: bearer(user) })).body.items[0].status;
  const poll = (): Promise<void> =>
    invoicePoll(1000).run(
      {
        config: readConfig(env),
        log: node.services.log,
        redis: node.redis,
        mongo: node.mongo,
        formats: newestFormats,
        now: () => nowMs,
      },
      0,
    );
  const eventOf = (type: string, object: object, id = `evt_${++events}`): string =>
    JSON.stringify({ id, object: 'event', created: Math.floor(Date.now() / 1000), type, data: { object } });
  const paidSession = (invoiceId: string, cents = 2000): object => ({
    ...{ id: stripe.sessionOf(invoiceId).id, object: 'checkout.session', payment_status: 'paid' },
    ...{ amount_total: cents, currency: 'usd', metadata: { invoice_id: invoiceId } },
  });
  const deliver = (payload: string, options: { secret?: string; atMs?: number; signature?: string } = {}): Promise<Answer> => {
    const { secret = SECRET, atMs = Date.now() } = options;
    const signature = new Stripe(API_KEY).webhooks.generateTestHeaderString({
      ...{ payload, secret, timestamp: Math.floor(atMs / 1000) },
    });
    return node.post('/v1/billing/webhooks/stripe', payload, { 'stripe-signature': options.signature ?? signature });
  };

  it('asks for one Checkout session, with the key, in a form, under an Idempotency-Key of the attempt', async () => {
    const user = await node.register();
    const { body: invoice, status } = await subscribe(user);
    expect(status).to.equal(200);
    expect(invoice.pay_url).to.equal(`https://checkout.stripe.test/${stripe.sessionOf(invoice.id).id}`);
    const [sent] = stripe.sent;
    expect(sent).to.include({ method: 'POST', path: '/v1/checkout/sessions' });
    expect(sent?.headers).to.include({
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': `checkout:${invoice.id}:1`,
    });
    expect(Object.fromEntries(sent?.form ?? [])).to.deep.equal({
      mode: 'payment',
      client_reference_id: invoice.id,
      customer_email: user.email,
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '2000',
      'line_items[0][price_data][product_data][name]': 'Plan basic, one month',
      'metadata[invoice_id]': invoice.id,
      'payment_intent_data[metadata][invoice_id]': invoice.id,
      success_url: `https://paper.example.com/billing?invoice=${invoice.id}`,
      cancel_url: `https://paper.example.com/billing?invoice=${invoice.id}`,
    });
  });

  it('has no test payments beside it', async () => {
    expect((await node.request('POST', '/v1/billing/test-payments/x')).status).to.equal(404);
  });

  it('a webhook extends once, whatever webhooks and polls come beside it', async () => {
    const user = await node.register();
    const { body: invoice } = await subscribe(user);
    Object.assign(stripe.sessionOf(invoice.id), { status: 'complete', payment_status: 'paid' });
    const payload = eventOf('checkout.session.completed', paidSession(invoice.id));
    nowMs += 11_000;
    const answers = await Promise.all([deliver(payload), deliver(payload), poll(), poll()]);
    expect(answers.slice(0, 2).map((answer) => answer?.status)).to.deep.equal([200, 200]);
    const end = await endOf(user);
    expect(end).to.be.a('string');
    expect((await deliver(payload)).status).to.equal(200);
    expect((await deliver(eventOf('checkout.session.completed', paidSession(invoice.id)))).status).to.equal(200);
    expect(await endOf(user)).to.equal(end);
    expect((await node.billing.users.findById(user.id))?.appliedInvoices).to.deep.equal([invoice.id]);
  });

  it('a webhook with a wrong, an old or no signature, or another body, is a 400 and changes nothing', async () => {
    const user = await node.register();
    const { body: invoice } = await subscribe(user);
    const payload = eventOf('checkout.session.completed', paidSession(invoice.id));
    const right = new Stripe(API_KEY).webhooks.generateTestHeaderString({ payload, secret: SECRET });
    const answers = [
      await deliver(payload, { secret: 'whsec_other' }),
      await deliver(payload, { atMs: Date.now() - 3_600_000 }),
      await deliver(payload, { signature: '' }),
      await deliver(payload, { signature: 't=1,v1=💥'.replace('💥', 'x') }),
      await deliver(`${payload} `, { signature: right }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).to.deep.equal(Array(5).fill([400, 'invalid_signature']));
    expect(await endOf(user)).to.equal(null);
  });

  it('events nobody waits for are answered 200, and a payment of another amount buys nothing', async () => {
    const user = await node.register();
    const { body: invoice } = await subscribe(user);
    const unpaid = { ...paidSession(invoice.id), payment_status: 'unpaid' };
    for (const payload of [
      eventOf('customer.created', { id: 'cus_1' }),
      eventOf('checkout.session.completed', unpaid),
      eventOf('checkout.session.completed', paidSession(invoice.id, 1)),
      eventOf('checkout.session.completed', { ...paidSession(invoice.id), metadata: {} }),
    ]) {
      expect((await deliver(payload)).status).to.equal(200);
    }
    expect(await endOf(user)).to.equal(null);
  });

  it('a payment that no webhook tells of is found by the poll; a refund at Stripe marks the invoice', async () => {
    const user = await node.register();
    const { body: invoice } = await subscribe(user);
    Object.assign(stripe.sessionOf(invoice.id), { status: 'complete', payment_status: 'paid' });
    nowMs += 11_000;
    await poll();
    expect(await statusOf(user)).to.equal('paid');
    await deliver(eventOf('charge.refunded', { object: 'charge', refunded: true, metadata: { invoice_id: invoice.id } }));
    expect(await statusOf(user)).to.equal('refunded');
  });

  const paidUser = async (plan: 'basic' | 'pro' = 'basic'): Promise<{ user: TestUser; invoiceId: string }> => {
    const user = await node.register();
    const { body: invoice } = await subscribe(user, plan);
    Object.assign(stripe.sessionOf(invoice.id), { status: 'complete', payment_status: 'paid' });
    await deliver(eventOf('checkout.session.completed', paidSession(invoice.id, plan === 'basic' ? 2000 : 3000)));
    expect(await statusOf(user)).to.equal('paid');
    return { user, invoiceId: invoice.id };
  };
  const refundOf = (invoiceId: string, fields: object = {}): object => ({
    ...{ id: 'ch_1', object: 'charge', refunded: true, amount_refunded: 2000, metadata: { invoice_id: invoiceId }, ...fields },
  });
  const actsOf = async (user: TestUser): Promise<string[]> =>
    (await node.billing.audit.page(user.id, { limit: 100 })).map(({ action }) => action);

  it('a refund at Stripe ends the time that it paid for, once, with an audit row', async () => {
    const { user, invoiceId } = await paidUser();
    nowMs += 5 * 86_400_000;
    const payload = eventOf('charge.refunded', refundOf(invoiceId));
    const answers = await Promise.all([
      deliver(payload),
      deliver(payload),
      deliver(eventOf('charge.refunded', refundOf(invoiceId))),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(Date.parse((await endOf(user)) ?? '')).to.equal(nowMs);
    expect(await statusOf(user)).to.equal('refunded');
    expect((await actsOf(user)).filter((action) => action === 'invoice.refunded')).to.have.length(1);
    nowMs += 86_400_000;
    await poll();
    expect(Date.parse((await endOf(user)) ?? '')).to.equal(nowMs - 86_400_000);
  });

  it('a refund of a part changes nothing but leaves a row', async () => {
    const { user, invoiceId } = await paidUser();
    const end = await endOf(user);
    await deliver(eventOf('charge.refunded', refundOf(invoiceId, { refunded: false, amount_refunded: 500 })));
    expect([await endOf(user), await statusOf(user)]).to.deep.equal([end, 'paid']);
    expect(await actsOf(user)).to.include('invoice.partly_refunded');
  });

  it('a dispute ends the time that it paid for, whichever event tells of it; a question of the bank does not', async () => {
    const { user, invoiceId } = await paidUser('pro');
    const end = await endOf(user);
    stripe.paymentMetadata = { invoice_id: invoiceId };
    const dispute = (status: string): object => ({ id: 'dp_1', object: 'dispute', status, payment_intent: 'pi_1' });
    await deliver(eventOf('charge.dispute.created', dispute('warning_needs_response')));
    expect(await endOf(user)).to.equal(end);
    nowMs += 86_400_000;
    for (const type of ['charge.dispute.created', 'charge.dispute.funds_withdrawn', 'charge.dispute.closed']) {
      expect((await deliver(eventOf(type, dispute(type.endsWith('closed') ? 'lost' : 'needs_response')))).status).to.equal(200);
      expect(Date.parse((await endOf(user)) ?? '')).to.equal(nowMs);
    }
    expect(await statusOf(user)).to.equal('disputed');
    expect((await actsOf(user)).filter((action) => action === 'invoice.disputed')).to.have.length(1);
    await deliver(eventOf('charge.dispute.closed', dispute('won')));
    expect(await actsOf(user)).to.include('invoice.dispute_won');
    expect(Date.parse((await endOf(user)) ?? '')).to.equal(nowMs);
  });

  it('a dispute of a payment that is none of ours changes nothing; while Stripe is away it is a 503 and comes again', async () => {
    const { user, invoiceId } = await paidUser();
    const end = await endOf(user);
    const dispute = { id: 'dp_2', object: 'dispute', status: 'needs_response', payment_intent: 'pi_1' };
    stripe.paymentMetadata = {};
    expect((await deliver(eventOf('charge.dispute.created', dispute))).status).to.equal(200);
    stripe.paymentMetadata = { invoice_id: invoiceId };
    stripe.failsWith = 500;
    const payload = eventOf('charge.dispute.created', dispute);
    expect((await deliver(payload)).status).to.equal(503);
    expect(await endOf(user)).to.equal(end);
    stripe.failsWith = undefined;
    expect((await deliver(payload)).status).to.equal(200);
    expect(await statusOf(user)).to.equal('disputed');
  });

  it('a payment that was taken back before it was seen buys nothing, whatever the poll finds at Stripe', async () => {
    const user = await node.register();
    const { body: invoice } = await subscribe(user);
    Object.assign(stripe.sessionOf(invoice.id), { status: 'complete', payment_status: 'paid' });
    await deliver(eventOf('charge.refunded', refundOf(invoice.id)));
    nowMs += 11_000;
    await poll();
    await deliver(eventOf('checkout.session.completed', paidSession(invoice.id)));
    expect([await endOf(user), await statusOf(user)]).to.deep.equal([null, 'refunded']);
  });

  it('a session that Stripe lets go of is followed by another while the invoice is open', async () => {
    const user = await node.register();
    const { body: invoice } = await subscribe(user);
    const first = stripe.sessionOf(invoice.id);
    first.status = 'expired';
    nowMs += 11_000;
    await poll();
    const { body: again } = await subscribe(user);
    expect(again.id).to.equal(invoice.id);
    expect(again.pay_url).to.equal(`https://checkout.stripe.test/${stripe.sessionOf(invoice.id).id}`);
    expect(stripe.sessionOf(invoice.id).id).to.not.equal(first.id);
  });

  it('an invoice that is given up cannot be paid any more', async () => {
    const user = await node.register();
    const { body: invoice } = await subscribe(user);
    await subscribe(user, 'pro');
    expect(stripe.sessionOf(invoice.id).status).to.equal('expired');
  });

  it('is a 503 while Stripe is down; the same wish then gets the same invoice, and the poll goes on', async () => {
    const user = await node.register();
    stripe.failsWith = 500;
    const refused = await subscribe(user);
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'store_unavailable']);
    expect(await statusOf(user)).to.equal('open');
    nowMs += 11_000;
    await poll();
    stripe.failsWith = undefined;
    const { body: invoice } = await subscribe(user);
    expect(stripe.sessionOf(invoice.id).status).to.equal('open');
    const { items } = (await node.request('GET', '/v1/billing/invoices', { headers: bearer(user) })).body;
    expect(items).to.have.length(1);
    expect(node.logLines.join('')).to.not.include(API_KEY);
  });

  it('the poll survives a Stripe that is not there', async () => {
    const payments = new StripePayments(readConfig({ ...env, STRIPE_API_BASE: 'http://127.0.0.1:1' }));
    const error: unknown = await payments.look('cs_1').catch((cause: unknown) => cause);
    expect(error).to.be.instanceOf(RetryableError);
    expect(String(error)).to.not.include(API_KEY);
  });

  it('a refund is asked for once', async () => {
    const payments = new StripePayments(readConfig(env));
    const { ref } = await payments.begin({
      ...{ invoiceId: 'inv_1', attempt: 1, email: 'a@example.com', amountCents: 2000, description: 'Plan' },
    });
    await payments.refund(ref);
    expect(stripe.sent.at(-1)).to.include({ method: 'POST', path: '/v1/refunds' });
    expect(stripe.sent.at(-1)?.headers['idempotency-key']).to.equal(`refund:${ref}`);
    expect(stripe.sent.at(-1)?.form.get('payment_intent')).to.equal('pi_1');
  });
});
