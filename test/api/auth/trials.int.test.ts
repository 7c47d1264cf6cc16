import { expect } from 'chai';
import { TrialStore } from '../../../src/shared/mongo/trialStore.ts';
import { ApiNode, type TestUser } from '../../support/apiNode.ts';
import { useStores } from '../../support/useStores.ts';

const PASSWORD = 'a good password';
const DAY_MS = 86_400_000;

describe('auth: a mailbox has one trial', () => {
  const stores = useStores();
  let node: ApiNode;

  before(async () => {
    node = await ApiNode.start(stores);
  });
  after(() => node.stop());

  const bearer = ({ token }: TestUser): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const statusOf = async (user: TestUser): Promise<string> =>
    (await node.request('GET', '/v1/auth/me', { headers: bearer(user) })).body.subscription_status;
  const remove = async (user: TestUser): Promise<void> => {
    const headers = { 'content-type': 'application/json', ...bearer(user) };
    const body = JSON.stringify({ password: PASSWORD });
    expect((await node.request('DELETE', '/v1/auth/account', { body, headers })).status).to.equal(200);
  };

  it('an address that is deleted and registered again has none, and does not trade', async () => {
    const user = await node.register('again@example.com');
    expect(await statusOf(user)).to.equal('trial');
    await remove(user);
    const anew = await node.register('again@example.com');
    expect(await statusOf(anew)).to.equal('expired');
    const { apiKey } = await node.createKey(anew);
    const order = { a: 0, b: true, p: '1', s: '1', r: false, t: { limit: { tif: 'Gtc' } } };
    const body = { action: { type: 'order', orders: [order], grouping: 'na' }, nonce: Date.now() };
    const { status, body: answer } = await node.post('/v1/exchanges/perpx/exchange', body, { 'x-api-key': apiKey });
    expect([status, answer.code]).to.deep.equal([403, 'trial_expired']);
    await remove(anew);
    expect(await statusOf(await node.register('again@example.com'))).to.equal('expired');
  });

  it('other ways to write a mailbox are the same mailbox, where its provider says so', async () => {
    expect(await statusOf(await node.register('some.one@gmail.com'))).to.equal('trial');
    for (const email of ['someone@gmail.com', 'so.meone+2@gmail.com', 'SomeOne@googlemail.com']) {
      expect(await statusOf(await node.register(email)), email).to.equal('expired');
    }
    for (const email of ['some.one@example.com', 'someone@example.com', 'someone+2@example.com']) {
      expect(await statusOf(await node.register(email)), email).to.equal('trial');
    }
  });

  it('only the deployment’s secret makes the hash that is kept: with another one nobody can tell whose it is', async () => {
    const user = await node.register('kept@example.com');
    await remove(user);
    const other = await ApiNode.start(stores, { env: { DEPLOYMENT_SECRET: 'another secret of 32 characters or so' } });
    expect(await statusOf(await other.register('kept@example.com'))).to.equal('trial');
    await other.stop();
  });

  it('of ten registrations of one mailbox at once one has a trial', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, (_, n) => node.register(`racer+${n}@gmail.com`)));
    const statuses = await Promise.all(users.map(statusOf));
    expect(statuses.sort()).to.deep.equal([...Array(9).fill('expired'), 'trial']);
  });

  it('a registration that is repeated under its Idempotency-Key keeps its trial', async () => {
    const body = { email: 'repeated@example.com', password: PASSWORD };
    const headers = { 'idempotency-key': 'register-once' };
    const { body: first } = await node.post('/v1/auth/register', body, headers);
    await node.redis.flushall();
    const { status, body: second } = await node.post('/v1/auth/register', body, headers);
    expect([status, second.user_id]).to.deep.equal([200, first.user_id]);
    expect(await statusOf({ email: body.email, token: second.access_token, id: second.user_id })).to.equal('trial');
  });

  it('an account that is deleted and registered again under the same Idempotency-Key has none', async () => {
    const body = { email: 'same-key@example.com', password: PASSWORD };
    const register = async (): Promise<TestUser> => {
      const { status, body: answer, text } = await node.post('/v1/auth/register', body, { 'idempotency-key': 'same-key' });
      expect(status, text).to.equal(200);
      return { email: body.email, token: answer.access_token, id: answer.user_id };
    };
    const user = await register();
    expect(await statusOf(user)).to.equal('trial');
    await remove(user);
    // The answer under this key is forgotten after its time.
    await node.redis.flushall();
    expect(await statusOf(await register())).to.equal('expired');
  });

  it('a user from before there were records leaves one too', async () => {
    const user = await node.register('early@example.com');
    await node.mongo.db.collection('trials').deleteMany({ userId: user.id });
    await remove(user);
    expect(await statusOf(await node.register('early@example.com'))).to.equal('expired');
  });

  it('no record shows an address', async () => {
    await node.register('hidden@example.com');
    expect(JSON.stringify(await node.mongo.db.collection('trials').find().toArray())).to.not.match(/hidden|example/);
  });

  describe('TrialStore', () => {
    const trial = (userId: string, atMs: number) => ({ _id: 'digest-of-one', userId, at: new Date(atMs) });
    const nobody = async (): Promise<boolean> => false;

    it('a registration that died gives the trial back after a minute, to one of those who ask', async () => {
      const store = new TrialStore(node.mongo);
      expect(await store.take(trial('a', 0), nobody)).to.equal('taken');
      expect(await store.take(trial('b', 59_999), nobody)).to.equal('underWay');
      expect(await store.take(trial('b', 60_000), async () => true)).to.equal('had');
      const takes = await Promise.all(['c', 'd', 'e'].map((userId) => store.take(trial(userId, 60_000), nobody)));
      expect(takes.filter((taken) => taken === 'taken')).to.have.length(1);
    });

    it('the record of a deleted account is forgotten after its time', async () => {
      const store = new TrialStore(node.mongo);
      await store.keep({ _id: 'digest-of-two', userId: 'a', at: new Date(0) });
      expect(await store.forgetDeletedBefore(new Date(0))).to.equal(0);
      expect(await store.take({ _id: 'digest-of-two', userId: 'b', at: new Date(DAY_MS) }, nobody)).to.equal('had');
      expect(await store.forgetDeletedBefore(new Date(1))).to.equal(1);
      expect(await store.take({ _id: 'digest-of-two', userId: 'b', at: new Date(DAY_MS) }, nobody)).to.equal('taken');
    });
  });
});
