import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import { SESSIONS_MAX } from '../../../src/shared/mongo/sessionStore.ts';
import { type Answer, ApiNode } from '../../support/apiNode.ts';
import { startMongo } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const PASSWORD = 'a good password';
const JWT_SECRET = 'a secret for this test, long enough';
const HOUR_MS = 3_600_000;

describe('auth: sessions, each with all tokens that came of it', () => {
  const stores = useStores();
  let node: ApiNode;
  let other: ApiNode;
  let clockOffsetMs = 0;

  before(async () => {
    const now = (): number => Date.now() + clockOffsetMs;
    const env = { JWT_SECRET, SESSION_MAX_HOURS: '48', SESSION_IDLE_MINUTES: '60' };
    node = await ApiNode.start(stores, { env, now });
    other = await ApiNode.start(stores, { env, now });
  });
  afterEach(() => {
    clockOffsetMs = 0;
  });
  after(() => Promise.all([node.stop(), other.stop()]));

  const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
  const me = (token: string, at = node): Promise<Answer> => at.request('GET', '/v1/auth/me', { headers: bearer(token) });
  const post = (path: string, token: string, at = node): Promise<Answer> => at.post(path, {}, bearer(token));
  const login = async (email: string, at = node, agent = 'a browser'): Promise<string> =>
    (await at.post('/v1/auth/login', { email, password: PASSWORD }, { 'user-agent': agent })).body.access_token;
  const refreshed = async (token: string, at = node): Promise<string> => {
    const { status, body } = await post('/v1/auth/refresh', token, at);
    expect(status).to.equal(200);
    return body.access_token;
  };
  const list = async (token: string, at = node) =>
    (await at.request('GET', '/v1/auth/sessions', { headers: bearer(token) })).body.sessions as Record<string, unknown>[];
  const end = (token: string, id: unknown = '', at = node): Promise<Answer> =>
    at.request('DELETE', `/v1/auth/sessions${id === '' ? '' : `/${id}`}`, { headers: bearer(token) });
  const endsEverywhere = async (token: string): Promise<void> => {
    expect((await me(token)).status).to.equal(401);
    await until(async () => (await me(token, other)).status === 401);
  };
  const works = async (token: string): Promise<void> => {
    for (const at of [node, other]) expect((await me(token, at)).status).to.equal(200);
  };

  describe('the list', () => {
    it('has every login with its time, address and client, and says which one asks', async () => {
      const user = await node.register();
      const second = await login(user.email, other, 'Mozilla/5.0 \u00e9 <b>');
      const sessions = await list(second);
      expect(sessions).to.have.length(2);
      for (const session of sessions) {
        expect(session).to.have.all.keys('id', 'created_at', 'last_used_at', 'expires_at', 'address', 'agent', 'current');
        expect(session['id']).to.match(/^ses_[0-9a-f]{24}$/);
        expect(session['address']).to.match(/127\.0\.0\.1$/);
        expect(Date.parse(String(session['expires_at'])) - Date.now()).to.be.within(55 * 60_000, 60 * 60_000 + 5000);
      }
      expect(sessions.map(({ current }) => current)).to.deep.equal([false, true]);
      expect(sessions[1]?.['agent'])
        .to.match(/^Mozilla\/5\.0 .*<b>$/)
        .and.not.match(/[^ -~]/);
      expect((await list(user.token)).map(({ current }) => current)).to.deep.equal([true, false]);
    });

    it('shortens what a client calls itself', async () => {
      const { email } = await node.register();
      const token = await login(email, node, 'x'.repeat(4000));
      expect(String((await list(token)).at(-1)?.['agent'])).to.have.length(121);
    });

    it('shows nothing of other users, and asks for a token', async () => {
      const [one, two] = [await node.register(), await node.register()];
      const [own] = await list(one.token);
      expect((await list(two.token)).map(({ id }) => id)).to.not.include(own?.['id']);
      expect((await node.request('GET', '/v1/auth/sessions')).status).to.equal(401);
      const { apiKey } = await node.createKey(one);
      expect((await node.request('GET', '/v1/auth/sessions', { headers: { 'x-api-key': apiKey } })).status).to.equal(401);
      expect((await end(two.token, own?.['id'])).status).to.equal(404);
      await works(one.token);
    });

    it(`keeps ${SESSIONS_MAX}: one more ends the one that was used longest ago`, async () => {
      const user = await node.register();
      const first = await login(user.email);
      clockOffsetMs = 60_000;
      await refreshed(user.token);
      for (let n = 0; n < SESSIONS_MAX - 1; n++) {
        clockOffsetMs += 1000;
        await login(user.email, n % 2 ? node : other);
      }
      // The last login was at the other node.
      for (const at of [node, other]) await until(async () => (await me(first, at)).status === 401);
      await works(user.token);
      expect(await list(user.token)).to.have.length(SESSIONS_MAX);
      expect(await node.mongo.db.collection('sessions').countDocuments({ userId: user.id })).to.equal(SESSIONS_MAX);
    });

    it('of many logins at once at two nodes none is lost, and no more stay than may', async () => {
      const user = await node.register();
      for (let round = 0; round < 3; round++) {
        // As many as a user may have waiting at two nodes.
        const tokens = await Promise.all(Array.from({ length: 16 }, (_, n) => login(user.email, n % 2 ? node : other)));
        expect(tokens.every((token) => typeof token === 'string')).to.equal(true);
      }
      expect(await node.mongo.db.collection('sessions').countDocuments({ userId: user.id })).to.be.within(1, SESSIONS_MAX);
    });
  });

  describe('logout', () => {
    it('ends what was refreshed from the session, also what a thief refreshed, on every node within a second', async () => {
      const user = await node.register();
      const stolen = await refreshed(await refreshed(user.token), other);
      const elsewhere = await login(user.email);
      await works(stolen);
      expect((await post('/v1/auth/logout', user.token)).status).to.equal(200);
      for (const token of [user.token, stolen]) await endsEverywhere(token);
      for (const at of [node, other]) expect((await post('/v1/auth/refresh', stolen, at)).status).to.equal(401);
      await works(elsewhere);
      expect(await list(elsewhere)).to.have.length(1);
    });

    it('with a refreshed token ends the one that it came from', async () => {
      const user = await node.register();
      const newer = await refreshed(user.token);
      await post('/v1/auth/logout', newer, other);
      await until(async () => (await me(user.token)).status === 401);
    });

    it('is over for a node that starts afterwards', async () => {
      const user = await node.register();
      const newer = await refreshed(user.token);
      await post('/v1/auth/logout', user.token);
      const fresh = await ApiNode.start(stores, { env: { JWT_SECRET } });
      for (const token of [user.token, newer]) expect((await me(token, fresh)).status).to.equal(401);
      await fresh.stop();
    });
  });

  describe('ending', () => {
    it('one: its tokens end on every node within a second, all others live on', async () => {
      const user = await node.register();
      const lost = await login(user.email, other);
      const refreshedLost = await refreshed(lost, other);
      const id = (await list(lost)).find(({ current }) => current)?.['id'];
      const { status, body } = await end(user.token, id);
      expect(status).to.equal(200);
      expect(body.id).to.equal(id);
      for (const token of [lost, refreshedLost]) await endsEverywhere(token);
      await works(user.token);
      expect((await end(user.token, id)).status).to.equal(404);
      const { body: audit } = await node.request('GET', '/v1/auth/audit', { headers: bearer(user.token) });
      expect(audit.items[0]).to.include({ action: 'session.ended', actor: 'user', outcome: 'ok', detail: id });
    });

    it('the one that asks is a logout', async () => {
      const user = await node.register();
      const [own] = await list(user.token);
      expect((await end(user.token, own?.['id'])).status).to.equal(200);
      await endsEverywhere(user.token);
    });

    it('all others', async () => {
      const user = await node.register();
      const others = [await login(user.email), await login(user.email, other)];
      others.push(await refreshed(others[0] as string));
      for (const token of others) await works(token);
      const sibling = await refreshed(user.token);
      const { status, body } = await end(user.token);
      expect(status).to.equal(200);
      expect(body.ended).to.equal(2);
      for (const token of others) await endsEverywhere(token);
      for (const token of [user.token, sibling]) await works(token);
      expect(await list(user.token)).to.have.length(1);
      await works(await login(user.email));
    });

    for (const id of ['ses_0', 'x', '%00', '..%2f..', '%24ne', 'ses_5f0c1d2e3a4b5c6d7e8f9a0b']) {
      it(`${id}: 404`, async () => expect((await end((await node.register()).token, id)).status).to.equal(404));
    }

    it('twelve requests of one session at the same moment all end the others', async () => {
      const user = await node.register();
      const second = await login(user.email);
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => end(user.token, '', n % 2 ? node : other)));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(12).fill(200));
      await endsEverywhere(second);
      await works(user.token);
    });

    it('two sessions that end all others at the same moment: one stays, never none', async () => {
      for (let round = 0; round < 5; round++) {
        const user = await node.register();
        const second = await login(user.email, other);
        const answers = await Promise.all([end(user.token), end(second, '', other)]);
        expect(answers.some(({ status }) => status === 200)).to.equal(true);
        await until(async () => {
          const alive = await Promise.all([user.token, second].flatMap((token) => [me(token), me(token, other)]));
          return alive.filter(({ status }) => status === 200).length === 2;
        });
      }
    });
  });

  it('a session that is made at one node is known at another that has its user in memory', async () => {
    const user = await node.register();
    await works(user.token);
    for (let n = 0; n < 5; n++) {
      const token = await login(user.email);
      const answers = await Promise.all(Array.from({ length: 4 }, () => me(token, other)));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    }
  });

  it('a token that has just ended elsewhere is made into nothing that lives on', async () => {
    // The other node has the user in memory; until it reads the change it takes the token for good.
    const changes = other.redis.xrange;
    other.redis.xrange = (() => Promise.resolve([])) as unknown as typeof changes;
    try {
      const user = await node.register();
      const stolen = await login(user.email);
      expect((await me(stolen, other)).status).to.equal(200);
      await end(user.token);
      expect((await me(stolen, other)).status, 'the node does not know yet').to.equal(200);
      expect((await post('/v1/auth/refresh', stolen, other)).status).to.equal(401);
      expect((await end(stolen, '', other)).status).to.equal(401);
      const change = { current_password: PASSWORD, new_password: 'a new password' };
      expect((await other.post('/v1/auth/change-password', change, bearer(stolen))).status).to.equal(401);
      expect((await other.post('/v1/auth/api-keys', { name: 'mine' }, bearer(stolen))).status).to.equal(401);
    } finally {
      other.redis.xrange = changes;
    }
  });

  describe('passwords', () => {
    it('a change ends all other sessions, and what was refreshed in the own one lives on', async () => {
      const user = await node.register();
      const sibling = await refreshed(user.token);
      const stolen = await refreshed(await login(user.email), other);
      const body = { current_password: PASSWORD, new_password: 'a new password' };
      const { body: answer } = await node.post('/v1/auth/change-password', body, bearer(user.token));
      await endsEverywhere(stolen);
      await until(async () => (await me(sibling, other)).status === 200);
      await works(answer.access_token);
      expect(await list(answer.access_token)).to.have.length(1);
    });

    const whileItHashes = async (token: string, act: () => Promise<unknown>): Promise<Answer> => {
      const { hash } = node.passwords;
      node.passwords.hash = async (...given) => {
        const made = await hash.apply(node.passwords, given);
        await act();
        return made;
      };
      const body = { current_password: PASSWORD, new_password: 'a new password' };
      try {
        return await node.post('/v1/auth/change-password', body, bearer(token));
      } finally {
        node.passwords.hash = hash;
      }
    };

    it('a session that is ended while it changes the password changes nothing and gets no other', async () => {
      for (const isOne of [true, false]) {
        const user = await node.register();
        const stolen = await login(user.email);
        const id = (await list(stolen)).find(({ current }) => current)?.['id'];
        const { status, body } = await whileItHashes(stolen, () => (isOne ? end(user.token, id) : end(user.token)));
        expect([status, body.code]).to.deep.equal([401, 'invalid_token']);
        expect(await login(user.email)).to.be.a('string');
        await works(user.token);
      }
    });

    it('one that has ended all others meanwhile changes it', async () => {
      const user = await node.register();
      const { status, body } = await whileItHashes(user.token, () => end(user.token));
      expect(status).to.equal(200);
      await works(body.access_token);
      expect(await login(user.email)).to.equal(undefined);
    });

    it('a login with the password that was good a moment ago begins nothing that lives', async () => {
      const user = await node.register();
      const [change, token] = await Promise.all([
        node.post('/v1/auth/change-password', { current_password: PASSWORD, new_password: 'a new password' }, bearer(user.token)),
        login(user.email, other),
      ]);
      expect(change.status).to.equal(200);
      if (token !== undefined) await until(async () => (await me(token)).status === 401);
    });
  });

  describe('life', () => {
    it('a session ends when it was not used for SESSION_IDLE_MINUTES, and not while it is', async () => {
      const user = await node.register();
      const idle = await login(user.email);
      for (const minutes of [30, 59, 100]) {
        clockOffsetMs = minutes * 60_000;
        expect((await me(user.token)).status, `${minutes}`).to.equal(200);
      }
      for (const at of [node, other]) expect((await me(idle, at)).status).to.equal(401);
      expect(await list(user.token)).to.have.length(1);
    });

    it('uses at one node are known at another', async () => {
      const user = await node.register();
      clockOffsetMs = 50 * 60_000;
      await me(user.token);
      await node.sessionUsage.flush();
      clockOffsetMs = 100 * 60_000;
      expect((await me(user.token, other)).status).to.equal(200);
    });

    it('is not listed any more when its last access token is over', async () => {
      const short = await ApiNode.start(stores, {
        env: { JWT_SECRET, JWT_TTL_SECONDS: '1200' },
        now: () => Date.now() + clockOffsetMs,
      });
      const user = await short.register();
      const second = await login(user.email, short);
      clockOffsetMs = 15 * 60_000;
      const refreshedSecond = await refreshed(second, short);
      clockOffsetMs = 21 * 60_000;
      expect((await list(refreshedSecond, short)).map(({ current }) => current)).to.deep.equal([true]);
      const change = { current_password: PASSWORD, new_password: 'a new password' };
      clockOffsetMs = 30 * 60_000;
      const { body } = await short.post('/v1/auth/change-password', change, bearer(refreshedSecond));
      clockOffsetMs = 45 * 60_000;
      expect(await list(body.access_token, short)).to.have.length(1);
      await short.stop();
    });

    it('no use and no refresh carries it beyond SESSION_MAX_HOURS', async () => {
      const user = await node.register();
      let token = user.token;
      for (let hours = 0.9; hours < 48; hours += 0.9) {
        clockOffsetMs = hours * HOUR_MS;
        token = await refreshed(token);
      }
      const { exp = 0 } = jsonwebtoken.decode(token) as { exp?: number };
      expect(exp * 1000 - Date.now(), 'the token ends with the session').to.be.lessThan(HOUR_MS);
      expect((await me(token)).status).to.equal(200);
      clockOffsetMs = 48 * HOUR_MS + 60_000;
      for (const at of [node, other]) expect((await me(token, at)).status).to.equal(401);
      expect((await post('/v1/auth/refresh', token)).status).to.equal(401);
    });
  });

  it('a user whose document has no generation yet', async () => {
    const user = await node.register();
    const users = node.mongo.db.collection<{ _id: string }>('users');
    await users.updateOne({ _id: user.id }, { $unset: { tokenGeneration: '' } });
    const second = await login(user.email);
    expect((await end(user.token)).status).to.equal(200);
    await endsEverywhere(second);
  });

  it('deleting the account leaves no session', async () => {
    const user = await node.register();
    const second = await login(user.email, other);
    const headers = { 'content-type': 'application/json', ...bearer(user.token) };
    await node.request('DELETE', '/v1/auth/account', { body: JSON.stringify({ password: PASSWORD }), headers });
    await until(async () => (await me(second, other)).status === 401);
    expect(await node.mongo.db.collection('sessions').countDocuments({ userId: user.id })).to.equal(0);
  });

  describe('with MongoDB away', () => {
    it('a known session works, an unknown one is 503 and never 401, and ending one is not pretended', async () => {
      const own = { redis: stores.redis, mongo: await startMongo({ memory: true }) };
      const options = { env: { JWT_SECRET, MONGO_TIMEOUT_MS: '1000' } };
      const [near, far] = [await ApiNode.start(own, options), await ApiNode.start(own, options)];
      const user = await near.register();
      const second = await login(user.email, near);
      expect((await near.request('GET', '/v1/billing/plans', { headers: bearer(user.token) })).status).to.equal(200);
      expect((await far.request('GET', '/v1/billing/plans', { headers: bearer(user.token) })).status).to.equal(200);
      const third = await login(user.email, near);
      await own.mongo.kill();
      const limitOf = async (token: string, at: ApiNode): Promise<string | null> =>
        (await at.request('GET', '/v1/billing/plans', { headers: bearer(token) })).headers.get('x-ratelimit-limit');
      expect(await limitOf(second, near), 'counted on the user').to.equal('200');
      const unknown = await far.request('GET', '/v1/billing/plans', { headers: bearer(third) });
      expect(unknown.status).to.equal(503);
      expect(unknown.body.code).to.equal('store_unavailable');
      expect((await near.post('/v1/auth/logout', {}, bearer(user.token))).status).to.equal(503);
      await Promise.all([near.stop(), far.stop()]);
    });
  });
});
