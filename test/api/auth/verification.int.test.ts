import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { digestOf } from '../../../src/api/access/credentials.ts';
import { KeyStore } from '../../../src/shared/mongo/keyStore.ts';
import { type User, UserStore } from '../../../src/shared/mongo/userStore.ts';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { MailSink } from '../../support/mailSink.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const PASSWORD = 'a good password';
const VERIFY = 'Verify your e-mail address';
const HOUR_MS = 3_600_000;

describe('auth: e-mail addresses are verified', () => {
  const stores = useStores();
  let mails: MailSink;
  let node: ApiNode;
  let other: ApiNode;
  let clockOffsetMs = 0;

  before(async () => {
    mails = await MailSink.start();
    const env = { SMTP_URL: mails.url, VERIFY_EMAIL_URL: 'https://app.example.com/verify?x=1' };
    node = await ApiNode.start(stores, { env, now: () => Date.now() + clockOffsetMs });
    other = await ApiNode.start(stores, { env });
  });
  afterEach(() => {
    clockOffsetMs = 0;
  });
  after(async () => {
    await Promise.all([node.stop(), other.stop()]);
    await mails.stop();
  });

  const bearer = ({ token }: Pick<TestUser, 'token'>): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const makeKey = (user: TestUser, at = node): Promise<Answer> => at.post('/v1/auth/api-keys', { name: 'bot' }, bearer(user));
  const verify = (token: string, at = node): Promise<Answer> => at.post('/v1/auth/verify-email', { token });
  const resend = (user: TestUser): Promise<Answer> => node.post('/v1/auth/resend-verification', {}, bearer(user));
  const trade = (apiKey: string, at = node): Promise<Answer> =>
    at.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': apiKey });
  const isVerified = async (user: TestUser): Promise<boolean> =>
    (await node.request('GET', '/v1/auth/me', { headers: bearer(user) })).body.email_verified;

  async function mailed(email: string, subject: string, count = 1): Promise<string> {
    await until(() => mails.to(email, subject).length >= count);
    const [, token = ''] = /#token=([\w-]{20,})\r?$/m.exec(mails.to(email, subject).at(-1) ?? '') ?? [];
    return token;
  }
  async function reset(user: TestUser, body: object = {}, at = node): Promise<Answer> {
    const count = mails.to(user.email, 'Set a new password').length;
    await at.post('/v1/auth/forgot-password', { email: user.email });
    const token = await mailed(user.email, 'Set a new password', count + 1);
    return at.post('/v1/auth/reset-password', { token, new_password: 'a new password', ...body });
  }
  async function verified(): Promise<TestUser> {
    const user = await node.register();
    expect((await verify(await mailed(user.email, VERIFY))).status).to.equal(200);
    return user;
  }

  it('no key is made before the link of the mail is used; then it is', async () => {
    const user = await node.register();
    const refused = await makeKey(user);
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'email_not_verified']);
    expect(await isVerified(user)).to.equal(false);
    const token = await mailed(user.email, VERIFY);
    expect(mails.to(user.email, VERIFY)[0]).to.include('https://app.example.com/verify?x=1#token=');
    expect((await verify(token, other)).status).to.equal(200);
    expect(await isVerified(user)).to.equal(true);
    expect((await makeKey(user)).status).to.equal(200);
    await until(() => mails.to(user.email, 'Your e-mail address is verified').length === 1);
    const { body } = await node.request('GET', '/v1/auth/audit', { headers: bearer(user) });
    expect(body.items.map(({ action }: { action: string }) => action)).to.include('email.verified');
  });

  it('a link works once: of ten requests with it one verifies', async () => {
    const user = await node.register();
    const token = await mailed(user.email, VERIFY);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => verify(token, n % 2 ? node : other)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(9).fill(400)]);
    expect(answers.find(({ status }) => status === 400)?.body.code).to.equal('invalid_verification_token');
  });

  it('a link works for 24 hours', async () => {
    const user = await node.register();
    const token = await mailed(user.email, VERIFY);
    clockOffsetMs = 24 * HOUR_MS + 1000;
    expect((await verify(token)).status).to.equal(400);
    clockOffsetMs = 23 * HOUR_MS;
    expect((await verify(token)).status).to.equal(200);
  });

  it('the token is kept as a hash, and in no log; that of a reset verifies nothing, and the other way round', async () => {
    const user = await node.register();
    const token = await mailed(user.email, VERIFY);
    const stored = JSON.stringify(await node.mongo.db.collection('users').find().toArray());
    expect(stored).to.include(createHash('sha256').update(token).digest('hex'));
    expect(stored).to.not.include(token);
    expect(node.logLines.join()).to.not.include(token);
    expect((await node.post('/v1/auth/reset-password', { token, new_password: 'a new password' })).status).to.equal(400);
    await node.post('/v1/auth/forgot-password', { email: user.email });
    expect((await verify(await mailed(user.email, 'Set a new password'))).status).to.equal(400);
  });

  for (const token of ['', 'x', 'é\u0000', 'x'.repeat(257), { $gt: '' }, null, 1]) {
    it(`the token ${JSON.stringify(token).slice(0, 30)} is refused`, async () => {
      expect((await node.post('/v1/auth/verify-email', { token })).status).to.equal(400);
    });
  }

  it('another mail may be asked for, five an hour; earlier links stay valid', async () => {
    const user = await node.register();
    const first = await mailed(user.email, VERIFY);
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await resend(user)).status);
    expect(statuses).to.deep.equal([200, 200, 200, 200, 429, 429]);
    await until(() => node.mails.load === 0);
    expect(mails.to(user.email, VERIFY)).to.have.length(5);
    expect((await verify(first)).status).to.equal(200);
    const { status, body } = await resend(user);
    expect([status, body.code]).to.deep.equal([409, 'email_verified']);
    expect((await node.post('/v1/auth/resend-verification', {})).status).to.equal(401);
    const rows = await node.mongo.db
      .collection('audit')
      .find({ userId: user.id, action: 'email.verification_requested' })
      .toArray();
    expect(rows).to.have.length(4);
  });

  it('a mailbox is not flooded by whoever registers and deletes its address again and again', async () => {
    const email = 'flooded@example.com';
    for (let n = 0; n < 8; n++) {
      const user = await node.register(email);
      const headers = { 'content-type': 'application/json', ...bearer(user) };
      const body = JSON.stringify({ password: PASSWORD });
      expect((await node.request('DELETE', '/v1/auth/account', { body, headers })).status).to.equal(200);
    }
    await until(() => node.background.load === 0 && node.mails.load === 0);
    expect(mails.to(email)).to.have.length(5);
  });

  it('nor by whoever writes it in many ways', async () => {
    const emails = Array.from({ length: 8 }, (_, n) => `way.s+${n}@gmail.com`);
    for (const email of emails) await node.register(email);
    await until(() => node.background.load === 0 && node.mails.load === 0);
    expect(emails.filter((email) => mails.to(email).length > 0)).to.have.length(5);
  });

  it('a user from before addresses were verified makes keys, and is shown as not verified', async () => {
    const user = await node.register();
    await node.mongo.db.collection<{ _id: string }>('users').updateOne({ _id: user.id }, { $unset: { emailVerifiedAt: '' } });
    expect((await makeKey(user)).status).to.equal(200);
    expect(await isVerified(user)).to.equal(false);
  });

  const asked: { env: Record<string, string>; status: number }[] = [
    { env: { REQUIRE_VERIFIED_EMAIL: 'no' }, status: 200 },
    { env: { REQUIRE_VERIFIED_EMAIL: '' }, status: 403 },
    { env: { SMTP_URL: '' }, status: 200 },
    { env: { SMTP_URL: '', REQUIRE_VERIFIED_EMAIL: 'yes' }, status: 403 },
  ];
  for (const { env, status } of asked) {
    it(`with ${JSON.stringify(env)} a key for an address that is not verified: ${status}`, async () => {
      const one = await ApiNode.start(stores, { env: { SMTP_URL: mails.url, ...env } });
      expect((await makeKey(await one.register(), one)).status).to.equal(status);
      await one.stop();
    });
  }

  describe('a reset', () => {
    it('verifies the address, and revokes keys that were made before it was verified', async () => {
      const open = await ApiNode.start(stores, { env: { SMTP_URL: mails.url, REQUIRE_VERIFIED_EMAIL: 'no' } });
      const stranger = await open.register();
      const { apiKey } = await open.createKey(stranger);
      for (const at of [open, other]) expect((await trade(apiKey, at)).status).to.equal(200);
      const { status, body } = await reset(stranger, {}, open);
      expect(status).to.equal(200);
      expect(body.message).to.include('API keys are revoked');
      expect((await trade(apiKey, open)).status).to.equal(401);
      await until(async () => (await trade(apiKey, other)).status === 401);
      const { body: login } = await open.post('/v1/auth/login', { email: stranger.email, password: 'a new password' });
      expect(await isVerified({ ...stranger, token: login.access_token })).to.equal(true);
      await until(() => mails.to(stranger.email, 'Your password was reset').length === 1);
      expect(mails.to(stranger.email, 'Your password was reset')[0]).to.include('all revoked');
      await open.stop();
    });

    it('of a verified address leaves keys alone, unless it is asked to revoke them', async () => {
      const user = await verified();
      const { apiKey } = await node.createKey(user);
      expect((await reset(user)).body.message).to.include('API keys work on');
      expect((await trade(apiKey)).status).to.equal(200);
      expect((await reset(user, { revoke_keys: true })).status).to.equal(200);
      expect((await trade(apiKey)).status).to.equal(401);
      const rows = await node.mongo.db.collection('audit').find({ userId: user.id, action: 'api_key.revoked' }).toArray();
      expect(rows.map(({ actor, detail }) => [actor, detail])).to.deep.equal([['reset link', 'all (1)']]);
    });

    it('of two at once one wins, and only its wish about keys is done', async () => {
      const user = await verified();
      const { apiKey } = await node.createKey(user);
      await node.post('/v1/auth/forgot-password', { email: user.email });
      const token = await mailed(user.email, 'Set a new password');
      const answers = await Promise.all(
        [true, false, true, false].map((revoke_keys, n) =>
          (n % 2 ? node : other).post('/v1/auth/reset-password', { token, new_password: `new password ${n}`, revoke_keys }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      const won = answers.findIndex(({ status }) => status === 200);
      await until(async () => (await trade(apiKey)).status === (won % 2 === 0 ? 401 : 200));
    });

    it('whose process died before the keys were revoked: none works, and the next login revokes them', async () => {
      const user = await verified();
      const { apiKey } = await node.createKey(user);
      const users = node.mongo.db.collection<{ _id: string }>('users');
      await users.updateOne({ _id: user.id }, { $set: { keysToRevoke: true, keyEpoch: 1 } });
      const fresh = await ApiNode.start(stores);
      expect((await trade(apiKey, fresh)).status).to.equal(401);
      expect((await fresh.post('/v1/auth/login', { email: user.email, password: PASSWORD })).status).to.equal(200);
      const [stored] = await users.find({ _id: user.id }).toArray();
      expect(stored).to.not.have.property('keysToRevoke');
      expect((await trade(apiKey, fresh)).status).to.equal(401);
      const { apiKey: next } = await fresh.createKey(user);
      expect((await trade(next, fresh)).status).to.equal(200);
      await fresh.stop();
    });

    it('that is slow revokes the keys that it found, and none that was made since', async () => {
      const user = await verified();
      const { apiKey: before } = await node.createKey(user);
      const digest = digestOf('the token of the mail');
      const users = new UserStore(node.mongo);
      const at = new Date();
      await users.addResetToken(user.id, { digest, expiresAt: new Date(at.getTime() + 60_000) }, at);
      const [known] = await node.mongo.db.collection<User>('users').find({ _id: user.id }).toArray();
      const { passwordHash = '' } = known ?? {};
      const reset = await users.resetPassword({ digest, passwordHash, at, verifies: false, revokesKeys: true });
      // Its process is slow from here on. The user logs in, which revokes the keys, and makes another one.
      const { body } = await node.post('/v1/auth/login', { email: user.email, password: PASSWORD });
      const { apiKey: since } = await node.createKey({ ...user, token: body.access_token });
      const digests = await new KeyStore(node.mongo).revokeAll(user.id, at, reset?.keyEpoch);
      expect(digests).to.deep.equal([]);
      const fresh = await ApiNode.start(stores);
      expect((await trade(since, fresh)).status).to.equal(200);
      expect((await trade(before, fresh)).status).to.equal(401);
      await fresh.stop();
    });

    it('whose process died: a key made before the next login works, for the mark is about earlier ones', async () => {
      const user = await verified();
      const users = node.mongo.db.collection<{ _id: string }>('users');
      await users.updateOne({ _id: user.id }, { $set: { keysToRevoke: true, keyEpoch: 1 } });
      const { apiKey } = await node.createKey(user);
      const fresh = await ApiNode.start(stores);
      expect((await trade(apiKey, fresh)).status).to.equal(200);
      await fresh.stop();
    });

    for (const revoke_keys of ['yes', 1, null, {}]) {
      it(`refuses revoke_keys ${JSON.stringify(revoke_keys)}`, async () => {
        const body = { token: 'x', new_password: 'a new password', revoke_keys };
        expect((await node.post('/v1/auth/reset-password', body)).body.code).to.equal('invalid_request');
      });
    }
  });

  it('the pages read the token from the fragment, run their own script only, and reach no other server', async () => {
    for (const path of ['/verify-email', '/reset-password']) {
      const { status, text, headers } = await node.request('GET', path);
      expect(status).to.equal(200);
      const [, script = ''] = /<script>(.*?)<\/script>/s.exec(text) ?? [];
      const digest = createHash('sha256').update(script).digest('base64');
      expect(headers.get('content-security-policy'))
        .to.include("default-src 'none'")
        .and.include(`script-src 'sha256-${digest}'`);
      expect(script).to.include('location.hash').and.include('history.replaceState').and.not.include('location.search');
      expect(text).to.not.match(/https?:\/\//);
    }
    expect((await node.request('GET', '/reset-password')).text).to.include('type="checkbox"');
  });
});
