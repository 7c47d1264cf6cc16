import { expect } from 'chai';
import { LOGIN_LINK_SECONDS, makeLoginLink } from '../../../src/shared/access/loginLinks.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { type Answer, ApiNode } from '../../support/apiNode.ts';
import { useStores } from '../../support/useStores.ts';

const OURS = {
  ...{ origin: 'http://127.0.0.1:3000', 'x-requested-with': 'dashboard', 'sec-fetch-site': 'same-origin' },
  'content-type': 'application/json',
};

describe('auth: a link that logs a browser of this machine in, once', () => {
  const stores = useStores();
  let node: ApiNode;
  let reached: ApiNode;

  before(async () => {
    node = await ApiNode.start(stores);
    reached = await ApiNode.start(stores, { env: { PUBLIC_URL: 'https://paper.example.com', JWT_SECRET: 'x'.repeat(40) } });
  });
  after(() => Promise.all([node.stop(), reached.stop()]));

  const use = (body: unknown, { at = node, headers = OURS as Record<string, string> } = {}): Promise<Answer> =>
    at.request('POST', '/v1/auth/session/link', { headers, body: JSON.stringify(body) });

  it('opens a session like a password does, with its cookie, and is over then', async () => {
    const { id, email } = await node.register();
    const token = await makeLoginLink(node.redis, id);
    const answer = await use({ link_token: token });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.user).to.include({ id, email });
    expect(answer.headers.get('set-cookie')).to.match(/^refresh-3000=ses_\w+\.1\.[\w-]+; .*HttpOnly/);
    const me = await node.request('GET', '/v1/auth/me', { headers: { authorization: `Bearer ${answer.body.access_token}` } });
    expect(me.status).to.equal(200);
    expect((await use({ link_token: token })).body.code).to.equal('invalid_link');
    const [row] = await node.billing.audit.page(id, { limit: 1 });
    expect(row).to.include({ action: 'login', actor: 'login link', outcome: 'ok' });
  });

  it('of ten browsers that use it at once one is let in', async () => {
    const { id } = await node.register();
    const token = await makeLoginLink(node.redis, id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => use({ link_token: token })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(9).fill(401)]);
  });

  it('what is stored opens nothing and goes with its time', async () => {
    const { id } = await node.register();
    await makeLoginLink(node.redis, id);
    const keys = await node.redis.keys('{login}:link:*');
    expect(keys).to.have.length(1);
    expect(await node.redis.ttl(keys[0] ?? '')).to.be.within(1, LOGIN_LINK_SECONDS);
    expect((await use({ link_token: keys[0]?.split(':')[2] })).body.code).to.equal('invalid_link');
  });

  it('is nothing for a user with a second factor, and stays unused when another site’s page or a wrong body tries', async () => {
    const { id } = await node.register();
    const token = await makeLoginLink(node.redis, id);
    expect((await use({ link_token: token }, { headers: { ...OURS, origin: 'https://evil.example' } })).body.code).to.equal(
      'cross_site',
    );
    const { 'x-requested-with': _, ...form } = OURS;
    expect((await use({ link_token: token }, { headers: form })).body.code).to.equal('cross_site');
    for (const wrong of [
      {},
      { token: 7 },
      { token: '' },
      { token: ['x'] },
      { token: 'x'.repeat(300) },
      { token: { $ne: '' } },
      [],
      null,
    ])
      expect((await use(wrong)).status, JSON.stringify(wrong)).to.equal(400);
    expect((await use({ link_token: '‮\u0000💥' })).body.code).to.equal('invalid_link');
    await node.mongo.db
      .collection<{ _id: string; confirmedAt: Date }>(collections.secondFactors)
      .insertOne({ _id: id, confirmedAt: new Date() });
    expect((await use({ link_token: token })).body.code).to.equal('invalid_link');
  });

  it('is refused where other machines reach the exchange', async () => {
    const { id } = await node.register();
    const token = await makeLoginLink(node.redis, id);
    const headers = { ...OURS, origin: 'https://paper.example.com' };
    const { status, body } = await use({ link_token: token }, { at: reached, headers });
    expect({ status, code: body.code }).to.deep.equal({ status: 403, code: 'only_on_this_machine' });
    expect((await use({ link_token: token })).status).to.equal(200);
  });
});
