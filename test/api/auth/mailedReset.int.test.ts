import { expect } from 'chai';
import { ApiNode } from '../../support/apiNode.ts';
import { MailSink } from '../../support/mailSink.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const OURS = { origin: 'http://127.0.0.1:3000', 'x-requested-with': 'dashboard', 'sec-fetch-site': 'same-origin' };

describe('auth: a password that is reset by a mail', () => {
  let stores: { redis: Store; mongo: Store };
  let mails: MailSink;
  const nodes: ApiNode[] = [];

  before(async () => {
    stores = { redis: await startRedis(), mongo: await startMongo({ memory: true }) };
    mails = await MailSink.start();
    for (const _ of ['one', 'other']) nodes.push(await ApiNode.start(stores, { env: { SMTP_URL: mails.url } }));
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await Promise.all([mails.stop(), stores.redis.stop(), stores.mongo.stop()]);
  });

  it('ends every browser of the user, their cookies and their tokens, at every node; the new password begins another', async () => {
    const [node, other] = nodes as [ApiNode, ApiNode];
    const { email } = await node.register();
    const logIn = (password: string) => node.post('/v1/auth/session', { email, password }, OURS);
    const cookieOf = (headers: Headers): string => headers.get('set-cookie')?.split(';')[0] ?? '';
    const refresh = (at: ApiNode, cookie: string) =>
      at.request('POST', '/v1/auth/session/refresh', { headers: { ...OURS, cookie } });
    const browsers = [await logIn('a good password'), await logIn('a good password')].map(({ headers, body }) => ({
      cookie: cookieOf(headers),
      token: String(body.access_token),
    }));

    await node.post('/v1/auth/forgot-password', { email });
    await until(() => mails.to(email, 'Set a new password').length === 1);
    const [, token] = /#token=([\w-]{20,})\r?$/m.exec(mails.to(email, 'Set a new password')[0] ?? '') ?? [];
    const reset = await node.post('/v1/auth/reset-password', { token, new_password: 'a better password' });
    expect(reset.status, reset.text).to.equal(200);

    for (const { cookie, token: old } of browsers) {
      for (const at of [node, other]) {
        expect((await refresh(at, cookie)).body.code).to.equal('invalid_session');
        const me = () => at.request('GET', '/v1/auth/me', { headers: { authorization: `Bearer ${old}` } });
        await until(async () => (await me()).status === 401);
      }
    }
    expect((await logIn('a good password')).status).to.equal(401);
    const anew = await logIn('a better password');
    expect((await refresh(other, cookieOf(anew.headers))).status).to.equal(200);
  });
});
