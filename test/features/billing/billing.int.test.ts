import { expect } from 'chai';
import { invoicePoll } from '../../../src/features/billing/invoicePoll.ts';
import { closeInvoice } from '../../../src/features/billing/invoices.ts';
import type { Invoice } from '../../../src/shared/billing/invoiceStore.ts';
import { applyPayment, grantPlan, payTestInvoice, takeBackPayment } from '../../../src/shared/billing/payments.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import type { Discount } from '../../../src/shared/domain/billing/discount.ts';
import { addMonths } from '../../../src/shared/domain/calendar.ts';
import { shardOf } from '../../../src/shared/domain/shards.ts';
import type { User } from '../../../src/shared/mongo/userStore.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { newestFormats } from '../../support/formats.ts';
import { useStores } from '../../support/useStores.ts';

const DAY_MS = 86_400_000;

describe('billing', () => {
  const stores = useStores();
  let node: ApiNode;
  let nowMs = Date.now();

  before(async () => {
    node = await ApiNode.start(stores, { now: () => nowMs, env: { ANONYMOUS_REQUESTS_PER_MINUTE: '100000' } });
  });
  beforeEach(() => {
    nowMs = Date.now();
  });
  after(() => node.stop());

  const bearer = ({ token }: Pick<TestUser, 'token'>): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const get = (user: TestUser, path: string): Promise<Answer> =>
    node.request('GET', `/v1/billing/${path}`, { headers: bearer(user) });
  const post = (user: TestUser, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    node.post(`/v1/billing/${path}`, body, { ...bearer(user), ...headers });
  const subscribe = async (user: TestUser, body: object): Promise<Answer['body']> => {
    const { status, body: invoice, text } = await post(user, 'subscribe', body);
    expect(status, text).to.equal(200);
    return invoice;
  };
  const pay = (invoice: { pay_url: string }): Promise<Answer> => node.request('POST', new URL(invoice.pay_url).pathname);
  const userOf = async ({ id }: TestUser): Promise<User> => {
    const user = await node.billing.users.findById(id);
    if (user === null) throw new Error(`${id} is gone`);
    return user;
  };
  const loggedIn = async (user: TestUser): Promise<TestUser> => {
    const { body, text } = await node.post('/v1/auth/login', { email: user.email, password: 'a good password' });
    expect(body.access_token, text).to.be.a('string');
    return { ...user, token: body.access_token };
  };
  const paidUser = async (plan: 'basic' | 'pro'): Promise<TestUser> => {
    const user = await node.register();
    await pay(await subscribe(user, { plan, period: 'month' }));
    return user;
  };
  const poll = (): Promise<void> =>
    invoicePoll(1000).run(
      {
        config: readConfig({}),
        log: node.services.log,
        redis: node.redis,
        mongo: node.mongo,
        formats: newestFormats,
        now: () => nowMs,
      },
      0,
    );
  const makeCode = async (code: string, fields: Partial<Omit<Discount, 'uses'>> = {}): Promise<void> => {
    const discount = { kind: 'percent', value: 20, appliesTo: 'first', usesMax: 5, expiresAtMs: null, ...fields } as const;
    expect(await node.billing.discounts.create({ code, ...discount })).to.equal(true);
  };
  const usesOf = async (code: string): Promise<number | undefined> => (await node.billing.discounts.find(code))?.uses.length;

  describe('plans', () => {
    it('tells everybody what there is', async () => {
      const { status, body } = await node.request('GET', '/v1/billing/plans');
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        plans: [
          {
            ...{ id: 'basic', price_usd: '20.00', period: 'month', requests_per_minute: 200 },
            ...{ max_api_keys: 5, balance_usd: '10000.00', history_days: 30 },
          },
          {
            ...{ id: 'pro', price_usd: '30.00', period: 'month', requests_per_minute: 500 },
            ...{ max_api_keys: 10, balance_usd: '100000.00', history_days: 90 },
          },
        ],
      });
    });
  });

  const guarded: { method: string; path: string }[] = [
    { method: 'GET', path: 'subscription' },
    { method: 'GET', path: 'invoices' },
    { method: 'POST', path: 'subscribe' },
    { method: 'POST', path: 'discount/apply' },
    { method: 'POST', path: 'cancel' },
  ];
  it('all but plans want a token: 401 with an API key alone, and with nothing', async () => {
    const { apiKey } = await node.createKey(await node.register());
    for (const { method, path } of guarded) {
      for (const headers of [{}, { 'x-api-key': apiKey }]) {
        expect((await node.request(method, `/v1/billing/${path}`, { headers })).status, path).to.equal(401);
      }
    }
  });

  it('odd bodies are a clear 4xx wherever a body is read, and change nothing', async () => {
    const user = await paidUser('basic');
    const before = await userOf(user);
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    const odd = ['', '{', 'null', '7', '"text"', 'NaN', '{"plan":NaN}', '{"code":1e400}', deep, `{"code":${'9'.repeat(200)}}`];
    odd.push('{"__proto__":{"plan":"pro","period":"month"}}', '{"code":"\\u0000"}', '{"plan":"pro\\ud800","period":"month"}');
    for (const path of ['subscribe', 'discount/apply', 'webhooks/stripe']) {
      for (const body of odd) {
        const { status, body: refusal } = await post(user, path, body);
        expect(status, `${path} ${body.slice(0, 40)}`).to.be.within(400, 422);
        expect(refusal).to.have.all.keys('detail', 'code', 'msg');
      }
    }
    expect(await userOf(user)).to.deep.equal(before);
    expect((await get(user, 'invoices')).body.items).to.have.length(1);
  });

  describe('subscribe', () => {
    it('makes an invoice that is paid on its page, and the plan holds', async () => {
      const user = await node.register();
      const invoice = await subscribe(user, { plan: 'basic', period: 'month' });
      expect(invoice).to.have.all.keys(
        ...['id', 'status', 'plan', 'period', 'amount_usd', 'discount_usd', 'pay_url', 'created_at', 'expires_at', 'paid_at'],
      );
      expect(invoice).to.include({ status: 'open', plan: 'basic', period: 'month', amount_usd: '20.00', discount_usd: '0.00' });
      expect(invoice.pay_url.startsWith(node.baseUrl)).to.equal(true);
      expect((await node.request('GET', new URL(invoice.pay_url).pathname)).text).to.include('This is a test payment');
      expect((await get(user, 'subscription')).body).to.include({ status: 'trial', current_period_end: null });

      expect((await pay(invoice)).text).to.include('Paid');
      const end = addMonths(nowMs, 1);
      expect((await get(user, 'subscription')).body).to.deep.include({
        ...{ plan: 'basic', status: 'active', cancel_at_period_end: false },
        current_period_end: new Date(end).toISOString(),
      });
      const { items } = (await get(user, 'invoices')).body;
      expect(items[0]).to.include({ id: invoice.id, status: 'paid', pay_url: null, paid_at: new Date(nowMs).toISOString() });
    });

    it('a year costs twelve months', async () => {
      const invoice = await subscribe(await node.register(), { plan: 'pro', period: 'year' });
      expect(invoice.amount_usd).to.equal('360.00');
    });

    it('gives the open invoice again, and another wish takes its place', async () => {
      const user = await node.register();
      const first = await subscribe(user, { plan: 'basic', period: 'month' });
      expect(await subscribe(user, { plan: 'basic', period: 'month' })).to.deep.equal(first);
      const second = await subscribe(user, { plan: 'pro', period: 'month' });
      expect(second.id).to.not.equal(first.id);
      const { items } = (await get(user, 'invoices')).body;
      expect(items.map(({ status }: { status: string }) => status).sort()).to.deep.equal(['open', 'void']);
      expect((await pay(first)).text).to.include('can no longer be made');
      expect((await get(user, 'subscription')).body.status).to.equal('trial');
    });

    it('of ten wishes at once one invoice comes', async () => {
      const user = await node.register();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => post(user, 'subscribe', { plan: 'basic', period: 'month' })),
      );
      const ids = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.id));
      expect(ids.size).to.equal(1);
      expect((await get(user, 'invoices')).body.items).to.have.length(1);
    });

    it('is answered once under one Idempotency-Key', async () => {
      const user = await node.register();
      const once = { 'idempotency-key': 'once' };
      const first = await post(user, 'subscribe', { plan: 'basic', period: 'month' }, once);
      await subscribe(user, { plan: 'pro', period: 'month' });
      expect((await post(user, 'subscribe', { plan: 'basic', period: 'month' }, once)).text).to.equal(first.text);
      expect((await post(user, 'subscribe', { plan: 'pro', period: 'year' }, once)).status).to.equal(422);
    });

    it('credits 90,000 USD by a command the first time that the plan is pro', async () => {
      const user = await paidUser('pro');
      const { address } = await userOf(user);
      const entries = await node.redis.xrange(shardKeys.commands(shardOf(address, 16), address), '-', '+');
      const commands = entries.map(([, [, text]]) => JSON.parse(String(text)).command);
      expect(commands).to.deep.equal([
        { type: 'openAccount', depositUsd: '10000' },
        { type: 'creditPlan', usd: '90000' },
      ]);
    });

    it('lifts what is paid for to pro for the difference of the time that is left', async () => {
      const user = await paidUser('basic');
      const endMs = (await userOf(user)).subscriptionExpiresAt?.getTime() ?? 0;
      const atOnce = await subscribe(user, { plan: 'pro', period: 'month' });
      expect(atOnce.amount_usd).to.equal('10.00');
      nowMs += Math.round((endMs - nowMs) / 2);
      const later = await subscribe(user, { plan: 'pro', period: 'month' });
      expect(later.amount_usd).to.equal('5.00');
      await pay(later);
      expect((await get(user, 'subscription')).body).to.deep.include({
        plan: 'pro',
        current_period_end: new Date(endMs).toISOString(),
      });
    });

    it('wants a word before history goes, and makes the plan basic when pro is over', async () => {
      const user = await paidUser('pro');
      const refused = await post(user, 'subscribe', { plan: 'basic', period: 'month' });
      expect([refused.status, refused.body.code]).to.deep.equal([400, 'confirm_data_loss']);
      expect((await get(user, 'invoices')).body.items).to.have.length(1);
      const endMs = (await userOf(user)).subscriptionExpiresAt?.getTime() ?? 0;
      await pay(await subscribe(user, { plan: 'basic', period: 'month', confirm_data_loss: true }));
      expect((await get(user, 'subscription')).body.plan).to.equal('pro');
      nowMs = endMs;
      await poll();
      expect((await userOf(user)).plan).to.equal('basic');
      // The session of a month ago is over.
      expect((await get(await loggedIn(user), 'subscription')).body).to.include({ plan: 'basic', status: 'active' });
    });

    const bad: unknown[] = [
      ...[[], {}, { plan: 'basic' }, { plan: 'gold', period: 'month' }, { plan: 'basic', period: 'week' }],
      ...[
        { plan: { $gt: '' }, period: 'month' },
        { plan: 'basic', period: 'month', discount_code: 7 },
      ],
      ...[
        { plan: 'basic', period: 'month', discount_code: '💥' },
        { plan: 'basic', period: 'month', discount_code: 'x'.repeat(65) },
      ],
      ...[
        { plan: 'basic', period: 'month', confirm_data_loss: 'yes' },
        { plan: 'basic', period: 'month', discount_code: 'NONE' },
      ],
    ];
    it('refuses what it cannot read, and makes nothing', async () => {
      const user = await node.register();
      for (const body of bad) {
        const answer = await post(user, 'subscribe', body);
        expect(answer.status, JSON.stringify(body)).to.equal(400);
        expect(answer.body).to.have.all.keys('detail', 'code', 'msg');
      }
      expect((await get(user, 'invoices')).body.items).to.deep.equal([]);
    });
  });

  describe('invoices', () => {
    it('come in pages that new ones do not move', async () => {
      const user = await node.register();
      const ids: string[] = [];
      for (const period of ['month', 'year', 'month', 'year', 'month']) {
        nowMs += 1000;
        ids.unshift((await subscribe(user, { plan: 'basic', period })).id);
      }
      const first = (await get(user, 'invoices?limit=2')).body;
      nowMs += 1000;
      await subscribe(user, { plan: 'pro', period: 'month' });
      const second = (await get(user, `invoices?limit=2&cursor=${first.next_cursor}`)).body;
      const third = (await get(user, `invoices?limit=2&cursor=${second.next_cursor}`)).body;
      const seen = [first, second, third].flatMap(({ items }) => items.map(({ id }: { id: string }) => id));
      expect(seen).to.deep.equal(ids);
      expect(third.next_cursor).to.equal(null);
    });

    it("are nobody else's", async () => {
      const [owner, other] = [await node.register(), await node.register()];
      await subscribe(owner, { plan: 'basic', period: 'month' });
      expect((await get(other, 'invoices')).body).to.deep.equal({ items: [], next_cursor: null });
    });

    it('refuses pages that there are none of', async () => {
      const user = await node.register();
      for (const query of [
        'limit=0',
        'limit=501',
        'limit=x',
        'limit=1&limit=2',
        'cursor=',
        'cursor=abc',
        'cursor=%F0%9F%92%A5',
      ]) {
        expect((await get(user, `invoices?${query}`)).status, query).to.equal(400);
      }
    });

    it('expire when nobody pays, and can be had anew', async () => {
      const user = await node.register();
      const invoice = await subscribe(user, { plan: 'basic', period: 'month' });
      nowMs = Date.parse(invoice.expires_at);
      await poll();
      expect((await get(user, 'invoices')).body.items[0]).to.include({ status: 'expired', pay_url: null });
      expect((await pay(invoice)).text).to.include('can no longer be made');
      expect((await subscribe(user, { plan: 'basic', period: 'month' })).id).to.not.equal(invoice.id);
    });
  });

  describe('a payment', () => {
    it('extends once, whoever sees it first: pages, polls and operators at once', async () => {
      const user = await node.register();
      const invoice = await subscribe(user, { plan: 'basic', period: 'month' });
      const seen = [pay(invoice), pay(invoice), payTestInvoice(node.billing, invoice.id, 'operator')];
      nowMs += 60_000;
      await Promise.all([...seen, poll(), poll(), applyPayment(node.billing, invoice.id, 'provider:test')]);
      const { subscriptionExpiresAt, appliedInvoices } = await userOf(user);
      expect(appliedInvoices).to.deep.equal([invoice.id]);
      const paidAt = (await node.billing.invoices.find(invoice.id))?.paidAt?.getTime() ?? 0;
      expect(subscriptionExpiresAt?.getTime()).to.equal(addMonths(paidAt, 1));
      const rows = await node.billing.audit.page(user.id, { limit: 100 });
      expect(rows.filter(({ action }) => action === 'invoice.paid')).to.have.length(1);
    });

    it('that only the provider has seen is found by the poll', async () => {
      const user = await node.register();
      const invoice = await subscribe(user, { plan: 'pro', period: 'month' });
      await node.billing.test?.pay(`${invoice.id}:1`);
      nowMs += 11_000;
      await Promise.all([poll(), poll()]);
      expect((await get(user, 'subscription')).body).to.include({ plan: 'pro', status: 'active' });
    });

    it('whose process died between paid and applied, or before it said so, is completed by the poll', async () => {
      const [early, late] = [await node.register(), await node.register()];
      const [one, two] = [
        await subscribe(early, { plan: 'basic', period: 'month' }),
        await subscribe(late, { plan: 'basic', period: 'month' }),
      ];
      await node.billing.invoices.pay(one.id, new Date(nowMs));
      await pay(two);
      const endBefore = (await userOf(late)).subscriptionExpiresAt;
      await node.mongo.db
        .collection<{ _id: string }>('invoices')
        .updateOne({ _id: two.id }, { $set: { appliedAt: null, pollAt: new Date(nowMs) } });
      await poll();
      expect((await get(early, 'subscription')).body.status).to.equal('active');
      expect((await userOf(late)).subscriptionExpiresAt).to.deep.equal(endBefore);
      for (const { id } of [one, two]) expect((await node.billing.invoices.find(id))?.appliedAt).to.not.equal(null);
    });

    it('for an expired invoice still buys what the invoice says', async () => {
      const user = await node.register();
      const invoice = await subscribe(user, { plan: 'basic', period: 'month' });
      nowMs = Date.parse(invoice.expires_at);
      await poll();
      await applyPayment(node.billing, invoice.id, 'provider:stripe');
      expect((await get(user, 'subscription')).body.current_period_end).to.equal(new Date(addMonths(nowMs, 1)).toISOString());
    });

    it('that can buy nothing any more is given back', async () => {
      const user = await paidUser('basic');
      nowMs += 1000;
      const lift = await subscribe(user, { plan: 'pro', period: 'month' });
      const before = await userOf(user);
      expect(await grantPlan(node.billing, before, { plan: 'pro', untilMs: nowMs + 90 * DAY_MS })).to.equal(true);
      await pay(lift);
      expect((await get(user, 'invoices')).body.items[0]).to.include({ id: lift.id, status: 'refunded' });
      expect((await userOf(user)).subscriptionExpiresAt?.getTime()).to.equal(nowMs + 90 * DAY_MS);
    });

    it('of a user who is gone is given back, and their open invoice ends', async () => {
      const [payer, other] = [await node.register(), await node.register()];
      const [paid, open] = [
        await subscribe(payer, { plan: 'basic', period: 'month' }),
        await subscribe(other, { plan: 'basic', period: 'month' }),
      ];
      await node.mongo.db.collection<{ _id: string }>('users').deleteMany({ _id: { $in: [payer.id, other.id] } });
      await pay(paid);
      nowMs += 11_000;
      await poll();
      expect((await node.billing.invoices.find(paid.id))?.status).to.equal('refunded');
      expect((await node.billing.invoices.find(open.id))?.status).to.equal('void');
      expect(await node.billing.test?.look(`${open.id}:1`)).to.equal('gone');
    });

    it('of one who guesses the address of the page is a 404', async () => {
      expect((await node.request('POST', '/v1/billing/test-payments/inv_000000000000')).status).to.equal(404);
    });
  });

  it('one user wishes for 60 plans an hour and tries 60 codes; a repetition under an Idempotency-Key is no further wish', async () => {
    const user = await node.register();
    const wish = (plan: string, more: Record<string, string> = {}): Promise<Answer> =>
      node.post('/v1/billing/subscribe', { plan, period: 'month' }, { authorization: `Bearer ${user.token}`, ...more });
    const first = await wish('pro', { 'idempotency-key': 'the-first-wish' });
    for (let n = 1; n < 60; n++) expect((await wish(n % 2 ? 'basic' : 'pro')).status).to.equal(200);
    expect((await wish('pro')).body.code).to.equal('rate_limited');
    const again = await wish('pro', { 'idempotency-key': 'the-first-wish' });
    expect([again.status, again.body.id]).to.deep.equal([200, first.body.id]);
    const tries = [];
    for (let n = 0; n < 61; n++) tries.push((await post(user, 'discount/apply', { code: `GUESS${n}` })).body.code);
    expect(tries).to.deep.equal([...Array(60).fill('discount_unknown'), 'rate_limited']);
    const other = await node.register();
    expect((await post(other, 'discount/apply', { code: 'GUESS' })).body.code).to.equal('discount_unknown');
  });

  describe('discounts', () => {
    it('take percent off the next invoice, once a user', async () => {
      await makeCode('TWENTY');
      const user = await node.register();
      const { body } = await post(user, 'discount/apply', { code: 'twenty' });
      expect(body).to.deep.equal({ code: 'TWENTY', kind: 'percent', value: 20, applies_to: 'first', expires_at: null });
      const invoice = await subscribe(user, { plan: 'basic', period: 'month' });
      expect(invoice).to.include({ amount_usd: '16.00', discount_usd: '4.00' });
      await pay(invoice);
      const again = await post(user, 'discount/apply', { code: 'TWENTY' });
      expect([again.status, again.body.code]).to.deep.equal([409, 'discount_already_used']);
      expect((await subscribe(user, { plan: 'basic', period: 'month' })).amount_usd).to.equal('20.00');
      expect(await usesOf('TWENTY')).to.equal(1);
    });

    it('of an amount go with subscribe, and hold for all payments where they say so', async () => {
      await makeCode('FIVE', { kind: 'amount', value: 500, appliesTo: 'all', usesMax: 1 });
      const user = await node.register();
      const wish = { plan: 'basic', period: 'month', discount_code: 'FIVE' };
      await pay(await subscribe(user, wish));
      expect((await subscribe(user, { plan: 'basic', period: 'month' })).discount_usd).to.equal('5.00');
      expect((await post(await node.register(), 'subscribe', wish)).body.code).to.equal('discount_used_up');
    });

    it('of 100 percent pay at once', async () => {
      await makeCode('FREE', { value: 100 });
      const user = await node.register();
      const invoice = await subscribe(user, { plan: 'pro', period: 'month', discount_code: 'FREE' });
      expect(invoice).to.include({ status: 'paid', amount_usd: '0.00', discount_usd: '30.00', pay_url: null });
      expect((await get(user, 'subscription')).body).to.include({ plan: 'pro', status: 'active' });
    });

    it('of 100 percent that were spent when the process died pay also an invoice that ends meanwhile', async () => {
      await makeCode('SPENT', { value: 100, usesMax: 1 });
      const user = await node.register();
      const before = await userOf(user);
      const { id, expires_at } = await subscribe(user, { plan: 'pro', period: 'month', discount_code: 'SPENT' });
      // The state that such a process leaves: the use is spent, and nothing else was written yet.
      const { db } = node.mongo;
      await db.collection<User>('users').replaceOne({ _id: user.id }, before);
      const open = { status: 'open', openFor: user.id, paidAt: null, appliedAt: null };
      await db.collection<{ _id: string }>('invoices').updateOne({ _id: id }, { $set: open });
      const invoice = await node.billing.invoices.find(id);
      nowMs = Date.parse(expires_at);
      expect(await closeInvoice(node.billing, invoice as Invoice, 'expired')).to.equal('paid');
      expect((await node.billing.invoices.find(id))?.status).to.equal('paid');
      expect((await userOf(user)).appliedInvoices).to.deep.equal([id]);
    });

    it('with one use left go to one of fifty at once', async () => {
      await makeCode('LAST', { usesMax: 1 });
      const users = await Promise.all(Array.from({ length: 50 }, () => node.register()));
      const answers = await Promise.all(
        users.map((user, n) =>
          n % 2 === 0
            ? post(user, 'discount/apply', { code: 'LAST' })
            : post(user, 'subscribe', { plan: 'basic', period: 'month', discount_code: 'LAST' }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code))).to.deep.equal(
        new Set(['discount_used_up']),
      );
      expect(await usesOf('LAST')).to.equal(1);
    });

    it('with five uses go to five of twenty at once', async () => {
      await makeCode('SCORE', { usesMax: 5 });
      const users = await Promise.all(Array.from({ length: 20 }, () => node.register()));
      const answers = await Promise.all(users.map((user) => post(user, 'discount/apply', { code: 'SCORE' })));
      expect(answers.filter(({ status }) => status === 200)).to.have.length(5);
    });

    it('come back from an invoice that expires, and go with one that replaces another', async () => {
      await makeCode('BACK', { usesMax: 1 });
      const user = await node.register();
      await subscribe(user, { plan: 'basic', period: 'month', discount_code: 'BACK' });
      const replaced = await subscribe(user, { plan: 'pro', period: 'month' });
      expect(replaced.discount_usd).to.equal('6.00');
      await poll();
      expect(await usesOf('BACK')).to.equal(1);
      nowMs = Date.parse(replaced.expires_at);
      await poll();
      expect(await usesOf('BACK')).to.equal(0);
    });

    it('that another user has by now do not hold for a payment that comes late: it is given back', async () => {
      await makeCode('LATE', { usesMax: 1 });
      const [early, next] = [await node.register(), await node.register()];
      const expired = await subscribe(early, { plan: 'pro', period: 'month', discount_code: 'LATE' });
      nowMs = Date.parse(expired.expires_at);
      await poll();
      await pay(await subscribe(next, { plan: 'pro', period: 'month', discount_code: 'LATE' }));
      await applyPayment(node.billing, expired.id, 'provider:stripe');
      expect((await node.billing.invoices.find(expired.id))?.status).to.equal('refunded');
      expect((await userOf(early)).subscriptionExpiresAt).to.equal(null);
      expect(await usesOf('LATE')).to.equal(1);
    });

    it('are free again at once when their invoice is void', async () => {
      await makeCode('AGAIN', { usesMax: 1 });
      await makeCode('OTHER');
      const user = await paidUser('basic');
      const wish = { plan: 'basic', period: 'month' };
      await subscribe(user, { ...wish, discount_code: 'AGAIN' });
      await subscribe(user, { ...wish, discount_code: 'OTHER' });
      expect([await usesOf('AGAIN'), await usesOf('OTHER')]).to.deep.equal([0, 1]);
      await subscribe(user, { ...wish, discount_code: 'AGAIN' });
      expect([await usesOf('AGAIN'), await usesOf('OTHER')]).to.deep.equal([1, 0]);
      await post(user, 'cancel', {});
      expect(await usesOf('AGAIN')).to.equal(0);
    });

    it('that are reserved and never used come back after a week', async () => {
      await makeCode('IDLE', { usesMax: 1 });
      await post(await node.register(), 'discount/apply', { code: 'IDLE' });
      nowMs += 7 * DAY_MS - 1000;
      await poll();
      expect(await usesOf('IDLE')).to.equal(1);
      nowMs += 1000;
      await poll();
      expect(await usesOf('IDLE')).to.equal(0);
    });

    it('are refused unknown and after their end', async () => {
      await makeCode('OVER', { expiresAtMs: nowMs });
      const user = await node.register();
      for (const [code, want] of [
        ['OVER', 'discount_expired'],
        ['NEVER', 'discount_unknown'],
      ]) {
        const { status, body } = await post(user, 'discount/apply', { code });
        expect([status, body.code]).to.deep.equal([400, want]);
      }
      for (const body of [
        {},
        [],
        { code: '' },
        { code: 1 },
        { code: { $ne: null } },
        { code: 'a b' },
        { code: 'x'.repeat(65) },
      ]) {
        expect((await post(user, 'discount/apply', body)).status).to.equal(400);
      }
    });
  });

  describe('the next period', () => {
    const subscribed = async (): Promise<{ user: TestUser; endMs: number }> => {
      const user = await paidUser('basic');
      return { user, endMs: (await userOf(user)).subscriptionExpiresAt?.getTime() ?? 0 };
    };

    it('has its invoice five days before, once, and its payment goes on from the end', async () => {
      const { user, endMs } = await subscribed();
      nowMs = endMs - 5 * DAY_MS - 1000;
      await poll();
      expect((await get(user, 'invoices')).body.items).to.have.length(1);
      nowMs += 1000;
      await Promise.all([poll(), poll()]);
      await poll();
      const { items } = (await get(user, 'invoices')).body;
      expect(items).to.have.length(2);
      expect(items[0]).to.include({
        status: 'open',
        amount_usd: '20.00',
        expires_at: new Date(endMs + 3 * DAY_MS).toISOString(),
      });
      await pay(items[0]);
      expect((await get(user, 'subscription')).body.current_period_end).to.equal(new Date(addMonths(endMs, 1)).toISOString());
    });

    it('is past due in the days of grace and expired after them', async () => {
      const { user: subscriber, endMs } = await subscribed();
      let user = subscriber;
      for (const [afterMs, want] of [
        [-1, 'active'],
        [0, 'past_due'],
        [3 * DAY_MS - 1, 'past_due'],
        [3 * DAY_MS, 'expired'],
      ] as const) {
        nowMs = endMs + afterMs;
        // Most months are longer than an access token lives.
        user = await loggedIn(user);
        expect((await get(user, 'subscription')).body.status).to.equal(want);
      }
      expect(await subscribe(user, { plan: 'basic', period: 'month' })).to.include({ status: 'open' });
    });

    it('does not come once canceled, until something is paid again', async () => {
      const { user: subscriber, endMs } = await subscribed();
      let user = subscriber;
      const canceled = await post(user, 'cancel', {});
      expect(canceled.body).to.include({ status: 'active', cancel_at_period_end: true });
      expect((await post(user, 'cancel', {})).body).to.deep.equal(canceled.body);
      nowMs = endMs - DAY_MS;
      user = await loggedIn(user);
      await poll();
      expect((await get(user, 'invoices')).body.items).to.have.length(1);
      await pay(await subscribe(user, { plan: 'basic', period: 'month' }));
      expect((await get(user, 'subscription')).body.cancel_at_period_end).to.equal(false);
    });

    it('cannot be canceled by who has paid nothing', async () => {
      const { status, body } = await post(await node.register(), 'cancel', {});
      expect([status, body.code]).to.deep.equal([409, 'no_subscription']);
    });
  });

  describe('the page that payers come back to', () => {
    const page = (query: string): Promise<Answer> => node.request('GET', `/billing${query}`);

    it('says what became of the invoice, looks again while it is open, and tells nothing of its user', async () => {
      const user = await node.register();
      const invoice = await subscribe(user, { plan: 'basic', period: 'month' });
      const open = await page(`?invoice=${invoice.id}`);
      expect(open.status).to.equal(200);
      expect(open.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(open.headers.get('content-security-policy')).to.match(/^default-src 'none'/);
      expect(open.text).to.include('http-equiv="refresh"').and.to.include('plan basic, one month, 20.00 USD');
      for (const secret of [user.email, user.id, new URL(invoice.pay_url).pathname]) expect(open.text).to.not.include(secret);
      await pay(invoice);
      const paid = await page(`?invoice=${invoice.id}`);
      expect(paid.text).to.include('Paid, thank you').and.to.not.include('refresh');
      await takeBackPayment(node.billing, invoice.id, { how: 'refunded', seenBy: 'operator' });
      expect((await page(`?invoice=${invoice.id}`)).text).to.include('The payment was given back');
    });

    it('says so of an invoice that is not there, whatever its name, and never repeats the name', async () => {
      for (const name of ['inv_000', '', '<script>alert(1)</script>', 'inv_%00', '$ne', `inv_${'a'.repeat(5000)}`]) {
        const { status, text } = await page(`?invoice=${encodeURIComponent(name)}`);
        expect(status, name.slice(0, 20)).to.equal(200);
        expect(text).to.include('There is no such invoice').and.to.not.include('alert');
      }
      expect((await page('?invoice=inv_1&invoice=inv_2')).text).to.include('There is no such invoice');
      expect((await page('')).text).to.include('<h1>Billing</h1>');
    });
  });

  it('no secret address of a payment is in a log line', async () => {
    const user = await node.register();
    const invoice = await subscribe(user, { plan: 'basic', period: 'month' });
    await pay(invoice);
    const token = new URL(invoice.pay_url).pathname.split('/').at(-1) ?? '';
    expect(token).to.have.length(32);
    expect(node.logLines.join('')).to.not.include(token);
  });
});
