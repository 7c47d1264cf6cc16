// The OWASP API security top ten (2023), in its order: a test each, or a sentence why not. A subject with tests of
// its own elsewhere has its shortest case here.
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import { type Answer, ApiNode, type TestUser } from '../support/apiNode.ts';
import { ExchangeInMemory } from '../support/exchangeInMemory.ts';
import { gatewayOf } from '../support/gatewayOf.ts';
import { MailSink } from '../support/mailSink.ts';
import { until } from '../support/until.ts';
import { useStores } from '../support/useStores.ts';

const JWT_SECRET = 'a secret for this test, long enough';
/** A body of a login whose address is a number. */
const digits = (count: number): string => `{"email":${'1'.repeat(count)},"password":1}`;

describe('OWASP API security top ten', () => {
  const stores = useStores();
  let mails: MailSink;
  let node: ApiNode;
  let one: TestUser & { apiKey: string; keyId: string; address: string };
  let two: typeof one;
  /** Accounts that commands went to, and whose past was read. */
  const reached: string[] = [];
  const noted = (accountId: string): string => {
    reached.push(accountId);
    return accountId;
  };

  before(async () => {
    mails = await MailSink.start();
    const { gateway } = new ExchangeInMemory().services;
    const watched = gatewayOf((accountId, ...rest) => gateway.send(noted(accountId), ...rest));
    const env = {
      JWT_SECRET,
      SMTP_URL: mails.url,
      REQUIRE_VERIFIED_EMAIL: 'no',
      PASSWORD_RESET_URL: 'https://app.example.com/new',
    };
    node = await ApiNode.start(stores, { env, gateway: watched });
    const { latest, between } = node.services.history;
    Object.assign(node.services.history, {
      latest: (...all: Parameters<typeof latest>) => {
        noted(all[0].accountId);
        return latest(...all);
      },
      between: (...all: Parameters<typeof between>) => {
        noted(all[0].accountId);
        return between(...all);
      },
    });
    [one, two] = [await person(), await person()];
  });
  after(async () => {
    await node.stop();
    await mails.stop();
  });

  async function person(): Promise<typeof one> {
    const user = await node.register();
    const { id: keyId, apiKey } = await node.createKey(user);
    const { body } = await get('/v1/auth/me', user);
    return { ...user, apiKey, keyId, address: body.address };
  }
  const bearer = ({ token }: Pick<TestUser, 'token'>): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const get = (path: string, user: Pick<TestUser, 'token'>): Promise<Answer> =>
    node.request('GET', path, { headers: bearer(user) });
  const info = (body: object): Promise<Answer> => node.post('/v1/exchanges/perpx/info', body, { 'x-api-key': one.apiKey });
  const exchange = (body: object): Promise<Answer> =>
    node.post('/v1/exchanges/perpx/exchange', body, { 'x-api-key': one.apiKey });

  describe('API1 object level authorisation: an id of somebody else reaches nothing of theirs', () => {
    it('a key in a path', async () => {
      const { status } = await node.request('DELETE', `/v1/auth/api-keys/${two.keyId}`, { headers: bearer(one) });
      expect(status).to.equal(404);
      const alive = await node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': two.apiKey });
      expect(alive.status).to.equal(200);
    });

    for (const type of ['clearinghouseState', 'openOrders', 'userFills', 'userFunding', 'userNonFundingLedgerUpdates']) {
      it(`another user's address in ${type}`, async () => {
        reached.length = 0;
        expect((await info({ type, user: two.address, startTime: 0 })).status).to.equal(200);
        expect(new Set(reached)).to.deep.equal(new Set([one.address]));
      });
    }

    it('another account in an action', async () => {
      reached.length = 0;
      const action = { type: 'cancel', cancels: [{ a: 0, o: 1 }] };
      await exchange({ action, nonce: 1 });
      await exchange({ action, nonce: 1, vaultAddress: two.address });
      await exchange({ action: { ...action, user: two.address }, nonce: 1 });
      expect(new Set(reached)).to.deep.equal(new Set([one.address]));
    });

    it('a cursor of another user', async () => {
      await get('/v1/auth/audit', two);
      const { body } = await get('/v1/auth/audit?limit=1', two);
      const { status } = await get(`/v1/auth/audit?cursor=${body.next_cursor}`, one);
      expect(status).to.equal(400);
    });
  });

  describe('API2 authentication: only tokens that this deployment has made and not ended', () => {
    const claims = (): object => {
      const { jti: _jti, ...rest } = jsonwebtoken.decode(one.token) as Record<string, unknown>;
      return rest;
    };
    const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged: { name: string; token: () => string }[] = [
      { name: 'not signed', token: () => `${encoded({ alg: 'none', typ: 'JWT' })}.${one.token.split('.')[1]}.` },
      { name: 'signed with another key', token: () => jsonwebtoken.sign(claims(), 'x'.repeat(40), { jwtid: 'a' }) },
      { name: 'signed with an empty key', token: () => signed(encoded({ alg: 'HS256' }), '') },
      {
        name: 'signed with another algorithm',
        token: () => jsonwebtoken.sign(claims(), JWT_SECRET, { algorithm: 'HS512', jwtid: 'a' }),
      },
      {
        name: 'over',
        token: () => jsonwebtoken.sign({ ...claims(), exp: 1 }, JWT_SECRET, { jwtid: 'a' }),
      },
      { name: 'without an end', token: () => jsonwebtoken.sign({ sub: one.id, gen: 0 }, JWT_SECRET, { jwtid: 'a' }) },
      {
        name: 'of a user who does not exist',
        token: () => jsonwebtoken.sign({ ...claims(), sub: 'user_x' }, JWT_SECRET, { jwtid: 'a' }),
      },
      { name: 'of a later generation', token: () => jsonwebtoken.sign({ ...claims(), gen: 1 }, JWT_SECRET, { jwtid: 'a' }) },
      {
        name: 'a user that is an object',
        token: () => jsonwebtoken.sign({ ...claims(), gen: { $gt: 0 } }, JWT_SECRET, { jwtid: 'a' }),
      },
    ];
    const signed = (head: string, key: string): string => {
      const text = `${head}.${one.token.split('.')[1]}`;
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
    };
    for (const { name, token } of forged) {
      it(`${name}: 401`, async () => {
        expect((await get('/v1/auth/me', { token: token() })).status).to.equal(401);
      });
    }
    // Limits for guessing clients: auth/attemptLimits.int.test.ts. Tokens that end: auth/recovery.int.test.ts.
  });

  describe('API3 object property level authorisation: what a body may set, and what an answer shows', () => {
    it('register sets nothing but address and password', async () => {
      const email = 'mass-assignment@example.com';
      const wanted = {
        ...{ plan: 'pro', address: two.address, _id: 'user_mine', id: 'user_mine', tokenGeneration: 7, schema: 9 },
        ...{ trialExpiresAt: '2099-01-01T00:00:00Z', subscriptionExpiresAt: '2099-01-01T00:00:00Z', passwordHash: 'x' },
        ...{ trial_expires_at: '2099-01-01T00:00:00Z', subscription_expires_at: '2099-01-01T00:00:00Z', balance: 1e9 },
      };
      const { status, body } = await node.post('/v1/auth/register', { ...wanted, email, password: 'a good password' });
      expect(status).to.equal(200);
      const { body: me } = await get('/v1/auth/me', { token: body.access_token });
      expect(me).to.include({ plan: 'basic', subscription_status: 'trial', subscription_expires_at: null });
      expect(me.id).to.not.equal('user_mine');
      expect(me.address).to.not.equal(two.address);
      expect(Date.parse(me.trial_expires_at) - Date.parse(me.created_at)).to.equal(3 * 86_400_000);
    });

    it('a body that would change the prototype of objects changes nothing', async () => {
      const text = '{"__proto__": {"plan": "pro"}, "constructor": {"prototype": {"plan": "pro"}}, "name": "bot"}';
      expect((await node.post('/v1/auth/api-keys', text, bearer(two))).status).to.be.oneOf([200, 400]);
      expect(({} as Record<string, unknown>)['plan']).to.equal(undefined);
    });

    it('a profile and a list of keys show what they are said to show', async () => {
      const { body: me } = await get('/v1/auth/me', one);
      expect(me).to.have.all.keys(
        ...['id', 'email', 'plan', 'address', 'subscription_status', 'trial_expires_at', 'subscription_expires_at'],
        ...['payment_required', 'created_at', 'email_verified', 'trading_ends_at', 'roles'],
      );
      const { body } = await get('/v1/auth/api-keys', one);
      expect(body.api_keys[0]).to.have.all.keys(
        ...[
          'id',
          'name',
          'key_prefix',
          'status',
          'created_at',
          'last_used_at',
          'expires_at',
          'scopes',
          'addresses',
          'account',
          'has_lab',
          'trade_limits',
        ],
      );
    });
  });

  describe('API4 resources: bodies, pages and attempts have bounds', () => {
    /** Without a credential a body may have 16 kB: a larger body is refused by its size, a smaller body by its form. */
    const bodies: { name: string; text: string; known: number; stranger: number }[] = [
      { name: '2 MB', text: JSON.stringify({ email: 'a'.repeat(2_000_000), password: 1 }), known: 413, stranger: 413 },
      { name: '20 kB', text: JSON.stringify({ email: 'a'.repeat(20_000), password: 1 }), known: 400, stranger: 413 },
      { name: '100,000 levels', text: '['.repeat(100_000) + ']'.repeat(100_000), known: 400, stranger: 413 },
      { name: '8,000 levels', text: '['.repeat(8000) + ']'.repeat(8000), known: 400, stranger: 400 },
      { name: 'a number of 1,000,000 digits', text: digits(1_000_000), known: 400, stranger: 413 },
      { name: 'a number of 16,000 digits', text: digits(16_000), known: 400, stranger: 400 },
    ];
    for (const { name, text, known, stranger } of bodies) {
      it(`a body of ${name}: ${stranger}, and ${known} with a credential`, async () => {
        for (const path of ['register', 'login', 'forgot-password', 'reset-password']) {
          expect((await node.post(`/v1/auth/${path}`, text)).status, path).to.equal(stranger);
          expect((await node.post(`/v1/auth/${path}`, text, bearer(one))).status, path).to.equal(known);
        }
        expect((await node.post('/v1/auth/api-keys', text, bearer(one))).status).to.equal(known);
      });
    }

    it('a page of 501: 400', async () => {
      expect((await get('/v1/auth/audit?limit=501', one)).status).to.equal(400);
    });
  });

  describe('API5 function level authorisation: operators and owners', () => {
    it("the operators' board is closed to users", async () => {
      for (const path of ['/admin/queues', '/admin/queues/api/queues', '/admin/queues/api/queues/jobs/0/retry']) {
        for (const headers of [{}, bearer(one), { 'x-api-key': one.apiKey }]) {
          expect((await node.request('GET', path, { headers })).status, path).to.be.oneOf([401, 404]);
        }
      }
    });

    it('an API key trades, and neither makes keys, nor sees the profile, nor ends the account', async () => {
      const headers = { 'x-api-key': one.apiKey, 'content-type': 'application/json' };
      const owners: [method: string, path: string][] = [
        ['GET', '/v1/auth/me'],
        ['GET', '/v1/auth/api-keys'],
        ['POST', '/v1/auth/api-keys'],
        ['DELETE', `/v1/auth/api-keys/${one.keyId}`],
        ['POST', `/v1/auth/api-keys/${one.keyId}/change`],
        ['POST', `/v1/auth/api-keys/${one.keyId}/rotate`],
        ['GET', '/v1/auth/sessions'],
        ['DELETE', '/v1/auth/sessions'],
        ['POST', '/v1/auth/change-password'],
        ['POST', '/v1/auth/refresh'],
        ['POST', '/v1/auth/logout'],
        ['GET', '/v1/auth/audit'],
        ['DELETE', '/v1/auth/account'],
      ];
      for (const [method, path] of owners) {
        expect((await node.request(method, path, { headers })).status, `${method} ${path}`).to.equal(401);
      }
    });

    it('an access token trades for its own user alone, and one that is not in force not at all', async () => {
      const asked = (headers: Record<string, string>) => node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, headers);
      expect((await asked(bearer(one))).status).to.equal(200);
      for (const headers of [{}, { authorization: `${bearer(one).authorization}x` }]) {
        expect((await asked(headers)).status, JSON.stringify(headers)).to.equal(401);
      }
    });

    it('a method that an endpoint does not have: 405', async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        expect((await node.request(method, '/v1/auth/me', { headers: bearer(one) })).status, method).to.equal(405);
      }
    });
  });

  describe('API6 sensitive business flows: trials and discounts are what a script would take in numbers', () => {
    // Money here is paper: nothing beyond these limits is worth a puzzle for people to solve.
    it('registrations from one network address are limited', async () => {
      const strict = await ApiNode.start(stores, { env: { AUTH_REGISTER_PER_MINUTE: '2', PROXY_HOPS: '1' } });
      const register = (from: string, n: number): Promise<Answer> =>
        strict.post(
          '/v1/auth/register',
          { email: `taker${n}@example.com`, password: 'a good password' },
          { 'x-forwarded-for': from },
        );
      const statuses: number[] = [];
      for (let n = 0; n < 4; n++) statuses.push((await register('192.0.2.6', n)).status);
      expect(statuses).to.deep.equal([200, 200, 429, 429]);
      await strict.stop();
    });

    it('a discount code is taken once by a user, and codes cannot be guessed by their text alone', async () => {
      const code = { code: 'API6', kind: 'percent', value: 10, appliesTo: 'first', usesMax: 2, expiresAtMs: null } as const;
      await node.billing.discounts.create(code);
      const apply = (user: typeof one, text: string): Promise<Answer> =>
        node.post('/v1/billing/discount/apply', { code: text }, bearer(user));
      for (const _ of ['once', 'again']) expect((await apply(one, 'api6')).status).to.be.oneOf([200, 400, 409]);
      const { uses = [] } = (await node.billing.discounts.find('API6')) ?? {};
      expect(uses.map(({ userId }) => userId)).to.deep.equal([one.id]);
      for (const text of ['API%', 'API.', '.*', 'API6 ', ''])
        expect((await apply(two, text)).status, text).to.be.within(400, 404);
    });
  });

  describe('API7 request forgery: nobody names an address that the server asks, or that a mail leads to', () => {
    it('the link in a mail is the configured one, whatever host the request names', async () => {
      const { status } = await node.post(
        '/v1/auth/forgot-password',
        { email: one.email, url: 'https://evil.example', redirect: 'https://evil.example' },
        { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher', origin: 'https://evil.example' },
      );
      expect(status).to.equal(200);
      await until(() => mails.to(one.email, 'Set a new password').length === 1);
      expect(mails.to(one.email, 'Set a new password')[0])
        .to.include('https://app.example.com/new#token=')
        .and.not.include('evil');
    });
    // Market data comes from MARKET_URL alone; the API looks up a client's question to the venue by its type
    // (accounts/askVenue.ts).
  });

  describe('API8 configuration: answers tell nothing of the machine, and no page of another site reads them', () => {
    it('no server, framework or stack in an answer; no guessing of types; nothing kept by caches', async () => {
      for (const { headers, text } of [
        await get('/v1/auth/me', one),
        await node.post('/v1/auth/login', '{'),
        await get('/nowhere', one),
      ]) {
        expect(headers.get('x-powered-by')).to.equal(null);
        expect(headers.get('server')).to.equal(null);
        expect(headers.get('x-content-type-options')).to.equal('nosniff');
        expect(headers.get('cache-control')).to.equal('no-store');
        expect(text).to.not.match(/\.[jt]s:\d|node_modules|at [A-Z]\w+\./);
      }
    });

    it('no origin is let in unless it is configured', async () => {
      const headers = { ...bearer(one), origin: 'https://evil.example' };
      const answer = await node.request('GET', '/v1/auth/me', { headers });
      expect(answer.headers.get('access-control-allow-origin')).to.equal(null);
    });

    it('the page that sets a password runs its own script only, and tells nobody its address', async () => {
      const { status, text, headers } = await node.request('GET', '/reset-password');
      expect(status).to.equal(200);
      // The token is in the fragment, which reaches no server.
      expect(text).to.include('<form>').and.include('location.hash').and.not.include('location.search');
      expect(headers.get('content-security-policy')).to.match(/default-src 'none'; script-src 'sha256-[^']+'/);
    });

    it('every page loads what is named only, is shown in no frame, and sends no referrer', async () => {
      for (const path of ['/docs', '/docs/websocket', '/reset-password', '/billing']) {
        const { status, headers } = await node.request('GET', path);
        expect(status, path).to.equal(200);
        const policy = headers.get('content-security-policy') ?? '';
        expect(policy, path)
          .to.match(/^default-src 'none';/)
          .and.include("base-uri 'none'")
          .and.include("frame-ancestors 'none'");
        expect(policy, path).not.to.match(/script-src[^;]*unsafe/);
        expect(headers.get('x-frame-options'), path).to.equal('DENY');
        expect(headers.get('x-content-type-options'), path).to.equal('nosniff');
        expect(headers.get('referrer-policy'), path).to.equal('no-referrer');
      }
    });

    it('text of a proxy’s header that is no address is stored nowhere', async () => {
      const proxied = await ApiNode.start(stores, { env: { PROXY_HOPS: '1' } });
      const forged = { 'x-forwarded-for': '<script>alert(1)</script>' };
      const body = { email: 'forged@example.com', password: 'a good password' };
      const { body: user } = await proxied.post('/v1/auth/register', body, forged);
      const authorization = `Bearer ${user.access_token}`;
      const pages = ['/v1/auth/audit', '/v1/auth/sessions'].map((path) =>
        proxied.request('GET', path, { headers: { authorization } }),
      );
      for (const { status, text } of await Promise.all(pages)) {
        expect(status).to.equal(200);
        expect(text).to.include('127.0.0.1').and.not.include('script');
      }
      expect(proxied.logLines.join('')).not.to.include('alert(1)');
      await proxied.stop();
    });
  });

  describe('API9 inventory: one version, and nothing beside what is documented', () => {
    for (const path of [
      '/v0/auth/me',
      '/v2/auth/me',
      '/auth/me',
      '/v1/auth',
      '/v1/auth/users',
      '/v1/internal',
      '/debug',
      '/.env',
    ]) {
      it(`${path}: 404`, async () => {
        expect((await get(path, one)).status).to.equal(404);
      });
    }
  });

  describe('API10 what other services send is believed only after it was looked at', () => {
    // The venue's frames are read against schemas: test/market/domain/venueFrame.test.ts.
    it('a payment is never taken from a request that the provider has not signed', async () => {
      const invoice = await node.post('/v1/billing/subscribe', { plan: 'pro', period: 'month' }, bearer(one));
      expect(invoice.body.status).to.equal('open');
      const event = {
        ...{ id: 'evt_1', object: 'event', type: 'checkout.session.completed' },
        data: { object: { id: 'cs_1', client_reference_id: invoice.body.id, payment_status: 'paid', amount_total: 3000 } },
      };
      for (const signature of [undefined, '', 't=1,v1=00', `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`]) {
        const headers = signature === undefined ? {} : { 'stripe-signature': signature };
        expect((await node.post('/v1/billing/webhooks/stripe', event, headers as Record<string, string>)).status).to.equal(400);
      }
      const { items } = (await get('/v1/billing/invoices', one)).body;
      expect(items[0]).to.deep.include({ id: invoice.body.id, status: 'open', paid_at: null });
      expect((await get('/v1/auth/me', one)).body.plan).to.equal('basic');
    });
  });
});
