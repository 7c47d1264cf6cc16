import { expect } from 'chai';
import { Credentials, digestOf } from '../../../src/api/access/credentials.ts';
import { RateLimit } from '../../../src/api/access/limits/rateLimit.ts';
import { trialExpiry } from '../../../src/features/billing/trialExpiry.ts';
import { announceUserChange } from '../../../src/shared/access/userChange.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { KeyStore } from '../../../src/shared/mongo/keyStore.ts';
import { SessionStore } from '../../../src/shared/mongo/sessionStore.ts';
import { UserStore } from '../../../src/shared/mongo/userStore.ts';
import { apiKeyKeys, subjectWindowsKey } from '../../../src/shared/redis/keys.ts';
import { ApiNode, type TestUser } from '../../support/apiNode.ts';
import { newestFormats } from '../../support/formats.ts';
import { gatedCalls } from '../../support/gatedCalls.ts';
import { type Store, startMongo } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const INFO = '/v1/exchanges/perpx/info';
/** Whose requests without a good key are counted. */
const ADDRESS = 'address:127.0.0.1';
const log = createLogger({ level: 'silent', role: 'test' });

describe('credentials: one look-up per node, and a revoked key stops on every node', () => {
  const stores = useStores();
  let nodes: [ApiNode, ApiNode];
  let user: TestUser;
  /** The clock stands still, so that no record ends by its age: a node forgets only records of which it has had a message. */
  const nowMs = Date.now();

  before(async () => {
    const options = { now: () => nowMs };
    nodes = [await ApiNode.start(stores, options), await ApiNode.start(stores, options)];
  });
  beforeEach(async () => {
    user = await nodes[0].register();
  });
  after(() => Promise.all(nodes.map((node) => node.stop())));

  const statusAt = async (node: ApiNode, apiKey: string): Promise<number> =>
    (await node.post(INFO, { type: 'allMids' }, { 'x-api-key': apiKey })).status;
  const revoke = (node: ApiNode, id: string): Promise<unknown> =>
    node.request('DELETE', `/v1/auth/api-keys/${id}`, { headers: { authorization: `Bearer ${user.token}` } });

  it('a key made at one node is known at another at once', async () => {
    const { apiKey } = await nodes[0].createKey(user);
    expect(await statusAt(nodes[1], apiKey)).to.equal(200);
  });

  it('a key revoked at one node stops at the other', async () => {
    const { apiKey, id } = await nodes[0].createKey(user);
    const { apiKey: kept } = await nodes[0].createKey(user);
    expect(await statusAt(nodes[1], apiKey)).to.equal(200);
    await revoke(nodes[0], id);
    await until(async () => (await statusAt(nodes[1], apiKey)) === 401);
    expect(await statusAt(nodes[1], kept)).to.equal(200);
  });

  it('a key that is looked up while it is revoked does not stay', async () => {
    for (let round = 0; round < 5; round++) {
      const { apiKey, id } = await nodes[0].createKey(user);
      await Promise.all([revoke(nodes[0], id), ...Array.from({ length: 5 }, () => statusAt(nodes[1], apiKey))]);
      await until(async () => (await statusAt(nodes[1], apiKey)) === 401);
    }
  });

  it('unknown keys cost the address that sends them, before any store is asked', async () => {
    const node = await ApiNode.start(stores, { env: { ANONYMOUS_REQUESTS_PER_MINUTE: '5' } });
    await node.redis.del(subjectWindowsKey(ADDRESS));
    const statuses = [];
    for (let n = 0; n < 7; n++) statuses.push(await statusAt(node, `pe_${String(n).repeat(32)}`));
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429]);
    const answer = await node.post(INFO, { type: 'allMids' });
    expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d?$/);
    expect(answer.body).to.have.all.keys('detail', 'code', 'msg');
    await node.redis.del(subjectWindowsKey(ADDRESS));
    await node.stop();
  });

  it('tokens of users who are gone cost their address, before any store is asked', async () => {
    // The number of spare look-ups counts by the second: a second without an end gives 20.
    const node = await ApiNode.start(stores, { env: { ANONYMOUS_REQUESTS_PER_MINUTE: '5' }, now: () => nowMs });
    const gone = await nodes[0].register();
    await node.mongo.db.collection<{ _id: string }>('users').deleteOne({ _id: gone.id });
    const me = async (token: string): Promise<number> =>
      (await node.request('GET', '/v1/auth/me', { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await me(user.token)).to.equal(200);
    await node.redis.del(subjectWindowsKey(ADDRESS));
    let operations = 0;
    node.mongo.db.client.on('connectionCheckedOut', () => {
      operations += 1;
    });
    const statuses = [];
    for (let n = 0; n < 100; n++) statuses.push(await me(gone.token));
    expect(statuses.slice(0, 5)).to.deep.equal([401, 401, 401, 401, 401]);
    expect(new Set(statuses.slice(5))).to.deep.equal(new Set([429]));
    expect(operations, 'two for each look-up').to.equal(2 * (5 + 20));
    expect(await me(user.token), 'a token that the node knows').to.equal(200);
    await node.redis.del(subjectWindowsKey(ADDRESS));
    await node.stop();
  });

  it('each key has a limit of its own, by plan, and a user’s token another', async () => {
    const env = { PLAN_BASIC_REQUESTS_PER_MINUTE: '3', PLAN_PRO_REQUESTS_PER_MINUTE: '7' };
    const node = await ApiNode.start(stores, { env });
    const pro = await node.register();
    await node.mongo.db.collection<{ _id: string }>('users').updateOne({ _id: pro.id }, { $set: { plan: 'pro' } });
    const basic = [await nodes[0].createKey(user), await nodes[0].createKey(user)];
    const granted = async (apiKey: string): Promise<number> => {
      let count = 0;
      for (let n = 0; n < 10; n++) if ((await statusAt(node, apiKey)) === 200) count += 1;
      return count;
    };
    expect(await granted(basic[0]?.apiKey ?? '')).to.equal(3);
    expect(await granted(basic[1]?.apiKey ?? '')).to.equal(3);
    expect(await granted((await node.createKey(pro)).apiKey)).to.equal(7);
    const me = await node.request('GET', '/v1/auth/me', { headers: { authorization: `Bearer ${user.token}` } });
    expect(me.headers.get('x-ratelimit-limit')).to.equal('3');
    await node.stop();
  });

  it('an address at its limit does not stop a good key that comes from there, seen before or not', async () => {
    const node = await ApiNode.start(stores, { env: { ANONYMOUS_REQUESTS_PER_MINUTE: '5' } });
    await node.redis.del(subjectWindowsKey(ADDRESS));
    const keys = [await nodes[0].createKey(user), await nodes[0].createKey(user)].map(({ apiKey }) => apiKey);
    expect(await statusAt(node, keys[0] as string)).to.equal(200);
    const unknown = await Promise.all(Array.from({ length: 60 }, (_, n) => statusAt(node, `pe_${String(n).padStart(32, 'x')}`)));
    expect(unknown.filter((status) => status === 401)).to.have.length(5);
    await until(async () => (await statusAt(node, keys[1] as string)) === 200);
    expect(await statusAt(node, keys[0] as string)).to.equal(200);
    const limit = new RateLimit({ redis: node.redis, log, now: Date.now, answerMs: 60_000 });
    expect((await limit.admit(ADDRESS, 100)).used, 'good keys cost the address nothing, and this question one').to.equal(6);
    await node.redis.del(subjectWindowsKey(ADDRESS));
    await node.stop();
  });

  it('a change of plan holds for keys and for tokens issued before, on every node that hears of it', async () => {
    const { apiKey } = await nodes[0].createKey(user);
    const asked = async (node: ApiNode, headers: Record<string, string>): Promise<string | null> =>
      (await node.request('GET', '/v1/auth/me', { headers })).headers.get('x-ratelimit-limit');
    const limits = async (node: ApiNode): Promise<(string | null)[]> => [
      await asked(node, { authorization: `Bearer ${user.token}` }),
      await asked(node, { 'x-api-key': apiKey }),
    ];
    for (const node of nodes) expect(await limits(node)).to.deep.equal(['200', '200']);
    const [{ redis, mongo }] = nodes;
    await mongo.db.collection<{ _id: string }>('users').updateOne({ _id: user.id }, { $set: { plan: 'pro' } });
    await announceUserChange(redis, { userId: user.id, digests: [digestOf(apiKey)] });
    for (const node of nodes) await until(async () => (await limits(node)).every((limit) => limit === '500'));
  });

  it('a trial that somebody ended in MongoDB is over on every node that hears of the job that marks it', async () => {
    const { apiKey } = await nodes[0].createKey(user);
    for (const node of nodes) expect(await statusAt(node, apiKey)).to.equal(200);
    const [{ redis, mongo }] = nodes;
    const ended = { trialExpiresAt: new Date(nowMs - 1000) };
    await mongo.db.collection<{ _id: string }>('users').updateOne({ _id: user.id }, { $set: ended });
    await trialExpiry.run({ config: readConfig({}), log, redis, mongo, formats: newestFormats, now: Date.now }, 0);
    for (const node of nodes) await until(async () => (await statusAt(node, apiKey)) === 403);
    const headers = { authorization: `Bearer ${user.token}` };
    const { body } = await nodes[1].request('GET', '/v1/auth/me', { headers });
    expect(body).to.include({ subscription_status: 'expired', payment_required: true });
  });

  it('two nodes keep one limit for a key, and tell the same', async () => {
    const { apiKey } = await nodes[0].createKey(user);
    const ask = (n: number) => (nodes[n % 2] as ApiNode).post(INFO, { type: 'allMids' }, { 'x-api-key': apiKey });
    const answers = await Promise.all(Array.from({ length: 230 }, (_, n) => ask(n)));
    const granted = answers.filter(({ status }) => status === 200);
    expect(granted).to.have.length(200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).to.have.length(30);
    for (const { headers } of refused) {
      expect(headers.get('x-ratelimit-remaining')).to.equal('0');
      expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
    }
    const left = granted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(Math.min(...left)).to.equal(0);
  });

  it('while MongoDB does not answer one look-up waits for it, and those after it ask Redis first, for a while', async () => {
    const [{ redis, mongo, sessionUsage }] = nodes;
    let asked = 0;
    let nowMs = Date.now();
    const away = async (): Promise<void> => {
      asked += 1;
      throw new Error('away');
    };
    const credentials = new Credentials({
      ...{ config: readConfig({}), redis, sessionUsage, users: new UserStore(mongo), sessions: new SessionStore(mongo) },
      ...{ keys: gatedCalls(new KeyStore(mongo), 'keys', away), now: () => nowMs },
      log,
    });
    const used = ['a', 'b', 'c'].map((letter) => `pe_${letter.repeat(32)}`);
    for (const key of used)
      await redis.set(
        apiKeyKeys.record(digestOf(key)),
        JSON.stringify({ caller: { userId: 'user_1', address: '0xa', master: '0xa' } }),
        'EX',
        60,
      );
    for (const key of used)
      expect((await credentials.lookUp(key))?.caller).to.include({
        userId: 'user_1',
        master: '0xa',
      });
    expect(asked).to.equal(1);
    nowMs += 5000;
    await credentials.lookUp(used[0] as string);
    expect(asked).to.equal(2);
  });

  describe('with MongoDB away', () => {
    let own: { redis: Store; mongo: Store };
    let node: ApiNode;
    let known: string;
    const away = { env: { MONGO_TIMEOUT_MS: '1000' } };

    before(async () => {
      own = { redis: stores.redis, mongo: await startMongo({ memory: true }) };
      node = await ApiNode.start(own, away);
      const owner = await node.register();
      known = (await node.createKey(owner)).apiKey;
      await statusAt(node, known);
      await until(async () => (await node.redis.keys(apiKeyKeys.record('*'))).length > 0);
      await own.mongo.kill();
    });
    after(() => node.stop());

    it('a key that is known works, for it is not looked up again; one that was ever used works at a node just started', async () => {
      for (let n = 0; n < 20; n++) expect(await statusAt(node, known)).to.equal(200);
      expect(node.logLines.join('')).to.not.include('looked up in Redis');
      const fresh = await ApiNode.start(own, away);
      expect(await statusAt(fresh, known)).to.equal(200);
      await fresh.stop();
    });

    it('a key that no store can tell of, a login and a registration are 503', async () => {
      const answers = [
        await node.post(INFO, { type: 'allMids' }, { 'x-api-key': `pe_${'z'.repeat(32)}` }),
        await node.post('/v1/auth/login', { email: 'a@example.com', password: 'a good password' }),
        await node.post('/v1/auth/register', { email: 'a@example.com', password: 'a good password' }),
      ];
      for (const { status, body, headers } of answers) {
        expect(status).to.equal(503);
        expect(body.code).to.equal('store_unavailable');
        expect(headers.get('retry-after')).to.equal('1');
      }
    });

    it('the log says so once, however many ask', async () => {
      for (let i = 0; i < 5; i++) expect(await statusAt(node, `pe_${'y'.repeat(31)}${i}`)).to.equal(503);
      const told = node.logLines.filter((line) => JSON.parse(line).level > 30 && line.includes('looked up in Redis'));
      expect(told).to.have.length(1);
    });
  });
});
