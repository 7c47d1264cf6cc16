// The rows of the specification's tables, each as a test that names section and row, through HTTP on real stores. The
// details of a row have tests of their own elsewhere; this file shows that every row is tested.
import { expect } from 'chai';
import { settlementAfter } from '../../src/jobs/domain/fundingPeriod.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { type Answer, ApiNode, type TestUser } from '../support/apiNode.ts';
import { gatewayOf } from '../support/gatewayOf.ts';
import { orderAction } from '../support/orderWire.ts';
import { until } from '../support/until.ts';
import { useStores } from '../support/useStores.ts';

const DAY_MS = 86_400_000;
const PASSWORD = 'a good password';
const BASE = '/v1/exchanges/perpx';

interface Trader extends TestUser {
  readonly apiKey: string;
}

describe('specification: every row of its tables', function () {
  this.timeout(600_000);
  const stores = useStores();
  let node: ApiNode;
  let clockOffsetMs = 0;
  let coin: number;

  before(async () => {
    node = await ApiNode.start(stores, { now: () => Date.now() + clockOffsetMs });
    node.exchange.setMarket('SOL', { mark: '100', bids: [['99', '50']], asks: [['101', '50']] });
    coin = node.exchange.assetId('SOL');
  });
  after(() => node.stop());
  afterEach(() => {
    clockOffsetMs = 0;
  });

  const bearer = ({ token }: TestUser): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const keyed = ({ apiKey }: Trader): Record<string, string> => ({ 'x-api-key': apiKey });
  const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> => node.request('GET', path, { headers });
  const login = ({ email }: TestUser, password = PASSWORD): Promise<Answer> => node.post('/v1/auth/login', { email, password });
  const info = (who: Trader, body: object): Promise<Answer> => node.post(`${BASE}/info`, body, keyed(who));
  const act = (who: Trader, action: object): Promise<Answer> =>
    node.post(`${BASE}/exchange`, { action, nonce: Date.now() }, keyed(who));
  const trader = async (): Promise<Trader> => {
    const user = await node.register();
    return { ...user, ...(await node.createKey(user)) };
  };
  const onPlan = async (plan: string): Promise<Trader> => {
    const user = await node.register();
    await node.mongo.db.collection<{ _id: string }>('users').updateOne({ _id: user.id }, { $set: { plan } });
    return { ...user, ...(await node.createKey(user)) };
  };
  const planOf = async (plan: string): Promise<Record<string, unknown>> =>
    (await get('/v1/billing/plans')).body.plans.find(({ id }: { id: string }) => id === plan);

  describe('2, user', () => {
    for (const [field, form] of [
      ['id', /^user_.+/],
      ['email', /^.+@example\.com$/],
      ['plan', /^basic$/],
    ] as const) {
      it(`spec 2 user.${field}, in the answer of login`, async () => {
        expect((await login(await node.register())).body.user[field]).to.match(form);
      });
    }
  });

  describe('2 and 8, plans', () => {
    const rows = [
      { plan: 'basic', price: '20.00', requests: 200, keys: 5, balance: '10000.00', days: 30 },
      { plan: 'pro', price: '30.00', requests: 500, keys: 10, balance: '100000.00', days: 90 },
    ];
    for (const { plan, price, requests, keys, balance, days } of rows) {
      it(`spec 2 ${plan}: price per month`, async () => expect((await planOf(plan))['price_usd']).to.equal(price));

      it(`spec 2, 8 ${plan}: requests per minute, per API key`, async () => {
        expect((await planOf(plan))['requests_per_minute']).to.equal(requests);
        const who = await onPlan(plan);
        const answers = await Promise.all(Array.from({ length: requests + 1 }, () => get('/v1/billing/plans', keyed(who))));
        expect(answers.filter(({ status }) => status === 200)).to.have.length(requests);
        const refused = answers.filter(({ status }) => status === 429);
        expect(refused.map(({ headers }) => headers.get('x-ratelimit-limit'))).to.deep.equal([String(requests)]);
        const another = await node.createKey(who);
        expect((await get('/v1/billing/plans', { 'x-api-key': another.apiKey })).status, 'another key').to.equal(200);
      });

      it(`spec 2, 8 ${plan}: maximum API keys`, async () => {
        expect((await planOf(plan))['max_api_keys']).to.equal(keys);
        const who = await onPlan(plan);
        for (let n = 1; n < keys; n++) await node.createKey(who);
        const oneMore = await node.post('/v1/auth/api-keys', { name: 'one more' }, bearer(who));
        expect([oneMore.status, oneMore.body.code]).to.deep.equal([409, 'api_key_limit']);
      });

      it(`spec 2, 8 ${plan}: virtual balance`, async () => {
        expect(Number((await planOf(plan))['balance_usd'])).to.equal(Number(balance));
        const { status, body } = await node.post(`${BASE}/account/reset`, {}, bearer(await onPlan(plan)));
        expect([status, Number(body.balance)]).to.deep.equal([200, Number(balance)]);
      });

      it(`spec 2, 8 ${plan}: history retained (what goes when is retention.int.test.ts)`, async () =>
        expect((await planOf(plan))['history_days']).to.equal(days));
    }

    it('spec 2, 8: a new account has a 3-day trial and 10,000 USD', async () => {
      const user = await node.register();
      const { body } = await get('/v1/auth/me', bearer(user));
      expect(body.subscription_status).to.equal('trial');
      expect(Date.parse(body.trial_expires_at) - Date.parse(body.created_at)).to.equal(3 * DAY_MS);
      expect(node.exchange.commands.findLast(({ type }) => type === 'openAccount')).to.deep.include({ depositUsd: '10000' });
    });
  });

  describe('3, states', () => {
    it('spec 3 order: open, then canceled; filled', async () => {
      const who = await trader();
      const placed = await act(who, orderAction(coin, { px: '90', sz: '1' }, { px: '101', sz: '1', tif: 'Ioc' }));
      const [{ resting }, { filled }] = placed.body.response.data.statuses;
      expect((await info(who, { type: 'orderStatus', oid: String(resting.oid) })).body.order.status).to.equal('open');
      await act(who, { type: 'cancel', cancels: [{ a: coin, o: resting.oid }] });
      const { items } = (await get(`${BASE}/account/orders`, keyed(who))).body;
      const statusOf = (oid: number) => items.find((item: { oid: number }) => item.oid === oid).status;
      expect([statusOf(resting.oid), statusOf(filled.oid)]).to.deep.equal(['canceled', 'filled']);
    });

    it('spec 3 account: trial', async () =>
      expect((await get('/v1/auth/me', bearer(await node.register()))).body.subscription_status).to.equal('trial'));

    it('spec 3 account: subscription expired / trial ended', async () => {
      const who = await trader();
      clockOffsetMs = 3 * DAY_MS;
      expect((await info(who, { type: 'allMids' })).status).to.equal(403);
    });

    for (const mode of ['cross', 'isolated']) {
      it(`spec 3 margin mode: ${mode}`, async () => {
        const who = await trader();
        await node.post(`${BASE}/account/reset`, {}, keyed(who));
        await act(who, { type: 'updateLeverage', asset: coin, isCross: mode === 'cross', leverage: 5 });
        await act(who, orderAction(coin, { px: '101', sz: '1', tif: 'Ioc' }));
        const { assetPositions } = (await info(who, { type: 'clearinghouseState' })).body;
        expect(assetPositions[0].position.leverage).to.include({ type: mode, value: 5 });
      });
    }
  });

  describe('4.3, accounts and authentication', () => {
    it('spec 4.3 POST /v1/auth/register: no credential', async () => {
      const { status, body } = await node.post('/v1/auth/register', { email: 'row@example.com', password: PASSWORD });
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('access_token', 'token_type', 'user', 'user_id', 'email');
    });

    it('spec 4.3 POST /v1/auth/login: access_token, token_type, user', async () => {
      const user = await node.register();
      const { status, body } = await login(user);
      expect([status, body.token_type]).to.deep.equal([200, 'bearer']);
      expect(body.access_token.split('.')).to.have.length(3);
      expect(body.user).to.have.all.keys('id', 'email', 'plan');
      for (const missing of [{ email: user.email }, { password: PASSWORD }]) {
        expect((await node.post('/v1/auth/login', missing)).status).to.equal(400);
      }
      const text = await node.post('/v1/auth/login', { email: user.email, password: PASSWORD }, { 'content-type': 'text/plain' });
      expect(text.status, 'application/json only').to.equal(415);
    });

    it('spec 4.3 GET /v1/auth/me: JWT', async () => {
      const who = await trader();
      expect((await get('/v1/auth/me', bearer(who))).body.email).to.equal(who.email);
      expect((await get('/v1/auth/me', keyed(who))).status).to.equal(401);
    });

    it('spec 4.3 POST, GET, DELETE /v1/auth/api-keys: JWT', async () => {
      const user = await node.register();
      const made = await node.post('/v1/auth/api-keys', { name: 'bot' }, bearer(user));
      // The limits of a key, and the account that it is bound to, are additions of this service.
      const added = ['scopes', 'expires_at', 'addresses', 'account', 'trade_limits'];
      expect(made.body).to.have.all.keys('api_key', 'id', 'name', 'message', ...added);
      const listed = await get('/v1/auth/api-keys', bearer(user));
      expect(listed.body.api_keys.map(({ id }: { id: string }) => id)).to.deep.equal([made.body.id]);
      const revoked = await node.request('DELETE', `/v1/auth/api-keys/${made.body.id}`, { headers: bearer(user) });
      expect(revoked.status).to.equal(200);
      expect((await get('/v1/auth/api-keys', bearer(user))).body.api_keys).to.deep.equal([]);
      const key = { 'x-api-key': made.body.api_key };
      for (const [method, path] of [
        ['POST', '/v1/auth/api-keys'],
        ['GET', '/v1/auth/api-keys'],
        ['DELETE', `/v1/auth/api-keys/${made.body.id}`],
      ] as const) {
        expect((await node.request(method, path, { headers: key })).status, `${method} with a key`).to.equal(401);
      }
    });

    it('spec 4.3, 8 POST /v1/auth/account/reset: JWT or key, only below 100 USD', async () => {
      const who = await trader();
      await node.post(`${BASE}/account/reset`, {}, keyed(who));
      for (const headers of [bearer(who), keyed(who)]) {
        const { status, body } = await node.post('/v1/auth/account/reset', {}, headers);
        expect([status, body.detail]).to.deep.equal([400, 'Balance too high for reset']);
      }
      expect((await node.post('/v1/auth/account/reset', {})).status).to.equal(401);
    });

    it('spec 4.3 POST /v1/auth/forgot-password and reset-password: no credential', async () => {
      const user = await node.register();
      expect((await node.post('/v1/auth/forgot-password', { email: user.email })).status).to.equal(200);
      await until(
        async () =>
          (await node.mongo.db.collection<{ _id: string; resetTokens?: unknown[] }>('users').findOne({ _id: user.id }))
            ?.resetTokens?.length === 1,
      );
      const wrong = await node.post('/v1/auth/reset-password', { token: 'no such token', new_password: 'another good one' });
      expect([wrong.status, wrong.body.code]).to.deep.equal([400, 'invalid_reset_token']);
    });
  });

  describe('4.4, dashboard: a JWT or an API key', () => {
    const reads: [path: string, fields: string[]][] = [
      ['overview', ['account_value', 'balance', 'positions', 'realized_pnl', 'unrealized_pnl']],
      ['positions', ['items']],
      ['orders', ['items', 'next_cursor']],
      ['orders/open', ['items', 'next_cursor']],
      ['fills', ['items', 'next_cursor']],
      ['analytics', ['win_rate', 'net_pnl', 'volume']],
      ['equity-curve', ['points']],
    ];
    for (const [path, fields] of reads) {
      it(`spec 4.4 GET account/${path}`, async () => {
        const who = await trader();
        for (const headers of [bearer(who), keyed(who)]) {
          const { status, body } = await get(`${BASE}/account/${path}`, headers);
          expect(status).to.equal(200);
          expect(body).to.include.keys(...fields);
        }
        expect((await get(`${BASE}/account/${path}`)).status).to.equal(401);
      });
    }

    it('spec 4.4 GET account/orders: filterable by status', async () => {
      const who = await trader();
      await act(who, orderAction(coin, { px: '90', sz: '1' }));
      const { items } = (await get(`${BASE}/account/orders?status=open`, keyed(who))).body;
      expect(new Set(items.map(({ status }: { status: string }) => status))).to.deep.equal(new Set(['open']));
    });

    it('spec 4.4 POST account/reset: deletes all data', async () => {
      const who = await trader();
      await act(who, orderAction(coin, { px: '101', sz: '1', tif: 'Ioc' }));
      for (const headers of [bearer(who), keyed(who)]) {
        expect((await node.post(`${BASE}/account/reset`, {}, headers)).status).to.equal(200);
        for (const list of ['positions', 'orders', 'fills']) {
          expect((await get(`${BASE}/account/${list}`, headers)).body.items, list).to.deep.equal([]);
        }
      }
      expect((await node.post(`${BASE}/account/reset`, {})).status).to.equal(401);
    });

    it('spec 4.4, 8 POST account/set-balance: from 1,000 to 10,000,000 USD', async () => {
      const who = await trader();
      await node.post(`${BASE}/account/reset`, {}, keyed(who));
      const set = (balance: unknown, headers = keyed(who)) => node.post(`${BASE}/account/set-balance`, { balance }, headers);
      for (const balance of ['1000', 10_000_000, '1234.567891']) {
        expect(Number((await set(balance, bearer(who))).body.balance)).to.equal(Number(balance));
      }
      for (const balance of ['999.999999', '10000000.000001']) expect((await set(balance)).status).to.equal(400);
      expect(Number((await get(`${BASE}/account/overview`, keyed(who))).body.balance)).to.equal(1234.567891);
    });
  });

  describe('4.5, billing', () => {
    it('spec 4.5 GET /v1/billing/plans', async () =>
      expect((await get('/v1/billing/plans')).body.plans.map(({ id }: { id: string }) => id)).to.deep.equal(['basic', 'pro']));

    it('spec 4.5 GET /v1/billing/subscription', async () => {
      const { body } = await get('/v1/billing/subscription', bearer(await node.register()));
      expect(body).to.have.all.keys('plan', 'status', 'trial_expires_at', 'current_period_end', 'cancel_at_period_end');
    });

    it('spec 4.5 POST /v1/billing/subscribe, GET /v1/billing/invoices', async () => {
      const user = await node.register();
      const made = await node.post('/v1/billing/subscribe', { plan: 'basic', period: 'month' }, bearer(user));
      expect(made.body).to.include({ status: 'open', plan: 'basic', period: 'month', amount_usd: '20.00', paid_at: null });
      const { body } = await get('/v1/billing/invoices', bearer(user));
      expect(body).to.deep.equal({ items: [made.body], next_cursor: null });
    });

    it('spec 4.5 POST /v1/billing/discount/apply', async () => {
      const code = { code: 'ROW', kind: 'amount', value: 500, appliesTo: 'first', usesMax: 1, expiresAtMs: null } as const;
      await node.billing.discounts.create(code);
      const { status, body } = await node.post('/v1/billing/discount/apply', { code: 'row' }, bearer(await node.register()));
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body).to.include({ code: 'ROW', kind: 'amount', applies_to: 'first', expires_at: null });
    });
  });

  describe('5, authentication', () => {
    it('spec 5.1 an API key begins with pe_', async () => expect((await trader()).apiKey).to.match(/^pe_[0-9A-Za-z]+$/));

    it('spec 5.2 info and exchange want an API key in X-API-Key; the token of its user does as well', async () => {
      const who = await trader();
      for (const endpoint of ['info', 'exchange']) {
        const body = endpoint === 'info' ? { type: 'allMids' } : { action: { type: 'noop' }, nonce: 1 };
        const statuses: number[] = [];
        for (const headers of [keyed(who), bearer(who), {}]) {
          statuses.push((await node.post(`${BASE}/${endpoint}`, body, headers as Record<string, string>)).status);
        }
        expect(statuses, endpoint).to.deep.equal([200, 200, 401]);
      }
    });

    it('spec 5.3, 5.4 dashboard endpoints accept a JWT in Authorization: Bearer', async () =>
      expect((await get(`${BASE}/account/overview`, bearer(await node.register()))).status).to.equal(200));

    it('spec 5.6 a missing or invalid API key: 401', async () => {
      for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': 'pe_unknown' }, { 'x-api-key': 'x' }]) {
        const { status } = await node.post(`${BASE}/info`, { type: 'allMids' }, headers as Record<string, string>);
        expect(status).to.equal(401);
      }
    });

    it('spec 5.7 a key can be revoked by its user, and then is 401', async () => {
      const who = await trader();
      const { api_keys: keys } = (await get('/v1/auth/api-keys', bearer(who))).body;
      await node.request('DELETE', `/v1/auth/api-keys/${keys[0].id}`, { headers: bearer(who) });
      expect((await info(who, { type: 'allMids' })).status).to.equal(401);
    });
  });

  describe('7, errors', () => {
    it('spec 7 200: success', async () => expect((await info(await trader(), { type: 'allMids' })).status).to.equal(200));

    it('spec 7 400: invalid parameters', async () =>
      expect((await info(await trader(), { type: 'l2Book' })).status).to.equal(400));

    it('spec 7 401: invalid or missing API key', async () =>
      expect((await node.post(`${BASE}/info`, { type: 'meta' })).status).to.equal(401));

    it('spec 7 403: subscription expired or trial ended', async () => {
      const who = await trader();
      clockOffsetMs = 3 * DAY_MS;
      const ended = await info(who, { type: 'allMids' });
      expect([ended.status, ended.body.code, ended.body.status]).to.deep.equal([403, 'trial_expired', 'err']);
      const paid = {
        subscriptionExpiresAt: new Date(Date.now() - 3 * DAY_MS),
        trialExpiresAt: new Date(Date.now() - 9 * DAY_MS),
      };
      const other = await node.register();
      await node.mongo.db.collection<{ _id: string }>('users').updateOne({ _id: other.id }, { $set: paid });
      const late = await act({ ...other, ...(await node.createKey(other)) }, { type: 'noop' });
      expect([late.status, late.body.code]).to.deep.equal([403, 'subscription_expired']);
    });

    it('spec 7 429: request rate above the plan limit', async () => {
      const who = await trader();
      await Promise.all(Array.from({ length: 200 }, () => get('/v1/billing/plans', keyed(who))));
      const { status, headers, body } = await info(who, { type: 'allMids' });
      expect([status, body.code]).to.deep.equal([429, 'rate_limited']);
      expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
    });

    it('spec 7 500: internal server error', async () => {
      const broken = await ApiNode.start(stores, { gateway: gatewayOf(() => Promise.reject(new Error('a bug of ours'))) });
      const user = await node.register();
      const { apiKey } = await node.createKey(user);
      const { status, body } = await broken.post(`${BASE}/info`, { type: 'openOrders' }, { 'x-api-key': apiKey });
      expect([status, body.code, body.detail]).to.deep.equal([500, 'internal_error', 'Internal error.']);
      await broken.stop();
    });
  });

  describe('8, other limits', () => {
    for (const [leverage, isTaken] of [
      [0, false],
      [1, true],
      [20, true],
      [51, false],
    ] as const) {
      it(`spec 8 leverage 1x to 50x, at most the coin's: ${leverage} is ${isTaken ? 'taken' : 'refused'}`, async () => {
        const { body } = await act(await trader(), { type: 'updateLeverage', asset: coin, isCross: true, leverage });
        expect(body.status === 'ok').to.equal(isTaken);
      });
    }

    it('spec 8 funding application interval: every 8 hours', () => {
      const { FUNDING_SETTLE_HOURS } = readConfig({});
      const day = Date.UTC(2026, 10, 21);
      const times = [day, day + 8 * 3_600_000, day + 16 * 3_600_000, day + DAY_MS];
      expect(times.slice(0, 3).map((timeMs) => settlementAfter(timeMs, FUNDING_SETTLE_HOURS))).to.deep.equal(times.slice(1));
    });

    for (const [who, rate, fee] of [
      ['taker', '0.045 %', '0.04545'],
      ['maker', '0.015 %', '0.015'],
    ] as const) {
      it(`spec 8 fees: ${who} ${rate}`, async () => {
        const { userCrossRate, userAddRate } = (await info(await trader(), { type: 'userFees', user: `0x${'a'.repeat(40)}` }))
          .body;
        expect(who === 'taker' ? userCrossRate : userAddRate).to.equal(`${Number(rate.split(' ')[0]) / 100}`);
        if (who === 'maker') return; // what a maker pays for a fill is EX-7.1 in test/scenarios
        const buyer = await trader();
        await node.post(`${BASE}/account/reset`, {}, keyed(buyer));
        await act(buyer, orderAction(coin, { px: '101', sz: '1', tif: 'Ioc' }));
        expect((await info(buyer, { type: 'userFills' })).body[0].fee).to.equal(fee);
      });
    }

    it('spec 8 X-RateLimit-Limit, -Remaining, -Reset on every response', async () => {
      const who = await trader();
      const first = await info(who, { type: 'allMids' });
      const second = await info(who, { type: 'nonsense' });
      const number = (answer: Answer, name: string): number => Number(answer.headers.get(`x-ratelimit-${name}`));
      expect([number(first, 'limit'), number(first, 'remaining'), number(second, 'remaining')]).to.deep.equal([200, 199, 198]);
      // The window is measured by Redis's clock and rounded up: it may be milliseconds ahead of this process.
      expect(number(first, 'reset')).to.be.within(Math.floor(Date.now() / 1000), Math.ceil(Date.now() / 1000) + 61);
      // ApiNode looks for all three on every answer of every test.
    });

    it('spec 8 userRateLimit: nRequestsUsed, nRequestsCap, rateLimitResetTime', async () => {
      const { body } = await info(await trader(), { type: 'userRateLimit', user: `0x${'a'.repeat(40)}` });
      for (const name of ['nRequestsUsed', 'nRequestsCap', 'rateLimitResetTime'])
        expect(body[name], name).to.satisfy(Number.isInteger);
      expect(body.cumVlm).to.be.a('string');
    });
  });
});
