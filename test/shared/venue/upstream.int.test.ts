// Questions to the venue with the shared cache and budget, on a real Redis and a venue that counts.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { readConfig } from '../../../src/shared/config/config.ts';
import { requestWeight } from '../../../src/shared/domain/requestWeight.ts';
import { RetryableError, TerminalError } from '../../../src/shared/errors.ts';
import { marketKeys } from '../../../src/shared/redis/keys.ts';
import { Upstream, VenueBusy } from '../../../src/shared/venue/upstream.ts';
import { AnswerCache } from '../../../src/shared/venue/venueAnswers.ts';
import { VenueBudget } from '../../../src/shared/venue/venueBudget.ts';
import { createMarketRequests } from '../../../src/shared/venue/venueQuestions.ts';
import { CountingVenue } from '../../support/countingVenue.ts';
import { openRedis, type Store, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const log = pino({ level: 'silent' });
const config = readConfig({});

describe('upstream: answers of the venue are shared, bounded and outlive it', () => {
  let store: Store;
  let redis: Redis;
  let venue: CountingVenue;
  let url: string;
  let nowMs: number;

  before(async () => {
    store = await startRedis();
    redis = openRedis(store.url);
  });
  beforeEach(async () => {
    nowMs = Date.now();
    await redis.flushall();
    venue = new CountingVenue();
    url = await venue.start();
  });
  afterEach(() => venue.stop());
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  const now = (): number => nowMs;
  const budget = (): VenueBudget => new VenueBudget({ redis, config, now: Date.now });
  const node = (): Upstream => new Upstream({ log, redis, url, budget: budget(), now });
  const status = { type: 'exchangeStatus' };
  const options = { ttlMs: 1000, payer: 'ann' };
  /** A heavy question that is asked for the first time. */
  const heavy = (n: number): object => ({ type: 'spotMeta', n });

  const failure = async (work: Promise<unknown>): Promise<unknown> => {
    try {
      return await work;
    } catch (error) {
      return error;
    }
  };
  /** Asks until it is refused. */
  const exhaust = async (payer: string): Promise<VenueBusy> => {
    const one = node();
    for (let n = 0; ; n++) {
      const answer = await failure(one.info({ ...heavy(n), payer }, { ...options, payer }));
      if (answer instanceof Error) return answer as VenueBusy;
    }
  };

  it('gives two nodes one answer within its time, and a new one after it', async () => {
    await node().info(status, options);
    await node().info(status, options);
    expect(venue.asked).to.have.length(1);
    nowMs += 1001;
    await node().info(status, options);
    expect(venue.asked).to.have.length(2);
  });

  it('asks once when many users at many nodes ask at once', async () => {
    let open: (value?: unknown) => void = () => undefined;
    venue.gate = new Promise((resolve) => {
      open = resolve;
    });
    const nodes = [node(), node(), node()];
    const answers = Promise.all(
      Array.from({ length: 60 }, (_, i) => nodes[i % 3]?.info(status, { ttlMs: 0, payer: `user-${i}` })),
    );
    await until(() => venue.asked.length > 0);
    open();
    await answers;
    expect(venue.asked).to.have.length(1);
  });

  it('those who wait at a node for the answer of another look for it together, and are bounded', async () => {
    const patient = node();
    /** Questions that another node asks. */
    const ask = async (n: number) => {
      const body = { type: 'l2Book', coin: 'X', n };
      const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
      await budget().ask('other', { weight: 2, digest, lifeMs: 60_000 });
      return body;
    };
    const [body, ...more] = await Promise.all(Array.from({ length: 40 }, (_, n) => ask(n)));
    const looks = async (): Promise<number> => {
      const [, calls] = /cmdstat_exists:calls=(\d+)/.exec(await redis.info('commandstats')) ?? [];
      return Number(calls ?? 0);
    };
    const before = await looks();
    const outcomes: unknown[] = [];
    const waits = Array.from({ length: 300 }, (_, n) =>
      failure(patient.info(body as object, { ...options, payer: `user-${n}` })).then((outcome) => outcomes.push(outcome)),
    );
    await until(async () => (await looks()) > before);
    const since = await looks();
    await until(async () => (await looks()) >= since + 3);
    expect((await looks()) - since).to.be.below(20);
    for (const [n, one] of more.entries()) {
      waits.push(failure(patient.info(one, { ...options, payer: `more-${n}` })).then((outcome) => outcomes.push(outcome)));
    }
    expect(outcomes).to.deep.equal([]);
    nowMs += 60_000;
    await Promise.all(waits);
    expect(outcomes.every((outcome) => outcome instanceof RetryableError)).to.equal(true);
  });

  it('asks anew when the process that asked has died, and when its question has failed', async () => {
    const digest = 'x'.repeat(22);
    expect(await budget().ask('ann', { weight: 2, digest, lifeMs: 60_000 })).to.include({ verdict: 'granted' });
    expect(await budget().ask('bob', { weight: 2, digest, lifeMs: 50 })).to.include({ verdict: 'asked' });
    await redis.pexpire(marketKeys.asked(digest), 50);
    await until(async () => (await budget().ask('bob', { weight: 2, digest, lifeMs: 50 })).verdict === 'granted');
    venue.status = 500;
    await failure(node().info(status, options));
    venue.status = 200;
    expect(await node().info(status, options)).to.deep.equal([]);
  });

  it('passes a refusal of the venue on, and does not repeat the question for a while', async () => {
    venue.status = 422;
    expect(await failure(node().info(status, options))).to.be.instanceOf(TerminalError);
    expect(await failure(node().info(status, options))).to.be.instanceOf(TerminalError);
    expect(venue.asked).to.have.length(1);
  });

  it('keeps a bounded number of answers, and a bounded number of bytes', async () => {
    const cache = new AnswerCache({ redis, bytesMax: 10_000 });
    for (let i = 0; i < 210; i++) await cache.keep(`n${i}`, { atMs: i, answer: [] }, 60_000);
    expect(await redis.zcard(marketKeys.answers)).to.equal(200);
    for (let i = 0; i < 20; i++) await cache.keep(`b${i}`, { atMs: 1000 + i, answer: 'x'.repeat(1000) }, 60_000);
    const keys = await redis.keys(marketKeys.answer('*'));
    const bytes = (await Promise.all(keys.map((key) => redis.strlen(key)))).reduce((sum, one) => sum + one, 0);
    expect(bytes)
      .to.be.at.most(10_000)
      .and.equal(Number(await redis.hget(marketKeys.answersBytes, 'all')));
    expect(await cache.read('b19')).to.deep.include({ atMs: 1019 });
    expect(await cache.read('n209')).to.equal(undefined);
    expect(await redis.hlen(marketKeys.answersBytes)).to.equal(keys.length + 1);
  });

  it('gives an old answer when the venue is away, and says so when there is none', async () => {
    const answer = await node().info(status, options);
    await venue.stop();
    nowMs += 3_600_000;
    expect(await node().info(status, options)).to.deep.equal(answer);
    expect(await failure(node().info({ type: 'meta' }, options))).to.be.instanceOf(RetryableError);
  });

  it('a full Redis: each question is counted, limits hold, and what all share is asked once in its time by a node', async () => {
    await redis.config('SET', 'maxmemory', '1');
    try {
      const [one, other] = [node(), node()];
      for (let n = 0; n < 3; n++) for (const each of [one, other]) await each.info({ type: 'spotMeta' }, { ttlMs: 1000 });
      expect(venue.asked.length).to.equal(2);
      nowMs += 1001;
      await one.info({ type: 'spotMeta' }, { ttlMs: 1000 });
      expect(venue.asked.length).to.equal(3);
      expect(await exhaust('ann')).to.include({ isOwn: true });
      expect(await budget().spend(20, { isPatient: false })).to.equal(0);
      expect(
        Object.values(await redis.hgetall(marketKeys.marketWeight)).reduce((sum, weight) => sum + Number(weight), 0),
      ).to.equal(80);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
  });

  it('refuses an answer without end while it is read', async () => {
    venue.answer = () => 'x'.repeat(21_000_000);
    expect(await failure(node().info(status, options))).to.be.instanceOf(TerminalError);
  });

  describe('the weight of a minute', () => {
    const weightAsked = (): number => venue.asked.reduce((sum: number, body) => sum + requestWeight(body, Date.now()), 0);

    it('one user uses a part of it: a 429, with the time to wait, and others go on', async () => {
      const refusal = await exhaust('ann');
      expect(refusal).to.be.instanceOf(VenueBusy).and.include({ isOwn: true });
      expect(refusal.retryMs).to.be.within(30_000, 61_000);
      expect(weightAsked()).to.equal(240);
      expect(await node().info(heavy(1000), { ...options, payer: 'bob' })).to.deep.equal([]);
    });

    it('many users never use it up: each gets a part of what the others left', async () => {
      for (const payer of ['ann', 'bob', 'cid', 'dan']) await exhaust(payer);
      expect(await node().info(heavy(1000), { ...options, payer: 'eve' })).to.deep.equal([]);
      expect(weightAsked()).to.be.at.most(600);
    });

    it('no number of users goes beyond it', async () => {
      await Promise.all(Array.from({ length: 60 }, (_, i) => failure(node().info(heavy(i), { ...options, payer: `user-${i}` }))));
      const refusal = await exhaust('zoe');
      expect(refusal).to.be.instanceOf(VenueBusy).and.include({ isOwn: false });
      expect(weightAsked()).to.be.within(500, 600);
    });

    it('gives an answer that is a little older while nothing may be asked, and none that is much older', async () => {
      const one = node();
      await one.info(status, options);
      await exhaust('ann');
      nowMs += 14_000;
      expect(await node().info(status, options)).to.deep.equal([]);
      nowMs += 2000;
      expect(await failure(node().info({ ...heavy(0), payer: 'ann' }, options))).to.be.instanceOf(VenueBusy);
    });

    it('the market role goes on when users have used up theirs, and its use is taken from theirs', async () => {
      const ask = createMarketRequests({ log, url, source: 'live', budget: budget(), now });
      const { signal } = new AbortController();
      await Promise.all(['ann', 'bob', 'cid', 'dan', 'eve'].map(exhaust));
      for (let i = 0; i < 40; i++) await ask({ type: 'metaAndAssetCtxs' }, { timeoutMs: 5000, signal });
      expect(await budget().ask('fay', { weight: 2, digest: 'd', lifeMs: 50 })).to.include({ verdict: 'crowded' });
    });

    it('what can wait of the market role waits while the deployment’s weight is used up', async () => {
      const one = budget();
      expect(await one.spend(1100, { isPatient: false })).to.equal(0);
      expect(await one.spend(20, { isPatient: true })).to.be.within(1, 5000);
      expect(await one.spend(20, { isPatient: false })).to.equal(0);
    });

    it('a 429 of the venue makes all nodes pause, the market role for the shortest time', async () => {
      venue.status = 429;
      venue.headers = { 'retry-after': '30' };
      expect(await failure(node().info(status, options))).to.be.instanceOf(VenueBusy);
      expect(await budget().spend(20, { isPatient: false })).to.be.within(1, 4000);
      venue.status = 200;
      const refusal = (await failure(node().info(heavy(1), { ...options, payer: 'bob' }))) as VenueBusy;
      expect(refusal).to.be.instanceOf(VenueBusy);
      expect(refusal.retryMs).to.be.within(20_000, 30_000);
      expect(venue.asked).to.have.length(1);
    });

    it('pauses grow with each 429, and many at once are one', async () => {
      await Promise.all(Array.from({ length: 10 }, () => budget().pause()));
      expect(await redis.pttl(marketKeys.pause)).to.be.within(1, 2000);
      await redis.del(marketKeys.pause);
      await budget().pause();
      expect(await redis.pttl(marketKeys.pause)).to.be.within(2001, 4000);
    });

    it('a slow venue holds some questions of one user at a time, the others wait, and there are places for others', async () => {
      let open: (value?: unknown) => void = () => undefined;
      venue.gate = new Promise((resolve) => {
        open = resolve;
      });
      const one = node();
      const light = (n: number): object => ({ type: 'l2Book', coin: 'X', n });
      const slow = Array.from({ length: 20 }, (_, n) => failure(one.info(light(n), options)));
      await until(() => venue.asked.length === 8);
      const bob = one.info(light(100), { ...options, payer: 'bob' });
      await until(() => venue.asked.length === 9);
      open();
      expect(await bob).to.deep.equal([]);
      for (const answer of await Promise.all(slow)) expect(answer).to.deep.equal([]);
      expect(venue.asked).to.have.length(21);
    });
  });
});
