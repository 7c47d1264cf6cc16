import { expect } from 'chai';
import { plans } from '../../../src/shared/domain/plan.ts';
import { ApiNode, type TestUser } from '../../support/apiNode.ts';
import { startMongo } from '../../support/stores.ts';
import { useStores } from '../../support/useStores.ts';

describe('auth: accounts, tokens and keys', () => {
  const stores = useStores();
  let node: ApiNode;

  before(async () => {
    node = await ApiNode.start(stores);
  });
  after(() => node.stop());

  const bearer = ({ token }: Pick<TestUser, 'token'>): { authorization: string } => ({ authorization: `Bearer ${token}` });

  describe('register', () => {
    it('answers like login, with the user id and the address', async () => {
      const { status, body } = await node.post('/v1/auth/register', {
        email: ' New@Example.COM ',
        password: 'a good password',
        more: 1,
      });
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('access_token', 'token_type', 'user', 'user_id', 'email');
      expect(body.token_type).to.equal('bearer');
      expect(body.user).to.deep.equal({ id: body.user_id, email: 'new@example.com', plan: 'basic' });
      expect(body.user_id).to.match(/^user_/);
      expect(body.email).to.equal('new@example.com');
    });

    it('opens the account with 10,000 USD', async () => {
      await node.register();
      expect(node.exchange.commands.at(-1)).to.deep.equal({ type: 'openAccount', depositUsd: '10000' });
    });

    it('refuses an address that is taken, however it is written', async () => {
      await node.post('/v1/auth/register', { email: 'taken@example.com', password: 'a good password' });
      const { status, body } = await node.post('/v1/auth/register', {
        email: 'TAKEN@example.com ',
        password: 'another password',
      });
      expect(status).to.equal(409);
      expect(body.code).to.equal('email_taken');
    });

    it('of ten registrations of one address at once, one makes a user', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          node.post('/v1/auth/register', { email: 'race@example.com', password: 'a good password' }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(9).fill(409)]);
      expect(await node.mongo.db.collection('users').countDocuments({ email: 'race@example.com' })).to.equal(1);
    });

    const refused: { name: string; body: unknown }[] = [
      { name: 'no e-mail address', body: { password: 'a good password' } },
      { name: 'no password', body: { email: 'a@example.com' } },
      { name: 'a password of 7 characters', body: { email: 'a@example.com', password: '1234567' } },
      { name: 'a password of 129 characters', body: { email: 'a@example.com', password: 'x'.repeat(129) } },
      { name: 'a number for a password', body: { email: 'a@example.com', password: 12345678 } },
      { name: 'an address without @', body: { email: 'example.com', password: 'a good password' } },
      { name: 'an address with a space inside', body: { email: 'a b@example.com', password: 'a good password' } },
      { name: 'an address with a control character', body: { email: 'a\u0000@example.com', password: 'a good password' } },
      { name: 'an address of 255 characters', body: { email: `${'a'.repeat(243)}@example.com`, password: 'a good password' } },
      ...['a@b', 'a@example.', 'a@.com', 'a@10.0.0.1', 'a@-b.com', 'a@b-.com', '.a@b.com', 'a.@b.com', 'a..b@b.com', 'a@b@c.com']
        .concat(`${'a'.repeat(65)}@example.com`, `a@${'b'.repeat(64)}.com`, 'a@b.c', '@b.com', 'a@b..com')
        .map((email) => ({ name: `the address ${email.slice(0, 20)}`, body: { email, password: 'a good password' } })),
      { name: 'an object for an address', body: { email: { $gt: '' }, password: 'a good password' } },
      { name: 'a list', body: [] },
    ];
    for (const { name, body } of refused) {
      it(`refuses ${name}`, async () => {
        const before = await node.mongo.db.collection('users').countDocuments();
        const answer = await node.post('/v1/auth/register', body);
        expect(answer.status, answer.text).to.equal(400);
        expect(answer.body).to.have.all.keys('detail', 'code', 'msg');
        expect(await node.mongo.db.collection('users').countDocuments()).to.equal(before);
      });
    }

    for (const email of [
      'a@b.co',
      'a.b+c-d@mail.example.com',
      "o'neil_1@ex-ample.com",
      'ü@bücher.example',
      'a@123.example',
      `${'a'.repeat(64)}@b.io`,
    ]) {
      it(`takes the address ${email.slice(0, 30)}, at login and for a mail too`, async () => {
        expect((await node.post('/v1/auth/register', { email, password: 'a good password' })).status).to.equal(200);
        expect((await node.post('/v1/auth/login', { email: ` ${email} `, password: 'a good password' })).status).to.equal(200);
        expect((await node.post('/v1/auth/forgot-password', { email })).status).to.equal(200);
      });
    }

    it('refuses passwords that guessing finds first, in words that say so; a user of before who has one logs in', async () => {
      for (const password of ['password123', 'Qwertyuiop', 'common-one@example.com', 'paper-exchange']) {
        const { status, body } = await node.post('/v1/auth/register', { email: 'common-one@example.com', password });
        expect([status, body.code], password).to.deep.equal([400, 'weak_password']);
      }
      const { email, id } = await node.register();
      const passwordHash = await node.passwords.hash('password123', { subject: id, isKnown: true });
      await node.mongo.db.collection<{ _id: string }>('users').updateOne({ _id: id }, { $set: { passwordHash } });
      expect((await node.post('/v1/auth/login', { email, password: 'password123' })).status).to.equal(200);
    });

    it('takes passwords of 8 and of 128 characters', async () => {
      for (const password of ['q7x 2m!v', 'é'.repeat(128)]) {
        const email = `p${password.length}@example.com`;
        expect((await node.post('/v1/auth/register', { email, password })).status).to.equal(200);
        expect((await node.post('/v1/auth/login', { email, password })).status).to.equal(200);
      }
    });
  });

  describe('login', () => {
    it('gives a token that me accepts', async () => {
      const { email, id } = await node.register();
      const { status, body } = await node.post('/v1/auth/login', { email: email.toUpperCase(), password: 'a good password' });
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        access_token: body.access_token,
        token_type: 'bearer',
        device_token: body.device_token,
        user: { id, email, plan: 'basic' },
      });
      expect((await node.request('GET', '/v1/auth/me', { headers: bearer({ token: body.access_token }) })).status).to.equal(200);
    });

    it('says the same to a wrong password and to an unknown address', async () => {
      const { email } = await node.register();
      const wrong = await node.post('/v1/auth/login', { email, password: 'a bad password' });
      const unknown = await node.post('/v1/auth/login', { email: 'nobody@example.com', password: 'a bad password' });
      expect(wrong.status).to.equal(401);
      expect(unknown.status).to.equal(401);
      expect(unknown.body).to.deep.equal(wrong.body);
    });

    it('hashes for an unknown address too', async () => {
      const asked: (string | undefined)[] = [];
      const { passwords } = node;
      const verify = passwords.verify.bind(passwords);
      passwords.verify = (password, passwordHash, place) => {
        asked.push(passwordHash);
        return verify(password, passwordHash, place);
      };
      await node.post('/v1/auth/login', { email: 'nobody@example.com', password: 'a bad password' });
      passwords.verify = verify;
      expect(asked).to.deep.equal([undefined]);
    });
  });

  describe('me', () => {
    it('shows the profile with an address of its own and a trial of three days', async () => {
      const [one, two] = [await node.register(), await node.register()];
      const { body } = await node.request('GET', '/v1/auth/me', { headers: bearer(one) });
      expect(body).to.include({
        id: one.id,
        email: one.email,
        plan: 'basic',
        subscription_status: 'trial',
        subscription_expires_at: null,
        trading_ends_at: body.trial_expires_at,
        payment_required: false,
      });
      expect(body.address).to.match(/^0x[0-9a-f]{40}$/);
      expect(Date.parse(body.trial_expires_at) - Date.parse(body.created_at)).to.equal(3 * 86_400_000);
      const other = await node.request('GET', '/v1/auth/me', { headers: bearer(two) });
      expect(other.body.address).to.not.equal(body.address);
    });

    const wrong: { name: string; headers: () => Record<string, string> | Promise<Record<string, string>> }[] = [
      { name: 'no token', headers: () => ({}) },
      { name: 'no bearer', headers: () => ({ authorization: 'Basic abc' }) },
      { name: 'not a token', headers: () => ({ authorization: 'Bearer abc' }) },
      { name: 'a token signed by nobody', headers: () => ({ authorization: `Bearer ${unsigned()}` }) },
      {
        name: 'a token whose payload is no JSON',
        headers: () => ({ authorization: 'Bearer eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.e30x.eA' }),
      },
      {
        name: 'a token with a changed payload',
        headers: async () => {
          const [head, , signature] = (await node.register()).token.split('.');
          const payload = Buffer.from(JSON.stringify({ sub: 'user_x', exp: 9e9 })).toString('base64url');
          return { authorization: `Bearer ${head}.${payload}.${signature}` };
        },
      },
      {
        name: 'an API key alone',
        headers: async () => ({ 'x-api-key': (await node.createKey(await node.register())).apiKey }),
      },
    ];
    for (const { name, headers } of wrong) {
      it(`${name}: 401`, async () => {
        const { status, body } = await node.request('GET', '/v1/auth/me', { headers: await headers() });
        expect(status).to.equal(401);
        expect(body).to.have.all.keys('detail', 'code', 'msg');
      });
    }

    const unsigned = (): string => {
      const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${part({ alg: 'none', typ: 'JWT' })}.${part({ sub: 'user_x', exp: 9e9 })}.`;
    };
  });

  describe('api-keys', () => {
    it('shows a key once and keeps a digest of it', async () => {
      const user = await node.register();
      const { body } = await node.post('/v1/auth/api-keys', { name: 'bot', extra: true }, bearer(user));
      expect(body).to.have.all.keys(
        ...['api_key', 'id', 'name', 'message', 'expires_at', 'scopes', 'addresses', 'account', 'trade_limits'],
      );
      expect(body.name).to.equal('bot');
      expect(body.api_key).to.match(/^pe_[0-9A-Za-z]{24,}$/);
      const list = await node.request('GET', '/v1/auth/api-keys', { headers: bearer(user) });
      expect(list.text).to.not.include(body.api_key);
      expect(list.body.api_keys).to.have.length(1);
      expect(list.body.api_keys[0]).to.have.all.keys(
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
      expect(list.body.api_keys[0]).to.include({ id: body.id, name: 'bot', status: 'active', last_used_at: null });
      expect(body.api_key.startsWith(list.body.api_keys[0].key_prefix)).to.equal(true);
      const stored = JSON.stringify(await node.mongo.db.collection('apiKeys').find().toArray());
      expect(stored).to.not.include(body.api_key);
    });

    it('tells when a key was last used', async () => {
      const user = await node.register();
      const { apiKey } = await node.createKey(user);
      const beforeMs = Date.now();
      await node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': apiKey });
      const { body } = await node.request('GET', '/v1/auth/api-keys', { headers: bearer(user) });
      expect(Date.parse(body.api_keys[0].last_used_at)).to.be.within(beforeMs, Date.now());
    });

    for (const plan of ['basic', 'pro'] as const) {
      const cap = plans[plan].apiKeysMax;
      it(`plan ${plan}: of ${2 * cap} keys made at once exactly ${cap} are`, async () => {
        const user = await node.register();
        await node.mongo.db.collection<{ _id: string }>('users').updateOne({ _id: user.id }, { $set: { plan } });
        const answers = await Promise.all(
          Array.from({ length: 2 * cap }, (_, n) => node.post('/v1/auth/api-keys', { name: `bot ${n}` }, bearer(user))),
        );
        expect(answers.filter(({ status }) => status === 200)).to.have.length(cap);
        expect(answers.find(({ status }) => status !== 200)?.body.code).to.equal('api_key_limit');
        const { body } = await node.request('GET', '/v1/auth/api-keys', { headers: bearer(user) });
        expect(body.api_keys).to.have.length(cap);
      });
    }

    it('plan basic: of ten requests for the fifth key, at two nodes, one makes it; of ten for the sixth none does', async () => {
      const second = await ApiNode.start(stores);
      const user = await node.register();
      for (let n = 0; n < plans.basic.apiKeysMax - 1; n++) await node.createKey(user);
      for (const made of [1, 0]) {
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, n) => (n % 2 ? node : second).post('/v1/auth/api-keys', { name: 'last' }, bearer(user))),
        );
        expect(answers.filter(({ status }) => status === 200)).to.have.length(made);
        expect(answers.filter(({ status }) => status === 409)).to.have.length(10 - made);
      }
      await second.stop();
    });

    it('gives the place of a revoked key to a new one', async () => {
      const user = await node.register();
      const made = [];
      for (let n = 0; n < plans.basic.apiKeysMax; n++) made.push(await node.createKey(user));
      expect((await node.post('/v1/auth/api-keys', { name: 'sixth' }, bearer(user))).status).to.equal(409);
      await node.request('DELETE', `/v1/auth/api-keys/${made[2]?.id}`, { headers: bearer(user) });
      expect((await node.post('/v1/auth/api-keys', { name: 'sixth' }, bearer(user))).status).to.equal(200);
    });

    it('refuses a revoked key at once', async () => {
      const user = await node.register();
      const { id, apiKey } = await node.createKey(user);
      const ask = (): Promise<{ status: number }> =>
        node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': apiKey });
      expect((await ask()).status).to.equal(200);
      const { status } = await node.request('DELETE', `/v1/auth/api-keys/${id}`, { headers: bearer(user) });
      expect(status).to.equal(200);
      expect((await ask()).status).to.equal(401);
      const { body } = await node.request('GET', '/v1/auth/api-keys', { headers: bearer(user) });
      expect(body.api_keys).to.deep.equal([]);
    });

    it("answers 404 for another user's key, which lives on, and for a key revoked before", async () => {
      const [owner, other] = [await node.register(), await node.register()];
      const { id, apiKey } = await node.createKey(owner);
      const foreign = await node.request('DELETE', `/v1/auth/api-keys/${id}`, { headers: bearer(other) });
      expect(foreign.status).to.equal(404);
      const answer = await node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': apiKey });
      expect(answer.status).to.equal(200);
      await node.request('DELETE', `/v1/auth/api-keys/${id}`, { headers: bearer(owner) });
      const again = await node.request('DELETE', `/v1/auth/api-keys/${id}`, { headers: bearer(owner) });
      expect(again.status).to.equal(404);
    });

    for (const body of [{}, { name: '' }, { name: 1 }, { name: 'x'.repeat(101) }, { name: null }, []]) {
      it(`refuses ${JSON.stringify(body).slice(0, 40)}`, async () => {
        const { status } = await node.post('/v1/auth/api-keys', body, bearer(await node.register()));
        expect(status).to.equal(400);
      });
    }
  });

  it('two nodes that start at once sign with one key', async () => {
    const fresh = { redis: stores.redis, mongo: await startMongo({ memory: true }) };
    const [one, two] = await Promise.all([ApiNode.start(fresh), ApiNode.start(fresh)]);
    const [a, b] = await Promise.all([one.register(), two.register()]);
    expect((await one.request('GET', '/v1/auth/me', { headers: bearer(b) })).status).to.equal(200);
    expect((await two.request('GET', '/v1/auth/me', { headers: bearer(a) })).status).to.equal(200);
    await Promise.all([one.stop(), two.stop()]);
    await fresh.mongo.stop();
  });
});
