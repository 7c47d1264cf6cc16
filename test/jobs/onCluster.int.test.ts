import { expect } from 'chai';
import { Registry } from 'prom-client';
import { runJobs } from '../../src/jobs/runJobs.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import type { RepeatableJob } from '../../src/shared/deployment/job.ts';
import type { Role } from '../../src/shared/deployment/role.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { connectMongo, type MongoConnection } from '../../src/shared/mongo/mongo.ts';
import { JOB_QUEUE_PREFIX, openJobQueue } from '../../src/shared/redis/jobQueue.ts';
import { connectRedis, type Redis } from '../../src/shared/redis/redis.ts';
import { noTracing } from '../../src/shared/tracing/tracing.ts';
import { newestFormats } from '../support/formats.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { until } from '../support/until.ts';

const JOBS = 4;

describe('jobs on a Redis Cluster', function () {
  this.timeout(600_000);
  let cluster: RedisCluster;
  let redis: Redis;
  let mongo: MongoConnection;
  let roles: readonly Role[];
  /** Periods that were run, by job. */
  let runs: number[][];

  const start = async (options: { hasReplicas: boolean }): Promise<void> => {
    cluster = await startRedisCluster(options);
    const log = createLogger({ level: 'silent', role: 'jobs' });
    const open = (): Redis => connectRedis({ url: cluster.url, name: 'jobs', log });
    redis = open();
    mongo = connectMongo({ url: 'mongodb://127.0.0.1:1', database: 'none', timeoutMs: 1000 });
    runs = Array.from({ length: JOBS }, () => []);
    const jobs: RepeatableJob[] = runs.map((periods, i) => ({
      name: `job${i}`,
      everyMs: 50 + 10 * i,
      run: async (_, periodMs) => void periods.push(periodMs),
    }));
    const parts = { log, redis, subscriberFactory: open, mongo, now: Date.now, realNow: Date.now, formats: newestFormats };
    const config = readConfig({ REDIS_URL: cluster.url });
    const one = () => runJobs({ ...parts, config, registry: new Registry(), tracing: noTracing }, jobs);
    roles = [await one(), await one()];
  };
  afterEach(async () => {
    await Promise.all(roles.map((role) => role.stop()));
    redis.disconnect();
    await mongo.close();
    await cluster.stop();
  });

  const allRunOn = async (): Promise<void> => {
    const before = runs.map((periods) => periods.length);
    await until(() => runs.every((periods, i) => periods.length > (before[i] ?? 0) + 3));
  };
  /** Each has its one next run, and nothing of what was begun is left over. */
  const areScheduledOnce = async (): Promise<void> => {
    const queue = openJobQueue(redis);
    expect((await queue.getJobSchedulers()).map(({ key }) => key).sort()).to.deep.equal(runs.map((_, i) => `job${i}`));
    await until(async () => (await queue.getJobs(['delayed', 'waiting', 'active'])).filter(Boolean).length === JOBS);
    expect(await queue.getFailedCount()).to.equal(0);
    await queue.close();
  };

  it('run on while their slot goes from node to node: each period once, none given up', async () => {
    await start({ hasReplicas: false });
    await allRunOn();
    for (let i = 0; i < 6; i++) {
      const to = ((await cluster.ownerOf(JOB_QUEUE_PREFIX)) + 1) % 3;
      await cluster.moveSlotOf(JOB_QUEUE_PREFIX, to);
      await allRunOn();
    }
    for (const periods of runs) expect(new Set(periods).size).to.equal(periods.length);
    await areScheduledOnce();
  });

  it('run on when the master of their slot has died', async () => {
    await start({ hasReplicas: true });
    await allRunOn();
    await cluster.killMaster(await cluster.ownerOf(JOB_QUEUE_PREFIX));
    await allRunOn();
    await areScheduledOnce();
  });
});
