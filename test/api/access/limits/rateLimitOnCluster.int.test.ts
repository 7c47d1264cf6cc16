import { expect } from 'chai';
import { budgetOfKey, chargesOf } from '../../../../src/api/access/budget.ts';
import { RateLimit } from '../../../../src/api/access/limits/rateLimit.ts';
import { readConfig } from '../../../../src/shared/config/config.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type RedisCluster, startRedisCluster } from '../../../support/redisCluster.ts';
import { until } from '../../../support/until.ts';

const log = createLogger({ level: 'silent', role: 'test' });
const CAP = 3;

describe('rateLimit on a Redis Cluster', () => {
  let cluster: RedisCluster;
  let connections: Redis[];

  before(async () => {
    cluster = await startRedisCluster();
    connections = ['one', 'two'].map((name) => connectRedis({ url: cluster.url, name, log }));
    await until(() => connections.every(({ status }) => status === 'ready'));
  });
  after(async () => {
    for (const redis of connections) redis.disconnect();
    await cluster.stop();
  });

  it('nodes share the windows of many users, and a request counts in all of its windows or in none', async () => {
    const nowMs = Date.now();
    // Beyond any pause of a busy machine, after which a node counts alone.
    const nodes = connections.map((redis) => new RateLimit({ redis, log, now: () => nowMs, answerMs: 60_000 }));
    const config = readConfig({ PLAN_BASIC_REQUESTS_PER_MINUTE: String(CAP) });
    const users = Array.from({ length: 30 }, (_, i) => `user-${i}`);
    const asked = users.map(async (userId) => {
      const charges = chargesOf(budgetOfKey({ keyId: `key-${userId}`, userId, plan: 'basic' }, config), {
        requests: 1,
        weight: 20,
      });
      const decisions = [];
      for (let i = 0; i < 2 * CAP; i++) decisions.push(await nodes[i % 2]?.charge(charges));
      expect(decisions.map((decision) => decision?.isGranted)).to.deep.equal([true, true, true, false, false, false]);
    });
    await Promise.all(asked);
    const sizes = await Promise.all(cluster.connections.map((redis) => redis.dbsize()));
    // A node that counted alone would have left nothing here.
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(2 * users.length);
    expect(Math.min(...sizes)).to.be.greaterThan(0);
  });
});
