import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { WORKER_GONE_AFTER_MS } from '../../src/jobs/heartbeat.ts';
import { keyUsage } from '../../src/jobs/keyUsage.ts';
import { runJobs } from '../../src/jobs/runJobs.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import type { RepeatableJob } from '../../src/shared/deployment/job.ts';
import type { Role, RoleParts } from '../../src/shared/deployment/role.ts';
import { TerminalError } from '../../src/shared/errors.ts';
import { collections, connectMongo, type MongoConnection } from '../../src/shared/mongo/mongo.ts';
import { DEAD_LETTERS_MAX, listDeadLetters, openJobQueue } from '../../src/shared/redis/jobQueue.ts';
import { apiKeyKeys, workerKeys } from '../../src/shared/redis/keys.ts';
import { roleParts } from '../support/roleParts.ts';
import { openRedis, type Store, startMongo, startRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

interface KeyDocument {
  readonly _id: string;
  readonly lastUsedAt?: Date;
}

describe('jobs on real stores', () => {
  let redisStore: Store;
  let mongoStore: Store;
  let redis: Redis;
  let mongo: MongoConnection;
  let parts: RoleParts;

  before(async () => {
    [redisStore, mongoStore] = await Promise.all([startRedis(), startMongo({ memory: true })]);
    redis = openRedis(redisStore.url, { maxRetriesPerRequest: null });
    mongo = connectMongo({ url: mongoStore.url, database: 'jobs', timeoutMs: 3000 });
    const connect = (): Redis => openRedis(redisStore.url, { maxRetriesPerRequest: null });
    parts = roleParts({ config: readConfig({ REDIS_URL: redisStore.url }), redis, mongo, subscriberFactory: connect });
  });
  beforeEach(() => redis.flushall());
  after(async () => {
    redis.disconnect();
    await mongo.close();
    await Promise.all([redisStore.stop(), mongoStore.stop()]);
  });

  const start = (jobs: readonly RepeatableJob[]): Promise<Role> => runJobs({ ...parts, registry: new Registry() }, jobs);
  const job = (fields: Partial<RepeatableJob>): RepeatableJob => ({
    name: 'count',
    everyMs: 100,
    run: async () => undefined,
    ...fields,
  });

  it('runs a job again and again, with the start of its period', async () => {
    const periods: number[] = [];
    const role = await start([job({ run: async (_, periodMs) => void periods.push(periodMs) })]);
    await until(() => periods.length >= 3);
    await role.stop();
    expect(periods.every((periodMs) => periodMs % 100 === 0)).to.equal(true);
    expect(new Set(periods).size).to.equal(periods.length);
  });

  it('shares the runs among two processes, each period once', async () => {
    const periods: number[] = [];
    const counted = job({ run: async (_, periodMs) => void periods.push(periodMs) });
    const roles = await Promise.all([start([counted]), start([counted])]);
    await until(() => periods.length >= 5);
    await Promise.all(roles.map((role) => role.stop()));
    expect(new Set(periods).size).to.equal(periods.length);
  });

  it('tries a failed run again, but not one that can never work', async () => {
    const tries = { flaky: 0, hopeless: 0 };
    const flaky = job({
      name: 'flaky',
      everyMs: 365 * 86_400_000,
      run: async () => {
        tries.flaky += 1;
        if (tries.flaky === 1) throw new Error('not now');
      },
    });
    const hopeless = job({
      name: 'hopeless',
      everyMs: 365 * 86_400_000,
      run: async () => {
        tries.hopeless += 1;
        throw new TerminalError('never');
      },
    });
    const role = await start([flaky, hopeless]);
    await until(() => tries.flaky === 2);
    await role.stop();
    expect(tries.hopeless).to.equal(1);
  });

  it('puts a run that was given up on the dead-letter list, with its reason, and goes on with the next', async () => {
    let runs = 0;
    const registry = new Registry();
    const hopeless = job({
      name: 'hopeless',
      run: async () => {
        runs += 1;
        throw new TerminalError(`never ${runs}`);
      },
    });
    const role = await runJobs({ ...parts, registry }, [hopeless]);
    const connection = parts.subscriberFactory();
    const queue = openJobQueue(connection);
    await until(async () => (await queue.getFailedCount()) >= 2);
    expect(await registry.metrics()).to.match(/^jobs_dead_letters (?:[2-9]|\d\d)/m);
    await role.stop();
    const letters = await listDeadLetters(queue, DEAD_LETTERS_MAX);
    const metrics = await registry.metrics();
    await queue.close();
    connection.disconnect();
    const [newest, older] = letters;
    expect(newest).to.include({ job: 'hopeless', attempts: 1, reason: `never ${runs}` });
    expect(newest?.dueMs).to.be.greaterThan(older?.dueMs ?? Number.NaN);
    expect(newest?.failedMs).to.be.at.least(newest?.dueMs ?? Number.NaN);
    expect(metrics).to.match(/^jobs_runs_total\{name="hopeless",outcome="dead"\} (?:[2-9]|\d\d)/m);
  });

  it('takes away what an earlier version has scheduled', async () => {
    await (await start([job({ name: 'old' })])).stop();
    await (await start([job({ name: 'new' })])).stop();
    expect(await redis.zrange('{bull}:jobs:repeat', 0, -1)).to.deep.equal(['new']);
  });

  it('schedules its jobs again when Redis has lost everything', async () => {
    const periods: number[] = [];
    const counted = job({ run: async (_, periodMs) => void periods.push(periodMs) });
    const role = await runJobs({ ...parts, registry: new Registry() }, [counted], { lookEveryMs: 50 });
    await until(() => periods.length >= 2);
    await redis.flushall();
    const before = periods.length;
    await until(() => periods.length >= before + 3);
    await role.stop();
    expect(await redis.zrange('{bull}:jobs:repeat', 0, -1)).to.deep.equal(['count']);
  });

  it('goes on when the clock of its machine, which was an hour ahead, is set right, and never works for a period to come', async () => {
    const systemNow = Date.now;
    const periods: number[] = [];
    const counted = job({ run: async (_, periodMs) => void periods.push(periodMs) });
    Date.now = () => systemNow() + 3_600_000;
    try {
      const ahead = { ...parts, now: systemNow, registry: new Registry() };
      const role = await runJobs(ahead, [counted], { lookEveryMs: 50 });
      await until(() => periods.length >= 2);
      Date.now = systemNow;
      const before = periods.length;
      await until(() => periods.length >= before + 5);
      await role.stop();
    } finally {
      Date.now = systemNow;
    }
    expect(Math.max(...periods)).to.be.below(systemNow() + 1000);
  });

  it('keeps all keys of the queue in one slot of a Redis Cluster', async () => {
    await (await start([job({})])).stop();
    expect((await redis.keys('*')).filter((key) => !key.startsWith('{bull}:'))).to.deep.equal([]);
  });

  it('says that it lives, forgets who is silent, and takes leave', async () => {
    const [seconds] = await redis.time();
    const redisMs = Number(seconds) * 1000;
    await redis.hset(workerKeys.workers, { dead: redisMs - WORKER_GONE_AFTER_MS - 1000, other: redisMs + 600_000 });
    const config = { ...parts.config, NODE_ID: 'jobs-1' };
    const shown = new Registry();
    const role = await runJobs({ ...parts, config, registry: shown }, [job({})]);
    const workers = await redis.hgetall(workerKeys.workers);
    expect(Object.keys(workers)).to.have.members(['other', 'jobs-1']);
    expect(Number(workers['jobs-1'])).to.be.at.least(redisMs);
    expect(await redis.pttl(workerKeys.workers)).to.be.within(1, WORKER_GONE_AFTER_MS);
    expect(await role.whyNotReady()).to.deep.equal([]);
    expect(await shown.metrics())
      .to.include('billing_users{plan="pro",state="trial"} 0')
      .and.include('jobs_dead_letters 0');
    await role.stop();
    expect(await role.whyNotReady()).to.deep.equal(['The worker of the jobs does not run']);
    expect(Object.keys(await redis.hgetall(workerKeys.workers))).to.deep.equal(['other']);
  });

  describe('key-usage', () => {
    const keys = () => mongo.db.collection<KeyDocument>(collections.apiKeys);
    const lastUsed = async (id: string): Promise<number | undefined> =>
      (await keys().findOne({ _id: id }))?.lastUsedAt?.getTime();
    beforeEach(() => keys().deleteMany({}));

    it('moves the last use of every key and forgets the note', async () => {
      await keys().insertMany([{ _id: 'k1' }, { _id: 'k2', lastUsedAt: new Date(5) }]);
      await redis.hset(apiKeyKeys.used, { k1: 1000, k2: 2000 });
      await keyUsage.run(parts, 0);
      expect(await lastUsed('k1')).to.equal(1000);
      expect(await lastUsed('k2')).to.equal(2000);
      expect(await redis.hgetall(apiKeyKeys.used)).to.deep.equal({});
    });

    it('never goes back, however often and late it runs', async () => {
      await keys().insertOne({ _id: 'k1', lastUsedAt: new Date(9000) });
      await redis.hset(apiKeyKeys.used, { k1: 1000 });
      await keyUsage.run(parts, 0);
      await keyUsage.run(parts, 0);
      expect(await lastUsed('k1')).to.equal(9000);
    });

    it('makes no document for a key that has been deleted', async () => {
      await redis.hset(apiKeyKeys.used, { gone: 1000 });
      await keyUsage.run(parts, 0);
      expect(await keys().countDocuments({})).to.equal(0);
      expect(await redis.hlen(apiKeyKeys.used)).to.equal(0);
    });

    it('moves more notes than fit into one write', async () => {
      const ids = Array.from({ length: 1100 }, (_, index) => `key-${index}`);
      await keys().insertMany(ids.map((_id) => ({ _id })));
      await redis.hset(apiKeyKeys.used, Object.fromEntries(ids.map((id, index) => [id, 1 + index])));
      await keyUsage.run(parts, 0);
      expect(await lastUsed('key-1099')).to.equal(1100);
      expect(await redis.hlen(apiKeyKeys.used)).to.equal(0);
    });
  });
});
