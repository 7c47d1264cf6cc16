import { expect } from 'chai';
import { Registry } from 'prom-client';
import { ClockWatch, ExchangeClock } from '../../../src/shared/deployment/exchangeClock.ts';
import { type JoinedDeployment, joinDeployment } from '../../../src/shared/deployment/joinDeployment.ts';
import { liveProcesses } from '../../../src/shared/deployment/liveProcesses.ts';
import { SILENT_MS } from '../../../src/shared/deployment/membership.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { connectMongo } from '../../../src/shared/mongo/mongo.ts';
import { deploymentKeys } from '../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { startMongo, startRedis } from '../../support/stores.ts';

const log = createLogger({ level: 'silent', role: 'test' });

describe('liveProcesses: those that say what they read', () => {
  const connections: Redis[] = [];
  let stop: () => Promise<unknown>;
  let redis: Redis;
  let joined: JoinedDeployment;

  before(async () => {
    const stores = { redis: await startRedis(), mongo: await startMongo({ memory: true }) };
    const mongo = connectMongo({ url: stores.mongo.url, database: 'live', timeoutMs: 2000 });
    const connect = async (name: string): Promise<Redis> => {
      const connection = connectRedis({ url: stores.redis.url, name, log });
      connections.push(connection);
      await connection.ping();
      return connection;
    };
    redis = await connect('new-api');
    const clock = new ExchangeClock();
    joined = await joinDeployment({
      ...{ clock, clockWatch: new ClockWatch(clock, { log, registry: new Registry() }) },
      ...{ redis, mongo, log, shards: 4, nodeId: 'new-api', roles: ['api'] },
      onRefused: (error) => {
        throw error;
      },
    });
    stop = async () => {
      await joined.stop();
      for (const connection of connections) connection.disconnect();
      await mongo.close();
      await Promise.all([stores.redis.stop(), stores.mongo.stop()]);
    };
  });
  after(() => stop());

  it('a process is what it announces', async () => {
    expect(await liveProcesses(redis)).to.deep.equal([
      { name: 'new-api', roles: ['api'], reads: NEWEST_FORMAT, writes: NEWEST_FORMAT },
    ]);
  });

  it('one that has fallen silent is gone, and one that leaves says so', async () => {
    const [seconds] = await redis.time();
    await redis.hset(
      deploymentKeys.processes,
      'dead',
      `${Number(seconds) * 1000 - SILENT_MS - 2000} {"roles":[],"reads":2,"writes":2}`,
    );
    expect((await liveProcesses(redis)).map(({ name }) => name)).not.to.include('dead');
    await joined.stop();
    expect(await redis.hexists(deploymentKeys.processes, 'new-api')).to.equal(0);
  });
});
