import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { MailSink } from '../../support/mailSink.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const PASSWORD = 'a good password';

describe('auth: Redis goes away in the middle of a request that has changed MongoDB', () => {
  let stores: { redis: Store; mongo: Store };
  let mails: MailSink;
  let nodes: [ApiNode, ApiNode];

  before(async () => {
    stores = { redis: await startRedis({ appendfsync: 'always' }), mongo: await startMongo({ memory: true }) };
    mails = await MailSink.start();
    const env = { SMTP_URL: mails.url, REQUIRE_VERIFIED_EMAIL: 'no' };
    nodes = [await ApiNode.start(stores, { env }), await ApiNode.start(stores, { env })];
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await mails.stop();
    await Promise.all([stores.redis.stop(), stores.mongo.stop()]);
  });

  const bearer = ({ token }: Pick<TestUser, 'token'>): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const me = async (user: TestUser, at: ApiNode): Promise<number> =>
    (await at.request('GET', '/v1/auth/me', { headers: bearer(user) })).status;

  it('a reset and a new second factor are answered; other nodes hear of them when Redis is back', async () => {
    const [node, other] = nodes;
    const [forgetful, careful] = [await node.register(), await node.register()];
    await node.post('/v1/auth/forgot-password', { email: forgetful.email });
    await until(() => mails.to(forgetful.email, 'Set a new password').length > 0);
    const [, token = ''] = /#token=([\w-]{20,})\r?$/m.exec(mails.to(forgetful.email, 'Set a new password').at(-1) ?? '') ?? [];
    const second = await other.post('/v1/auth/login', { email: careful.email, password: PASSWORD });
    const begun = await node.post('/v1/auth/totp', { password: PASSWORD }, bearer(careful));
    const code = new TOTP({ secret: Secret.fromBase32(begun.body.secret), digits: 6, period: 30 }).generate();
    const elsewhere: TestUser = { ...careful, token: second.body.access_token };
    expect([await me(forgetful, other), await me(elsewhere, other)]).to.deep.equal([200, 200]);

    await stores.redis.kill();
    const answers: Answer[] = await Promise.all([
      node.post('/v1/auth/reset-password', { token, new_password: 'a new password' }),
      node.post('/v1/auth/totp/confirm', { code }, bearer(careful)),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(answers[1]?.body.recovery_codes).to.have.length(10);
    expect(await me(forgetful, node), 'at this node at once').to.equal(401);

    const { dir, port } = stores.redis;
    stores = { ...stores, redis: await startRedis({ dir, port, appendfsync: 'always' }) };
    await until(async () => (await me(forgetful, other)) === 401 && (await me(elsewhere, other)) === 401);
  });
});
