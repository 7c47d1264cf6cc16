import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import { KnownNetworks } from '../../../src/api/auth/parts/devices.ts';
import { SecondFactors } from '../../../src/api/auth/parts/secondFactors.ts';
import { DeploymentSecrets, KeptSecret } from '../../../src/shared/access/secrets.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { SecondFactorStore } from '../../../src/shared/mongo/secondFactorStore.ts';
import { UserStore } from '../../../src/shared/mongo/userStore.ts';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { MailSink } from '../../support/mailSink.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const PASSWORD = 'a good password';
const STEP_MS = 30_000;
const MINUTE_MS = 60_000;

describe('a second factor for login', () => {
  const stores = useStores();
  let mails: MailSink;
  let node: ApiNode;
  let other: ApiNode;
  let nowMs = Math.floor(Date.now() / STEP_MS) * STEP_MS;

  before(async () => {
    mails = await MailSink.start();
    const options = { env: { SMTP_URL: mails.url, REQUIRE_VERIFIED_EMAIL: 'no', PROXY_HOPS: '1' }, now: () => nowMs };
    node = await ApiNode.start(stores, options);
    other = await ApiNode.start(stores, options);
  });
  // Each test has codes of its own.
  beforeEach(() => {
    nowMs += 2 * 3_600_000;
  });
  after(async () => {
    await Promise.all([node.stop(), other.stop()]);
    await mails.stop();
  });

  interface Enrolled extends TestUser {
    readonly secret: string;
    readonly recovery: readonly string[];
  }

  const bearer = ({ token }: Pick<TestUser, 'token'>): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const post = (user: Pick<TestUser, 'token'>, path: string, body: unknown, at = node): Promise<Answer> =>
    at.post(`/v1/auth/${path}`, body, bearer(user));
  const off = (user: Pick<TestUser, 'token'>, body: unknown): Promise<Answer> =>
    node.request('DELETE', '/v1/auth/totp', {
      ...{ body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...bearer(user) } },
    });
  const show = async (user: Pick<TestUser, 'token'>) =>
    (await node.request('GET', '/v1/auth/totp', { headers: bearer(user) })).body;
  const login = ({ email }: Pick<TestUser, 'email'>, code?: unknown, at = node, from = '192.0.2.1'): Promise<Answer> =>
    at.post('/v1/auth/login', { email, password: PASSWORD, ...(code !== undefined && { code }) }, { 'x-forwarded-for': from });
  const codeOf = (secret: string, steps = 0): string =>
    new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 }).generate({ timestamp: nowMs + steps * STEP_MS });
  const wrongCode = (secret: string): string => {
    const good = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps));
    return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !good.includes(code)) as string;
  };
  const enrol = async (): Promise<Enrolled> => {
    const user = await node.register();
    const { status, body } = await post(user, 'totp', { password: PASSWORD });
    expect(status).to.equal(200);
    const confirmed = await post(user, 'totp/confirm', { code: codeOf(body.secret) });
    expect(confirmed.status, confirmed.text).to.equal(200);
    nowMs += STEP_MS;
    return { ...user, secret: body.secret, recovery: confirmed.body.recovery_codes };
  };
  const acts = async (user: TestUser): Promise<string[]> => {
    const { body } = await node.request('GET', '/v1/auth/audit', { headers: bearer(user) });
    return body.items.map(
      ({ action, outcome, detail }: Record<string, string>) => `${action} ${outcome}${detail ? ` ${detail}` : ''}`,
    );
  };
  const stored = async ({ id }: TestUser): Promise<string> =>
    JSON.stringify(await node.mongo.db.collection<{ _id: string }>('secondFactors').findOne({ _id: id }));

  describe('with an address that was never verified', () => {
    const mailedToken = async (email: string): Promise<string> => {
      await until(() => mails.to(email, 'Set a new password').length > 0);
      return /#token=([\w-]{20,})\r?$/m.exec(mails.to(email, 'Set a new password').at(-1) ?? '')?.[1] ?? '';
    };
    const reset = async ({ email }: TestUser): Promise<void> => {
      await node.post('/v1/auth/forgot-password', { email });
      const body = { token: await mailedToken(email), new_password: 'a new password' };
      expect((await node.post('/v1/auth/reset-password', body)).status).to.equal(200);
    };
    const enters = ({ email }: TestUser): Promise<Answer> =>
      node.post('/v1/auth/login', { email, password: 'a new password' }, { 'x-forwarded-for': '192.0.2.9' });

    it('it keeps no owner of the address out: the reset of the password ends it, once', async () => {
      const stranger = await enrol();
      await reset(stranger);
      const { status, body } = await enters(stranger);
      expect(status).to.equal(200);
      const owner = { ...stranger, token: body.access_token };
      expect(await show(owner)).to.include({ enabled: false });
      expect((await acts(owner)).filter((act) => act.startsWith('second_factor.off'))).to.have.length(1);
    });

    it('a reset of a verified address, and of one from before addresses were verified, leaves it on', async () => {
      for (const change of [{ $set: { emailVerifiedAt: new Date(0) } }, { $unset: { emailVerifiedAt: '' as const } }]) {
        const user = await enrol();
        await node.mongo.db.collection<{ _id: string; emailVerifiedAt?: Date }>('users').updateOne({ _id: user.id }, change);
        await reset(user);
        const { status, body } = await enters(user);
        expect([status, body.code]).to.deep.equal([401, 'second_factor_required']);
      }
    });

    it('it is neither begun nor confirmed where keys need a verified address', async () => {
      const options = { env: { SMTP_URL: mails.url, REQUIRE_VERIFIED_EMAIL: 'yes' }, now: () => nowMs };
      const strict = await ApiNode.start(stores, options);
      const user = await node.register();
      const { body } = await post(user, 'totp', { password: PASSWORD });
      for (const [path, asked] of [
        ['totp', { password: PASSWORD }],
        ['totp/confirm', { code: codeOf(body.secret) }],
      ] as const) {
        const refused = await post(user, path, asked, strict);
        expect([refused.status, refused.body.code], path).to.deep.equal([403, 'email_not_verified']);
      }
      await strict.stop();
    });
  });

  describe('turning it on', () => {
    it('shows the secret once, keeps it sealed and recovery codes hashed, and asks for a code before logins do', async () => {
      const user = await node.register();
      const { body } = await post(user, 'totp', { password: PASSWORD });
      expect(body).to.have.all.keys('secret', 'uri');
      expect(body.uri)
        .to.match(/^otpauth:\/\/totp\//)
        .and.include(body.secret);
      expect((await login(user)).status, 'begun is not on').to.equal(200);
      expect(await show(user)).to.deep.equal({ enabled: false, enabled_at: null, recovery_codes_left: 0 });
      expect((await post(user, 'totp/confirm', { code: wrongCode(body.secret) })).body.code).to.equal('invalid_second_factor');
      const confirmed = await post(user, 'totp/confirm', { code: codeOf(body.secret) });
      expect(confirmed.body.recovery_codes).to.have.length(10);
      expect(await show(user)).to.include({ enabled: true, recovery_codes_left: 10 });
      const kept = await stored(user);
      expect(kept).to.not.include(body.secret);
      for (const code of confirmed.body.recovery_codes) expect(kept).to.not.include(code.slice(0, 6));
      expect(node.logLines.join()).to.not.include(body.secret);
      expect(await acts(user)).to.include('second_factor.on ok');
      await until(() => mails.to(user.email).some((mail) => mail.includes('A second factor is on')));
    });

    it('needs the password, and no code of it is good twice', async () => {
      const user = await node.register();
      expect((await post(user, 'totp', { password: 'a bad password' })).body.code).to.equal('invalid_credentials');
      for (const body of [{}, { password: 1 }, []]) expect((await post(user, 'totp', body)).status).to.equal(400);
      const { body } = await post(user, 'totp', { password: PASSWORD });
      const code = codeOf(body.secret);
      expect((await post(user, 'totp/confirm', { code })).status).to.equal(200);
      expect((await login(user, code)).body.code).to.equal('invalid_second_factor');
      expect((await post(user, 'totp/confirm', { code: codeOf(body.secret, 1) })).body.code).to.equal('no_second_factor');
      expect((await post(user, 'totp', { password: PASSWORD })).body.code).to.equal('second_factor_on');
    });

    it('begun anew has another secret; begun an hour ago, or never, it cannot be confirmed', async () => {
      const user = await node.register();
      expect((await post(user, 'totp/confirm', { code: '123456' })).body.code).to.equal('no_second_factor');
      const first = (await post(user, 'totp', { password: PASSWORD })).body.secret;
      const second = (await post(user, 'totp', { password: PASSWORD })).body.secret;
      expect((await post(user, 'totp/confirm', { code: codeOf(first) })).status).to.equal(401);
      nowMs += 61 * MINUTE_MS;
      expect((await post(user, 'totp/confirm', { code: codeOf(second) })).body.code).to.equal('no_second_factor');
    });

    it('ends all other sessions, which were begun without it', async () => {
      const user = await node.register();
      const before = (await login(user)).body.access_token;
      const { body } = await post(user, 'totp', { password: PASSWORD });
      await post(user, 'totp/confirm', { code: codeOf(body.secret) });
      expect((await node.request('GET', '/v1/auth/me', { headers: bearer({ token: before }) })).status).to.equal(401);
      expect((await node.request('GET', '/v1/auth/me', { headers: bearer(user) })).status).to.equal(200);
    });
  });

  describe('login', () => {
    it('asks for the code when the password is right, and tells of it only then', async () => {
      const user = await enrol();
      const { status, body } = await login(user);
      expect(status).to.equal(401);
      expect(body.code).to.equal('second_factor_required');
      expect(await acts(user), 'a password that is known to others shows').to.include('login refused no second factor');
      const wrong = await node.post('/v1/auth/login', {
        email: user.email,
        password: 'a bad password',
        code: codeOf(user.secret),
      });
      expect(wrong.body.code).to.equal('invalid_credentials');
      const right = await login(user, codeOf(user.secret), other);
      expect(right.status, right.text).to.equal(200);
      expect(right.body).to.include.keys('access_token', 'token_type', 'user');
    });

    for (const [steps, status] of [
      [-2, 401],
      [-1, 200],
      [0, 200],
      [1, 200],
      [2, 401],
    ] as const) {
      it(`a clock that is ${steps} steps off: ${status}`, async () => {
        const user = await enrol();
        nowMs += 5 * STEP_MS;
        expect((await login(user, codeOf(user.secret, steps))).status).to.equal(status);
      });
    }

    it('no code is good twice, nor one from before it', async () => {
      const user = await enrol();
      nowMs += 5 * STEP_MS;
      const [before, now] = [codeOf(user.secret, -1), codeOf(user.secret)];
      expect((await login(user, now)).status).to.equal(200);
      for (const code of [now, before]) expect((await login(user, code, other)).body.code).to.equal('invalid_second_factor');
      nowMs += STEP_MS;
      expect((await login(user, now)).status).to.equal(401);
      expect((await login(user, codeOf(user.secret))).status).to.equal(200);
    });

    it('of ten logins with one code at the same moment, at two nodes, one is let in', async () => {
      const user = await enrol();
      const code = codeOf(user.secret);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => login(user, code, n % 2 ? node : other, `198.51.100.${n}`)),
      );
      const statuses = answers.map(({ status }) => status);
      expect(
        statuses.filter((status) => status === 200),
        String(statuses),
      ).to.have.length(1);
    });

    it('a code of other digits than ASCII is a wrong guess like any other', async () => {
      const user = await enrol();
      const code = codeOf(user.secret).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
      expect((await login(user, code)).body.code).to.equal('invalid_second_factor');
      expect(JSON.parse(await stored(user)).guesses).to.have.length(1);
    });

    for (const code of ['', 1, null, [], { $ne: '' }, 'x'.repeat(65)]) {
      it(`refuses the code ${JSON.stringify(code).slice(0, 20)}`, async () => {
        expect((await login(await enrol(), code)).status).to.equal(400);
      });
    }

    it('a wrong code after the right password is noted and told by mail', async () => {
      const user = await enrol();
      expect((await login(user, wrongCode(user.secret))).body.code).to.equal('invalid_second_factor');
      expect(await acts(user)).to.include('login refused second factor');
      await until(() => mails.to(user.email).some((mail) => mail.includes('wrong code')));
    });

    it('a reset of the password leaves it on', async () => {
      const user = await enrol();
      await node.mongo.db
        .collection<{ _id: string }>('users')
        .updateOne({ _id: user.id }, { $inc: { tokenGeneration: 1 }, $unset: { keptTokenId: '' } });
      expect((await login(user)).body.code).to.equal('second_factor_required');
    });
  });

  describe('guesses', () => {
    it('five wrong codes of one network are enough for a quarter of an hour, with the right one too; others get in', async () => {
      const user = await enrol();
      const wrong = wrongCode(user.secret);
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => login(user, wrong, n % 2 ? node : other)));
      const statuses = answers.map(({ status }) => status);
      expect(
        statuses.filter((status) => status === 401),
        String(statuses),
      ).to.have.length(5);
      expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).to.match(/^\d+$/);
      expect((await login(user, codeOf(user.secret))).status).to.equal(429);
      expect((await login(user, codeOf(user.secret), node, '192.0.2.2')).status).to.equal(200);
      nowMs += 16 * MINUTE_MS;
      expect((await login(user, codeOf(user.secret))).status).to.equal(200);
    });

    it('a network that the link of a password mail has made known is one of many', async () => {
      const user = await enrol();
      const wrong = wrongCode(user.secret);
      let answered = 0;
      const users = new UserStore(node.mongo);
      const secrets = new DeploymentSecrets(readConfig({}), new KeptSecret(node.mongo));
      const networks = new KnownNetworks({ secrets, users });
      for (let n = 0; n < 24; n++) {
        const owner = await users.findById(user.id);
        const from = `198.51.${n}.1`;
        await networks.add(owner as NonNullable<typeof owner>, from);
        if ((await login(user, wrong, node, from)).status === 401) answered += 1;
      }
      expect(answered).to.equal(20);
    });

    it('from anywhere no more than twenty an hour are answered, whatever Redis forgets; a known device and a session get in', async () => {
      const user = await enrol();
      const { body: known } = await login(user, codeOf(user.secret), node, '192.0.2.1');
      nowMs += STEP_MS;
      const wrong = wrongCode(user.secret);
      await node.redis.flushall();
      let answered = 0;
      for (let n = 0; n < 30; n++) if ((await login(user, wrong, node, `198.51.${n}.1`)).status === 401) answered += 1;
      expect(answered).to.equal(20);
      expect((await login(user, codeOf(user.secret), node, '203.0.113.9')).status).to.equal(429);
      const own = { email: user.email, password: PASSWORD, code: codeOf(user.secret), device_token: known.device_token };
      expect((await node.post('/v1/auth/login', own, { 'x-forwarded-for': '203.0.113.9' })).status).to.equal(200);
      nowMs += STEP_MS;
      expect((await off(user, { password: PASSWORD, code: codeOf(user.secret) })).status).to.equal(200);
    });
  });

  describe('recovery codes', () => {
    it('each lets in once, and is told by mail', async () => {
      const user = await enrol();
      const [one = '', two = ''] = user.recovery;
      expect((await login(user, one.toLowerCase())).status).to.equal(200);
      expect((await login(user, one, other)).body.code).to.equal('invalid_second_factor');
      expect((await login(user, two)).status).to.equal(200);
      expect(await show(user)).to.include({ recovery_codes_left: 8 });
      expect(await acts(user)).to.include('second_factor.recovery_used ok 9 left');
      await until(() => mails.to(user.email).some((mail) => mail.includes('Codes left: 9')));
    });

    it('of ten logins with one at the same moment, at two nodes, one is let in', async () => {
      const user = await enrol();
      const code = user.recovery[3];
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => login(user, code, n % 2 ? node : other, `198.51.100.${n}`)),
      );
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      expect(await show(user)).to.include({ recovery_codes_left: 9 });
    });

    it('new ones end the old ones, and need password and code', async () => {
      const user = await enrol();
      for (const body of [
        { password: 'a bad password', code: codeOf(user.secret) },
        { password: PASSWORD, code: wrongCode(user.secret) },
      ]) {
        expect((await post(user, 'totp/recovery-codes', body)).status).to.equal(401);
      }
      const { status, body } = await post(user, 'totp/recovery-codes', { password: PASSWORD, code: codeOf(user.secret) });
      expect(status).to.equal(200);
      expect((await login(user, user.recovery[0])).status).to.equal(401);
      expect((await login(user, body.recovery_codes[0])).status).to.equal(200);
    });

    it('work when the secret cannot be opened any more, and so does turning it off', async () => {
      const user = await enrol();
      const factors = node.mongo.db.collection<{ _id: string; secret: string }>('secondFactors');
      await factors.updateOne({ _id: user.id }, { $set: { secret: 'v1.AAAA' } });
      expect((await login(user, codeOf(user.secret))).status).to.equal(401);
      expect((await login(user, user.recovery[0])).status).to.equal(200);
      expect((await off(user, { password: PASSWORD, code: user.recovery[1] })).status).to.equal(200);
      expect((await login(user)).status).to.equal(200);
    });
  });

  describe('turning it off', () => {
    it('needs password and code, and then logins ask for the password alone', async () => {
      const user = await enrol();
      const code = codeOf(user.secret);
      for (const body of [{ password: PASSWORD }, { code }, {}]) expect((await off(user, body)).status).to.equal(400);
      expect((await off(user, { password: 'a bad password', code })).body.code).to.equal('invalid_credentials');
      expect((await off(user, { password: PASSWORD, code: wrongCode(user.secret) })).body.code).to.equal('invalid_second_factor');
      expect((await off(user, { password: PASSWORD, code })).status).to.equal(200);
      expect((await login(user)).status).to.equal(200);
      expect(await acts(user)).to.include('second_factor.off ok');
      expect((await off(user, { password: PASSWORD, code: codeOf(user.secret, 1) })).body.code).to.equal('no_second_factor');
      await until(() => mails.to(user.email).some((mail) => mail.includes('The second factor is off')));
    });
  });

  it('one that was only begun is not turned off: no act is noted, no mail sent, and it can still be confirmed', async () => {
    const user = await node.register();
    const { body } = await post(user, 'totp', { password: PASSWORD });
    expect((await off(user, { password: PASSWORD, code: '123456' })).body.code).to.equal('no_second_factor');
    expect(await acts(user)).to.deep.equal(['account.registered ok']);
    expect((await post(user, 'totp/confirm', { code: codeOf(body.secret) })).status).to.equal(200);
    expect((await show(user)).enabled).to.equal(true);
  });

  it('a process that dies while it turns one on leaves it begun, for a further code to confirm', async () => {
    const { email, id } = await node.register();
    const secrets = new DeploymentSecrets(readConfig({}), new KeptSecret(node.mongo));
    const log = createLogger({ level: 'silent', role: 'test' });
    const factors = new SecondFactors({ store: new SecondFactorStore(node.mongo), secrets, log, now: () => nowMs });
    const begun = await factors.begin({ _id: id, email });
    const { secret = '' } = begun ?? {};
    const sender = { subject: 'session:1', isKnown: true };
    const dies = (): Promise<void> => Promise.reject(new Error('died'));
    const died = await factors.confirm(id, codeOf(secret), sender, dies).catch(({ message }: Error) => message);
    expect(died).to.equal('died');
    expect(await factors.find(id)).to.equal(undefined);
    nowMs += STEP_MS;
    let wasOn: unknown;
    const look = async (): Promise<void> => {
      wasOn = await factors.find(id);
    };
    expect(await factors.confirm(id, codeOf(secret), sender, look)).to.have.length(10);
    expect(wasOn, 'other sessions end before it is on').to.equal(undefined);
    expect(await factors.find(id)).to.not.equal(undefined);
  });

  it('new recovery codes are told by mail', async () => {
    const user = await enrol();
    const renewed = await post(user, 'totp/recovery-codes', { password: PASSWORD, code: codeOf(user.secret) });
    expect(renewed.status).to.equal(200);
    await until(() => mails.to(user.email).some((mail) => mail.includes('New recovery codes')));
  });

  describe('acts that a stolen token must not be enough for', () => {
    const remove = (user: Pick<TestUser, 'token'>, body: object): Promise<Answer> =>
      node.request('DELETE', '/v1/auth/account', {
        ...{ body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...bearer(user) } },
      });

    it('making, changing and renewing keys, and deleting the account, ask for a code unless one was given a moment ago', async () => {
      const user = await enrol();
      const { body: made } = await post(user, 'api-keys', { name: 'fresh' });
      expect(made.api_key).to.match(/^pe_/);
      nowMs += 16 * MINUTE_MS;
      const path = `api-keys/${made.id}`;
      const asks: [name: string, ask: (more: object) => Promise<Answer>][] = [
        ['make', (more) => post(user, 'api-keys', { name: 'late', ...more })],
        ['change', (more) => post(user, `${path}/change`, { addresses: null, ...more })],
        ['rotate', (more) => post(user, `${path}/rotate`, more)],
        ['delete', (more) => remove(user, { password: PASSWORD, ...more })],
      ];
      for (const [name, ask] of asks) {
        expect((await ask({})).body.code, name).to.equal('second_factor_required');
        expect((await ask({ code: wrongCode(user.secret) })).body.code, name).to.equal('invalid_second_factor');
      }
      expect((await node.request('POST', `/v1/auth/${path}/rotate`, { headers: bearer(user) })).status).to.equal(401);
      for (const [name, ask] of asks) {
        expect((await ask({ code: codeOf(user.secret) })).status, name).to.equal(200);
        nowMs += 16 * MINUTE_MS;
      }
      expect(await node.mongo.db.collection<{ _id: string }>('secondFactors').findOne({ _id: user.id })).to.equal(null);
    });

    it('a repetition under an Idempotency-Key gets the first answer, though its code is used', async () => {
      const user = await enrol();
      nowMs += 16 * MINUTE_MS;
      const body = { name: 'once', code: codeOf(user.secret) };
      const ask = (): Promise<Answer> => node.post('/v1/auth/api-keys', body, { ...bearer(user), 'idempotency-key': 'once' });
      const [one, two] = [await ask(), await ask()];
      expect(two.body.api_key).to.equal(one.body.api_key);
    });

    it('a repetition that is asked for another code gets the first answer too, and none without a code', async () => {
      const user = await enrol();
      const { body: made } = await post(user, 'api-keys', { name: 'bot' });
      for (const path of ['api-keys', `api-keys/${made.id}/rotate`]) {
        const headers = { ...bearer(user), 'idempotency-key': path };
        const ask = (more: object): Promise<Answer> =>
          node.post(`/v1/auth/${path}`, { ...(path === 'api-keys' && { name: 'late' }), ...more }, headers);
        nowMs += 16 * MINUTE_MS;
        const one = await ask({ code: codeOf(user.secret) });
        nowMs += 16 * MINUTE_MS;
        expect((await ask({})).body.code).to.equal('second_factor_required');
        const two = await ask({ code: codeOf(user.secret) });
        expect([two.status, two.body.api_key]).to.deep.equal([200, one.body.api_key]);
      }
    });

    it('revoking a key and ending sessions never ask', async () => {
      const user = await enrol();
      const { body } = await post(user, 'api-keys', { name: 'bot' });
      nowMs += 16 * MINUTE_MS;
      const end = (path: string): Promise<Answer> => node.request('DELETE', `/v1/auth/${path}`, { headers: bearer(user) });
      expect((await end(`api-keys/${body.id}`)).status).to.equal(200);
      expect((await end('sessions')).status).to.equal(200);
    });

    it('users without a second factor are asked for nothing', async () => {
      const user = await node.register();
      nowMs += 16 * MINUTE_MS;
      expect((await post(user, 'api-keys', { name: 'bot' })).status).to.equal(200);
    });
  });
});
