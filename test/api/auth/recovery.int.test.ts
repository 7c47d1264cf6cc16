import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { RequestError } from '../../../src/shared/errors.ts';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';
import { MailSink } from '../../support/mailSink.ts';
import { freePort } from '../../support/ports.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const PASSWORD = 'a good password';
const MINUTE_MS = 60_000;

describe('auth: passwords that are forgotten or changed, tokens that end', () => {
  const stores = useStores();
  let mails: MailSink;
  let node: ApiNode;
  let other: ApiNode;
  let clockOffsetMs = 0;

  before(async () => {
    mails = await MailSink.start();
    const now = (): number => Date.now() + clockOffsetMs;
    node = await ApiNode.start(stores, {
      env: { SMTP_URL: mails.url, REQUIRE_VERIFIED_EMAIL: 'no', PASSWORD_RESET_URL: 'https://app.example.com/new?x=1' },
      now,
    });
    other = await ApiNode.start(stores, { env: { SMTP_URL: mails.url, REQUIRE_VERIFIED_EMAIL: 'no' } });
  });
  afterEach(() => {
    clockOffsetMs = 0;
  });
  after(async () => {
    await Promise.all([node.stop(), other.stop()]);
    await mails.stop();
  });

  const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const me = (token: string, at = node): Promise<Answer> => at.request('GET', '/v1/auth/me', { headers: bearer(token) });
  const login = (email: string, password: string): Promise<Answer> => node.post('/v1/auth/login', { email, password });
  const forgot = (email: string): Promise<Answer> => node.post('/v1/auth/forgot-password', { email });
  const reset = (token: string, password: string, at = node): Promise<Answer> =>
    at.post('/v1/auth/reset-password', { token, new_password: password });
  const acts = async (token: string): Promise<string[]> => {
    const { body } = await node.request('GET', '/v1/auth/audit', { headers: bearer(token) });
    return body.items.map(({ action, outcome }: { action: string; outcome: string }) => `${action} ${outcome}`);
  };

  /** The token of the newest mail to a user. */
  async function mailedToken(email: string, count = 1): Promise<string> {
    const links = (): string[] => mails.to(email, 'Set a new password');
    await until(() => links().length >= count);
    const [, token = ''] = /^https:\/\/app\.example\.com\/new\?x=1#token=([\w-]+)\r?$/m.exec(links().at(-1) ?? '') ?? [];
    expect(token).to.have.length.greaterThan(20);
    return token;
  }

  describe('forgot-password', () => {
    it('answers the same for any address, and mails a link to one that is known only', async () => {
      const { email } = await node.register();
      const [known, unknown] = [await forgot(email.toUpperCase()), await forgot('nobody@example.com')];
      expect(known.status).to.equal(200);
      expect(unknown.status).to.equal(200);
      expect(unknown.text).to.equal(known.text);
      await mailedToken(email);
      await until(() => node.background.load === 0);
      expect(mails.to('nobody@example.com')).to.deep.equal([]);
    });

    it('keeps the token hashed, and tells no log of it', async () => {
      const { email } = await node.register();
      await forgot(email);
      const token = await mailedToken(email);
      expect(JSON.stringify(await node.mongo.db.collection('users').find().toArray())).to.not.include(token);
      expect(node.logLines.join()).to.not.include(token);
    });

    it('answers while the mail server is silent, and at once', async () => {
      const silent = await MailSink.start({ isSilent: true });
      const waiting = await ApiNode.start(stores, { env: { SMTP_URL: silent.url } });
      const { email } = await waiting.register();
      const answer = await waiting.post('/v1/auth/forgot-password', { email });
      expect(answer.status).to.equal(200);
      await until(() => waiting.mails.load >= 1);
      await silent.stop();
      await waiting.stop();
    });

    it('answers while the mail server is down', async () => {
      const env = { SMTP_URL: `smtp://127.0.0.1:${await freePort()}` };
      const alone = await ApiNode.start(stores, { env });
      const { email } = await alone.register();
      expect((await alone.post('/v1/auth/forgot-password', { email })).status).to.equal(200);
      await until(() => alone.logLines.some((line) => line.includes('work in the background failed')));
      await alone.stop();
    });

    it('writes a file that only its owner reads where there is no mail server', async () => {
      const laptop = await ApiNode.start(stores);
      const { email } = await laptop.register();
      mkdirSync(laptop.mailDir, { recursive: true });
      await laptop.post('/v1/auth/forgot-password', { email });
      const files = (): string[] => readdirSync(laptop.mailDir).filter((name) => name.endsWith('.eml'));
      await until(() => files().length === 1);
      const [name = ''] = files();
      const text = readFileSync(join(laptop.mailDir, name), 'utf8');
      expect(text).to.include(`To: ${email}`);
      const [, token = ''] = /^http:\/\/127\.0\.0\.1:3000\/reset-password#token=([\w-]+)\r$/m.exec(text) ?? [];
      expect((await reset(token, 'a new password')).status).to.equal(200);
      const logged = laptop.logLines.find((line) => line.includes('a mail is in a file'));
      expect(logged).to.include(name);
      expect(laptop.logLines.join()).to.not.include(token);
      await laptop.stop();
    });

    for (const body of [
      {},
      { email: 1 },
      { email: 'no address' },
      { email: 'a@b' },
      { email: ['a@example.com'] },
      { email: 'a,b@example.com' },
      [],
    ]) {
      it(`refuses ${JSON.stringify(body)}`, async () => {
        expect((await node.post('/v1/auth/forgot-password', body)).status).to.equal(400);
      });
    }
  });

  describe('reset-password', () => {
    async function forgetful(): Promise<TestUser & { reset: string }> {
      const user = await node.register();
      await forgot(user.email);
      return { ...user, reset: await mailedToken(user.email) };
    }

    it('sets the password, ends every access token everywhere, and nothing else', async () => {
      const user = await forgetful();
      const { apiKey } = await node.createKey(user);
      const verified = { $set: { emailVerifiedAt: new Date() } };
      await node.mongo.db.collection<{ _id: string }>('users').updateOne({ _id: user.id }, verified);
      const second = (await login(user.email, PASSWORD)).body.access_token;
      expect((await me(second, other)).status).to.equal(200);
      expect((await reset(user.reset, 'a new password')).status).to.equal(200);
      for (const token of [user.token, second]) {
        expect((await me(token)).status).to.equal(401);
        await until(async () => (await me(token, other)).status === 401);
      }
      expect((await login(user.email, PASSWORD)).status).to.equal(401);
      const again = await login(user.email, 'a new password');
      expect(again.status).to.equal(200);
      expect((await me(again.body.access_token, other)).status).to.equal(200);
      const traded = await other.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': apiKey });
      expect(traded.status).to.equal(200);
      expect(await acts(again.body.access_token)).to.include.members(['password.reset ok', 'password.reset_requested ok']);
    });

    it('takes a token once: of ten requests with it one sets its password', async () => {
      const user = await forgetful();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => reset(user.reset, `new password ${n}`, n % 2 ? node : other)),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(9).fill(400)]);
      expect(answers.find(({ status }) => status === 400)?.body.code).to.equal('invalid_reset_token');
      const set = answers.findIndex(({ status }) => status === 200);
      expect((await login(user.email, `new password ${set}`)).status).to.equal(200);
      expect((await reset(user.reset, 'once more')).status).to.equal(400);
    });

    it('takes a token for 30 minutes', async () => {
      const user = await forgetful();
      clockOffsetMs = 30 * MINUTE_MS + 1000;
      expect((await reset(user.reset, 'a new password')).body.code).to.equal('invalid_reset_token');
      clockOffsetMs = 29 * MINUTE_MS;
      expect((await reset(user.reset, 'a new password')).status).to.equal(200);
    });

    it('an earlier link works until one has been used', async () => {
      const user = await forgetful();
      await forgot(user.email);
      const newer = await mailedToken(user.email, 2);
      expect((await reset(user.reset, 'a new password')).status).to.equal(200);
      expect((await reset(newer, 'another password')).status).to.equal(400);
    });

    it('keeps the token when the new password is refused', async () => {
      const user = await forgetful();
      for (const password of ['1234567', 'x'.repeat(129), 12345678, null, 'password123', user.email]) {
        expect((await node.post('/v1/auth/reset-password', { token: user.reset, new_password: password })).status).to.equal(400);
      }
      expect((await reset(user.reset, 'q7x 2m!v')).status).to.equal(200);
    });

    for (const token of ['', 'x', 'é\u0000', 'x'.repeat(257), { $gt: '' }, null, 1]) {
      it(`refuses the token ${JSON.stringify(token).slice(0, 30)}`, async () => {
        const { status, body } = await node.post('/v1/auth/reset-password', { token, new_password: 'a new password' });
        expect(status).to.equal(400);
        expect(body).to.have.all.keys('detail', 'code', 'msg');
      });
    }
  });

  describe('change-password', () => {
    const change = (token: string, body: unknown): Promise<Answer> => node.post('/v1/auth/change-password', body, bearer(token));

    it('ends every access token but the one that asked, and answers like login', async () => {
      const user = await node.register();
      const second = (await login(user.email, PASSWORD)).body.access_token;
      expect((await me(second, other)).status).to.equal(200);
      const { status, body } = await change(user.token, { current_password: PASSWORD, new_password: 'a new password' });
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('access_token', 'token_type', 'device_token', 'user');
      for (const token of [user.token, body.access_token]) expect((await me(token)).status).to.equal(200);
      expect((await me(second)).status).to.equal(401);
      await until(async () => (await me(second, other)).status === 401);
      expect((await me(user.token, other)).status).to.equal(200);
      expect((await login(user.email, PASSWORD)).status).to.equal(401);
      expect((await login(user.email, 'a new password')).status).to.equal(200);
    });

    it('asks for the password that is', async () => {
      const user = await node.register();
      const { status, body } = await change(user.token, { current_password: 'a bad password', new_password: 'a new password' });
      expect(status).to.equal(401);
      expect(body.code).to.equal('invalid_credentials');
      expect((await login(user.email, PASSWORD)).status).to.equal(200);
      expect(await acts(user.token)).to.include('password.change refused');
    });

    it('refuses a password that guessing finds first', async () => {
      const user = await node.register();
      for (const password of ['password123', 'QWERTYUIOP', user.email]) {
        const { status, body } = await change(user.token, { current_password: PASSWORD, new_password: password });
        expect([status, body.code], password).to.deep.equal([400, 'weak_password']);
      }
      expect((await login(user.email, PASSWORD)).status).to.equal(200);
    });

    it('is refused without a token, and with an API key alone', async () => {
      const { apiKey } = await node.createKey(await node.register());
      const body = { current_password: PASSWORD, new_password: 'a new password' };
      expect((await node.post('/v1/auth/change-password', body)).status).to.equal(401);
      expect((await node.post('/v1/auth/change-password', body, { 'x-api-key': apiKey })).status).to.equal(401);
    });

    for (const body of [{}, { current_password: PASSWORD }, { current_password: PASSWORD, new_password: '1234567' }, []]) {
      it(`refuses ${JSON.stringify(body)}`, async () => {
        expect((await change((await node.register()).token, body)).status).to.equal(400);
      });
    }
  });

  describe('logout and refresh', () => {
    const post = (path: string, token: string): Promise<Answer> => node.post(path, {}, bearer(token));

    it('logout ends that one session, everywhere within a second', async () => {
      const user = await node.register();
      const second = (await login(user.email, PASSWORD)).body.access_token;
      for (const token of [user.token, second]) expect((await me(token, other)).status).to.equal(200);
      expect((await post('/v1/auth/logout', user.token)).status).to.equal(200);
      expect((await me(user.token)).status).to.equal(401);
      await until(async () => (await me(user.token, other)).status === 401);
      for (const at of [node, other]) expect((await me(second, at)).status).to.equal(200);
      const fresh = await ApiNode.start(stores);
      expect((await me(user.token, fresh)).status).to.equal(401);
      await fresh.stop();
      expect((await post('/v1/auth/logout', user.token)).status).to.equal(401);
    });

    it('logout needs no body', async () => {
      const user = await node.register();
      const { status } = await node.request('POST', '/v1/auth/logout', { headers: bearer(user.token) });
      expect(status).to.equal(200);
    });

    it('refresh answers like login, with another token of the session, and logout with either ends both', async () => {
      const user = await node.register();
      const { status, body } = await post('/v1/auth/refresh', user.token);
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        ...{ access_token: body.access_token, token_type: 'bearer', device_token: body.device_token },
        user: { id: user.id, email: user.email, plan: 'basic' },
      });
      expect(body.access_token).to.not.equal(user.token);
      for (const token of [user.token, body.access_token]) expect((await me(token)).status).to.equal(200);
      await post('/v1/auth/logout', user.token);
      for (const token of [user.token, body.access_token]) expect((await me(token)).status).to.equal(401);
    });

    it('refresh is refused to a token that has ended', async () => {
      const user = await node.register();
      await post('/v1/auth/logout', user.token);
      expect((await post('/v1/auth/refresh', user.token)).status).to.equal(401);
    });
  });

  describe('DELETE account', () => {
    const remove = (token: string, body: unknown): Promise<Answer> =>
      node.request('DELETE', '/v1/auth/account', {
        ...{ body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...bearer(token) } },
      });

    it('ends keys and tokens everywhere, closes the trading account, frees the address and keeps the audit log', async () => {
      const user = await node.register();
      const { apiKey } = await node.createKey(user);
      const trade = (at: ApiNode): Promise<Answer> =>
        at.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': apiKey });
      for (const at of [node, other]) {
        expect((await trade(at)).status).to.equal(200);
        expect((await me(user.token, at)).status).to.equal(200);
      }
      const { address } = (await me(user.token)).body;
      expect((await remove(user.token, { password: PASSWORD })).status).to.equal(200);
      expect(node.exchange.commands.at(-1)).to.deep.equal({ type: 'closeAccount' });
      for (const at of [node, other]) {
        await until(async () => (await trade(at)).status === 401);
        await until(async () => (await me(user.token, at)).status === 401);
      }
      const unknown = await login('nobody@example.com', PASSWORD);
      const gone = await login(user.email, PASSWORD);
      expect([gone.status, gone.text]).to.deep.equal([unknown.status, unknown.text]);
      const rows = await node.mongo.db.collection('audit').find({ userId: user.id }).toArray();
      expect(rows.map(({ action }) => action)).to.include.members(['account.registered', 'account.deleted']);
      const notes = await node.mongo.db
        .collection('deletedUsers')
        .find({ _id: user.id } as object)
        .toArray();
      expect(notes.map(({ address }) => address)).to.deep.equal([address]);
      const anew = await node.register(user.email);
      expect(anew.id).to.not.equal(user.id);
      expect((await me(anew.token)).body.address).to.match(/^0x/);
    });

    it('asks for the password', async () => {
      const user = await node.register();
      expect((await remove(user.token, { password: 'a bad password' })).status).to.equal(401);
      for (const body of [{}, { password: 1 }, [], { password: '' }])
        expect((await remove(user.token, body)).status).to.equal(400);
      expect((await node.request('DELETE', '/v1/auth/account', { headers: bearer(user.token) })).status).to.equal(400);
      expect((await me(user.token)).status).to.equal(200);
    });

    it('that failed half way is repeated with the same token', async () => {
      let isAway = true;
      const gateway = gatewayOf(async (accountId, command, options) => {
        if (command.type === 'closeAccount' && isAway) throw new RequestError(503, 'store_unavailable', 'away');
        return node.services.gateway.send(accountId, command, options);
      });
      const weak = await ApiNode.start(stores, { gateway });
      const user = await weak.register();
      const { apiKey } = await weak.createKey(user);
      const ask = (): Promise<Answer> =>
        weak.request('DELETE', '/v1/auth/account', {
          ...{
            body: JSON.stringify({ password: PASSWORD }),
            headers: { 'content-type': 'application/json', ...bearer(user.token) },
          },
        });
      expect((await ask()).status).to.equal(503);
      const traded = await weak.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': apiKey });
      expect(traded.status).to.equal(401);
      isAway = false;
      expect((await ask()).status).to.equal(200);
      await weak.stop();
    });
  });

  describe('odd bodies', () => {
    const odd: unknown[] = [
      ...[null, true, 0, -1, 1e308, '', 'text', [], [[]], {}, { '': '' }, { $where: '1' }, { constructor: 1 }],
      ...['\u0000', '\ud800', 'ﷺ'.repeat(5000), '💩', "' OR 1=1 --", 'a@b\r\nBcc: c@d', '../../etc/passwd', '%00'],
    ];
    const endpoints: [method: string, path: string, fields: readonly string[]][] = [
      ['POST', '/v1/auth/register', ['email', 'password']],
      ['POST', '/v1/auth/login', ['email', 'password']],
      ['POST', '/v1/auth/forgot-password', ['email']],
      ['POST', '/v1/auth/reset-password', ['token', 'new_password']],
      ['POST', '/v1/auth/change-password', ['current_password', 'new_password']],
      ['POST', '/v1/auth/api-keys', ['name']],
      ['DELETE', '/v1/auth/account', ['password']],
    ];
    for (const [method, path, fields] of endpoints) {
      it(`${method} ${path}: a 4xx in our own words, or done; never a fault`, async () => {
        const { token } = await node.register();
        const send = async (body: string): Promise<void> => {
          const headers = { 'content-type': 'application/json', ...bearer(token) };
          const answer = await node.request(method, path, { method, body, headers });
          expect(answer.status, `${body.slice(0, 60)} -> ${answer.text}`).to.be.within(200, 499);
          if (answer.status >= 400) expect(answer.body).to.have.all.keys('detail', 'code', 'msg');
        };
        const whole = odd.map((body) => JSON.stringify(body));
        const parts = fields.flatMap((field) =>
          odd.map((value) => {
            const others = fields.map((name) => [name, name === 'email' ? 'odd@example.com' : 'a good password']);
            return JSON.stringify({ ...Object.fromEntries(others), [field]: value });
          }),
        );
        const broken = ['', '{', 'NaN', '{"email":NaN}', '{"email":1e999}', '[1,]', '\ufeff{}', '"\\ud800"', '{"a":-0}'];
        await Promise.all([...whole, ...parts, ...broken].map(send));
      });
    }
  });

  describe('audit', () => {
    it('shows each act with its time, actor, address and outcome, newest first', async () => {
      const user = await node.register();
      const { id, apiKey } = await node.createKey(user);
      await login(user.email, 'a bad password');
      await until(() => node.background.load === 0);
      await login(user.email, PASSWORD);
      await node.request('DELETE', `/v1/auth/api-keys/${id}`, { headers: bearer(user.token) });
      const { status, body, text } = await node.request('GET', '/v1/auth/audit', { headers: bearer(user.token) });
      expect(status).to.equal(200);
      expect(body.next_cursor).to.equal(null);
      expect(
        body.items.map(({ action, outcome, actor, detail }: Record<string, string>) => [action, outcome, actor, detail]),
      ).to.deep.equal([
        ['api_key.revoked', 'ok', 'user', id],
        ['login', 'ok', 'user', null],
        ['login', 'refused', 'anonymous', null],
        ['api_key.created', 'ok', 'user', id],
        ['account.registered', 'ok', 'user', null],
      ]);
      for (const item of body.items) {
        expect(item).to.have.all.keys('id', 'time', 'action', 'actor', 'address', 'account', 'outcome', 'detail');
        expect(item.address).to.match(/127\.0\.0\.1$/);
        expect(Date.now() - Date.parse(item.time)).to.be.within(0, 60_000);
      }
      expect(text).to.not.include(apiKey);
    });

    it('pages, and takes no cursor of another user', async () => {
      const [user, stranger] = [await node.register(), await node.register()];
      for (let n = 0; n < 4; n++) await login(user.email, PASSWORD);
      const page = (query: string, { token }: TestUser = user): Promise<Answer> =>
        node.request('GET', `/v1/auth/audit?${query}`, { headers: bearer(token) });
      const first = await page('limit=2');
      const second = await page(`limit=2&cursor=${first.body.next_cursor}`);
      const third = await page(`limit=2&cursor=${second.body.next_cursor}`);
      const items = [first, second, third].flatMap(({ body }) => body.items);
      expect(new Set(items.map(({ id }) => id)).size).to.equal(5);
      expect(third.body.next_cursor).to.equal(null);
      expect((await page(`cursor=${first.body.next_cursor}`, stranger)).body.code).to.equal('invalid_cursor');
      for (const query of ['limit=0', 'limit=501', 'limit=x', 'limit=1&limit=2', 'cursor=', 'cursor=x', 'cursor=%F0%9F%92%A9']) {
        expect((await page(query)).status, query).to.equal(400);
      }
    });

    it('needs an access token', async () => {
      expect((await node.request('GET', '/v1/auth/audit')).status).to.equal(401);
      const { apiKey } = await node.createKey(await node.register());
      expect((await node.request('GET', '/v1/auth/audit', { headers: { 'x-api-key': apiKey } })).status).to.equal(401);
    });
  });
});
