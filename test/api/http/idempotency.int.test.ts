import { expect } from 'chai';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { useStores } from '../../support/useStores.ts';

describe('Idempotency-Key outside trading', () => {
  const stores = useStores();
  let node: ApiNode;
  let other: ApiNode;

  before(async () => {
    [node, other] = [await ApiNode.start(stores), await ApiNode.start(stores)];
  });
  after(() => Promise.all([node.stop(), other.stop()]));

  const createKey = (user: TestUser, key: string, name = 'bot', at = node): Promise<Answer> =>
    at.post('/v1/auth/api-keys', { name }, { authorization: `Bearer ${user.token}`, 'idempotency-key': key });
  const keysOf = async ({ token }: TestUser): Promise<{ id: string }[]> =>
    (await node.request('GET', '/v1/auth/api-keys', { headers: { authorization: `Bearer ${token}` } })).body.api_keys;

  it('an API key that is asked for again, at another node, is the same key', async () => {
    const user = await node.register();
    const first = await createKey(user, 'again');
    const second = await createKey(user, 'again', 'bot', other);
    expect(first.status).to.equal(200);
    expect(second.body).to.deep.equal(first.body);
    expect(await keysOf(user)).to.have.length(1);
    const used = await node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': second.body.api_key });
    expect(used.status).to.equal(200);
  });

  it('ten requests at once under one key make one API key', async () => {
    const user = await node.register();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => createKey(user, 'once', 'bot', n % 2 ? node : other)));
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    expect(answers[0]?.status).to.equal(200);
    expect(await keysOf(user)).to.have.length(1);
  });

  it('another body under the same key is 422 and makes nothing', async () => {
    const user = await node.register();
    await createKey(user, 'mine', 'one');
    const { status, body } = await createKey(user, 'mine', 'two');
    expect(status).to.equal(422);
    expect(body.code).to.equal('idempotency_mismatch');
    expect(await keysOf(user)).to.have.length(1);
  });

  it("another user's equal key is a key of its own", async () => {
    const [one, two] = [await node.register(), await node.register()];
    const [first, second] = [await createKey(one, 'same'), await createKey(two, 'same')];
    expect(second.status).to.equal(200);
    expect(second.body.api_key).to.not.equal(first.body.api_key);
  });

  it('a request that failed may be repeated', async () => {
    const user = await node.register();
    for (let n = 0; n < 5; n++) await createKey(user, `key-${n}`);
    expect((await createKey(user, 'sixth')).status).to.equal(409);
    const [oldest] = await keysOf(user);
    await node.request('DELETE', `/v1/auth/api-keys/${oldest?.id}`, { headers: { authorization: `Bearer ${user.token}` } });
    expect((await createKey(user, 'sixth')).status).to.equal(200);
  });

  it('past the bytes that may be remembered of one user a new key does nothing; known keys, other users and no key go on', async () => {
    const tight = await ApiNode.start(stores, { env: { IDEMPOTENCY_BYTES: '1048576' } });
    const [user, another] = [await tight.register(), await tight.register()];
    const first = await createKey(user, 'first', 'bot', tight);
    const [owner] = Object.entries(await tight.redis.hgetall('{idem}bytes')).filter(([name]) => !name.startsWith('_'));
    expect(owner).not.to.equal(undefined);
    const counted = await tight.redis.hgetall('{idem}bytes');
    for (const name of Object.keys(counted)) if (!name.startsWith('_')) await tight.redis.hset('{idem}bytes', name, 1_048_577);
    const refused = await createKey(user, 'second', 'bot', tight);
    expect([refused.status, refused.body.code]).to.deep.equal([429, 'answers_full']);
    expect(await keysOf(user)).to.have.length(1);
    expect((await createKey(user, 'first', 'bot', tight)).body).to.deep.equal(first.body);
    expect((await createKey(another, 'first', 'bot', tight)).status).to.equal(200);
    const { status } = await tight.post('/v1/auth/api-keys', { name: 'bot' }, { authorization: `Bearer ${user.token}` });
    expect(status).to.equal(200);
    for (const [name, bytes] of Object.entries(counted)) await tight.redis.hset('{idem}bytes', name, bytes);
    await tight.stop();
  });

  for (const key of ['', 'with space', 'é', 'x'.repeat(129)]) {
    it(`refuses the key ${JSON.stringify(key).slice(0, 20)}`, async () => {
      const user = await node.register();
      // A header is bytes: text that does not fit into Latin-1 cannot even be sent.
      const { status, body } = await createKey(user, key);
      expect(status).to.equal(400);
      expect(body.code).to.equal('invalid_idempotency_key');
      expect(await keysOf(user)).to.have.length(0);
    });
  }

  it('an API key that died with its request before it was shown is made anew in the same place', async () => {
    const user = await node.register();
    const lost = await createKey(user, 'died');
    for (const key of await node.redis.keys('{idem}:*')) await node.redis.del(key); // as if Redis had never heard the end of it
    const shown = await createKey(user, 'died');
    expect(shown.body.id).to.equal(lost.body.id);
    expect(await keysOf(user)).to.have.length(1);
    const used = await node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': shown.body.api_key });
    expect(used.status).to.equal(200);
  });

  it('whose node dies between its work and its answer: the repetition waits while the dead one’s claim runs, then has the one key', async () => {
    const user = await node.register();
    const known = new Set(await node.redis.keys('{idem}:*'));
    const lost = await createKey(user, 'killed');
    const place = (await node.redis.keys('{idem}:*')).find((key) => !known.has(key)) as string;
    const { body: digest } = JSON.parse((await node.redis.get(place)) ?? '');
    // Remains of the node that is killed here: a key in MongoDB, and a claim that nobody answers, which ends by its time.
    await node.redis.set(place, JSON.stringify({ body: digest }), 'PX', 30_000);
    const early = await createKey(user, 'killed', 'bot', other);
    expect([early.status, early.body.code, early.headers.get('retry-after')]).to.deep.equal([409, 'request_in_progress', '1']);
    await node.redis.pexpire(place, 300);
    const shown = await createKey(user, 'killed', 'bot', other);
    expect([shown.status, shown.body.id]).to.deep.equal([200, lost.body.id]);
    expect(await keysOf(user)).to.have.length(1);
    const trade = (key: string) => node.post('/v1/exchanges/perpx/info', { type: 'allMids' }, { 'x-api-key': key });
    expect((await trade(shown.body.api_key)).status).to.equal(200);
    expect((await trade(lost.body.api_key)).status, 'the one that nobody was shown').to.equal(401);
  });

  describe('register', () => {
    const register = (email: string, key: string, password = 'a good password'): Promise<Answer> =>
      node.post('/v1/auth/register', { email, password }, { 'idempotency-key': key });

    it('repeated gives the same answer and makes one user', async () => {
      const first = await register('twice@example.com', 'register-1');
      const second = await register('twice@example.com', 'register-1');
      expect(first.status).to.equal(200);
      expect(second.body).to.deep.equal(first.body);
    });

    it('another body under the same key is 422', async () => {
      await register('one@example.com', 'register-2');
      expect((await register('two@example.com', 'register-2')).status).to.equal(422);
      expect(await node.mongo.db.collection('users').countDocuments({ email: 'two@example.com' })).to.equal(0);
    });

    it('a user whose request died before its answer is given it when it is repeated, with the right password only', async () => {
      const lost = await register('died@example.com', 'register-3');
      const forget = async (): Promise<void> => {
        for (const key of await node.redis.keys('{idem}:*')) await node.redis.del(key);
      };
      await forget();
      expect((await register('died@example.com', 'register-3', 'another password')).status).to.equal(409);
      await forget();
      const { status, body } = await register('died@example.com', 'register-3');
      expect(status).to.equal(200);
      expect(body.user_id).to.equal(lost.body.user_id);
    });
  });

  it('Redis holds neither a key nor a token nor a password of all this', async () => {
    const user = await node.register();
    const { body } = await createKey(user, 'sealed');
    await node.post(
      '/v1/auth/register',
      { email: 's@example.com', password: 'a good password' },
      { 'idempotency-key': 'sealed' },
    );
    const kept = await Promise.all((await node.redis.keys('{idem}:*')).map((key) => node.redis.get(key)));
    expect(kept).to.have.length.greaterThan(1);
    for (const text of kept) {
      expect(text).to.not.include(body.api_key);
      expect(text).to.not.include('access_token');
      expect(text).to.not.include('sealed');
    }
  });
});
