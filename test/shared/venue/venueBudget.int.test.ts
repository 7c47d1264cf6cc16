// The next caller that may ask the venue, on a real Redis. A minute is over when the windows are gone.
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { type Metric, Registry } from 'prom-client';
import { readConfig } from '../../../src/shared/config/config.ts';
import { WEIGHT_MAX } from '../../../src/shared/domain/requestWeight.ts';
import { marketKeys } from '../../../src/shared/redis/keys.ts';
import { type BudgetVerdict, countVenueWeight, VenueBudget } from '../../../src/shared/venue/venueBudget.ts';
import { openRedis, type Store, startRedis } from '../../support/stores.ts';

const config = readConfig({});
const USERS_PART = config.MARKET_WEIGHT_PER_MINUTE - config.MARKET_WEIGHT_RESERVE;
const SPOT_META = 20;

describe('venueBudget: users take turns', () => {
  let store: Store;
  let redis: Redis;
  let nowMs = 0;
  let questions = 0;

  before(async () => {
    store = await startRedis();
    redis = openRedis(store.url);
  });
  beforeEach(() => redis.flushall());
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  const budget = new Proxy({} as VenueBudget, {
    // A node of its own for each question: no node remembers a refusal.
    get: (_, name: keyof VenueBudget) => {
      const node = new VenueBudget({ redis: redis as never, config, now: () => ++nowMs });
      return (node[name] as () => unknown).bind(node);
    },
  });
  const ask = async (user: string, weight = SPOT_META): Promise<BudgetVerdict> =>
    await budget.ask(user, { weight, digest: `question-${++questions}`, lifeMs: 10_000 });
  const isGranted = async (user: string, weight = SPOT_META): Promise<boolean> => (await ask(user, weight)).verdict === 'granted';
  /** Asks until it is refused. @returns the weight that was granted */
  const exhaust = async (user: string, weight = SPOT_META): Promise<number> => {
    for (let granted = 0; ; granted += weight) if (!(await isGranted(user, weight))) return granted;
  };
  const minutePasses = async (): Promise<void> => {
    await redis.del(marketKeys.usersWeight, ...(await redis.keys(marketKeys.userWeight('*'))));
  };
  const users = (count: number): string[] => Array.from({ length: count }, (_, i) => `user-${i}`);

  it('a metric tells the weight that was granted and refused; the roles of a process share it', async () => {
    const registry = new Registry();
    const node = (): VenueBudget =>
      new VenueBudget({ redis: redis as never, config, now: () => 0, count: countVenueWeight(registry) });
    const users = node();
    for (let n = 0; n < 2; n++) await users.ask('ann', { weight: 20, digest: 'one', lifeMs: 10_000 });
    const tooMuch = { weight: config.MARKET_WEIGHT_PER_MINUTE, digest: 'two', lifeMs: 10_000 };
    for (let n = 0; n < 2; n++) await users.ask('ann', tooMuch);
    await node().spend(7, { isPatient: true });
    const { values } = await (registry.getSingleMetric('venue_weight_total') as Metric).get();
    expect(values.map(({ labels, value }) => `${labels['payer']} ${labels['outcome']} ${value}`)).to.deep.equal([
      'users granted 20',
      `users refused ${2 * config.MARKET_WEIGHT_PER_MINUTE}`,
      'market granted 7',
    ]);
  });

  it('who has asked for nothing is served at once, after two who have asked for all they could have', async () => {
    const [ann, bob, ...others] = users(10);
    const used = (await exhaust(ann as string)) + (await exhaust(bob as string));
    for (const user of others) expect(await isGranted(user)).to.equal(true);
    expect(used).to.equal(0.6 * USERS_PART);
  });

  it('the heaviest questions of ten users are all answered, in the order in which they came, within the minutes that their weight takes', async () => {
    const all = users(10);
    const served: string[] = [];
    let minutes = 0;
    for (let waiting = all; waiting.length > 0 && minutes < 9; minutes++) {
      // A caller that has been served asks again before all others.
      for (const user of [...served, ...waiting]) if (await isGranted(user, WEIGHT_MAX)) served.push(user);
      waiting = all.filter((user) => !served.includes(user));
      await minutePasses();
    }
    expect(new Set(served.slice(0, 10)).size).to.equal(10);
    expect(minutes).to.equal(Math.ceil(10 / Math.floor(USERS_PART / WEIGHT_MAX)));
  });

  it('who waits is served before those who have had more, though little of it comes free at first', async () => {
    for (const user of users(USERS_PART / SPOT_META)) expect(await isGranted(user)).to.equal(true);
    expect(await isGranted('late', WEIGHT_MAX)).to.equal(false);
    const second = String(Math.floor(Date.now() / 1000));
    for (const left of [WEIGHT_MAX - 1, WEIGHT_MAX]) {
      await redis.del(marketKeys.usersWeight);
      await redis.hset(marketKeys.usersWeight, second, USERS_PART - left);
      expect((await ask('user-0')).verdict).to.equal('crowded');
    }
    expect(await isGranted('late', WEIGHT_MAX)).to.equal(true);
  });

  it('who does not come back keeps nobody waiting for long', async () => {
    await redis.hset(marketKeys.usersWeight, String(Math.floor(Date.now() / 1000)), USERS_PART);
    for (const user of users(10)) expect(await isGranted(user, WEIGHT_MAX)).to.equal(false);
    await minutePasses();
    expect(await ask('newcomer')).to.include({ verdict: 'crowded', retryMs: 1000 });
    const waiting = await redis.hgetall(marketKeys.usersWaiting);
    const longestMs = Math.max(...Object.values(waiting).map((text) => Number(text.split(' ')[0]) - Date.now()));
    expect(longestMs).to.be.within(60_000, 70_000);
    for (const user of users(10)) await redis.hset(marketKeys.usersWaiting, user, '1 1 0 104');
    expect(await isGranted('newcomer')).to.equal(true);
    expect(await redis.hlen(marketKeys.usersWaiting)).to.equal(0);
  });

  it('a venue of the deployment’s own has no such limits, and is asked once for what many want', async () => {
    for (const MARKET_SOURCE of ['emulated', 'replay'] as const) {
      const node = new VenueBudget({ redis: redis as never, config: { ...config, MARKET_SOURCE }, now: () => 0 });
      for (let n = 0; n < 100; n++) {
        const question = { weight: WEIGHT_MAX, digest: `${MARKET_SOURCE}-${n}`, lifeMs: 10_000 };
        expect(await node.ask('ann', question)).to.include({ verdict: 'granted' });
        expect(await node.ask('bob', question)).to.include({ verdict: 'asked' });
        expect(await node.spend(WEIGHT_MAX, { isPatient: true })).to.equal(0);
      }
    }
  });

  it('what all share waits for no user, and counts on none', async () => {
    for (const user of users(5)) await exhaust(user);
    const shared = { weight: SPOT_META, lifeMs: 10_000 };
    expect(await budget.ask(undefined, { ...shared, digest: 'a' })).to.include({ verdict: 'granted' });
    await budget.pause();
    expect(await budget.ask(undefined, { ...shared, digest: 'b' })).to.include({ verdict: 'pause' });
    expect(await redis.exists(marketKeys.userWeight(''))).to.equal(0);
  });

  it('one user has a part at most', async () => {
    expect(await exhaust('ann')).to.equal((config.MARKET_WEIGHT_USER_PERCENT / 100) * USERS_PART);
    expect(await ask('ann')).to.include({ verdict: 'share' });
  });

  it('a question is ended by the one who asks it, and by no one who asked it before', async () => {
    const question = { weight: 2, digest: 'd', lifeMs: 10_000 };
    const first = await budget.ask('ann', question);
    await redis.del(marketKeys.asked('d'));
    const second = await budget.ask('bob', question);
    await budget.answered('d', first.mark);
    expect(await budget.isAsked('d')).to.equal(true);
    await budget.answered('d', second.mark);
    expect(await budget.isAsked('d')).to.equal(false);
  });
});
