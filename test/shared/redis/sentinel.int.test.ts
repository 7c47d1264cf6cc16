import { expect } from 'chai';
import { createLogger } from '../../../src/shared/logger.ts';
import { openSubscriptions, publish } from '../../../src/shared/redis/channels.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { Script } from '../../../src/shared/redis/script.ts';
import { type Sentinel, startSentinel } from '../../support/sentinel.ts';
import { openRedis, type Store, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const log = createLogger({ level: 'silent', role: 'test' });
const [password, ownPassword] = ['of-the-servers', 'of-the-sentinel'];

describe('a connection to the master that Sentinels name', function () {
  this.timeout(600_000);
  let servers: Store[];
  let sentinel: Sentinel;
  const opened: Redis[] = [];

  const connect = (name: string): Redis => {
    const url = `redis+sentinel://:${password}@127.0.0.1:${sentinel.port}/main?sentinelPassword=${ownPassword}`;
    const redis = connectRedis({ url, name, log });
    opened.push(redis);
    return redis;
  };
  const portOf = async (redis: Redis): Promise<number> => Number(/tcp_port:(\d+)/.exec(await redis.info('server'))?.[1]);

  before(async () => {
    servers = await Promise.all([startRedis(), startRedis()]);
    for (const [at, { url }] of servers.entries()) {
      const redis = openRedis(url);
      await redis.config('SET', 'masterauth', password);
      if (at === 1) await redis.replicaof('127.0.0.1', servers[0]?.port ?? 0);
      await redis.config('SET', 'requirepass', password);
      redis.disconnect();
    }
    sentinel = await startSentinel({ master: 'main', masterPort: servers[0]?.port ?? 0, password, ownPassword });
  });

  after(async () => {
    for (const redis of opened) redis.disconnect();
    await sentinel.stop();
    await Promise.all(servers.map((server) => server.kill()));
  });

  it('follows it to the replica that has taken over, with what is subscribed', async () => {
    const [redis, subscriber] = [connect('test'), connect('subscriber')];
    const [first, second] = servers.map(({ port }) => port);
    expect(await portOf(redis)).to.equal(first);
    const heard: string[] = [];
    const subscriptions = openSubscriptions(subscriber, { onMessage: (_channel, text) => heard.push(text) });
    await subscriptions.subscribe('channel');
    const count = new Script('count', `return redis.call('INCR', KEYS[1])`);
    expect(await count.run(redis, ['n'], [])).to.equal(1);

    // A replica that the Sentinel has just found, or has not asked in time, is none that it takes yet.
    await until(async () => {
      const said = await sentinel.connection.call('SENTINEL', 'FAILOVER', 'main').catch((error: Error) => error);
      if (said instanceof Error && !said.message.startsWith('NOGOODSLAVE')) throw said;
      return said === 'OK';
    });
    await until(async () => (await portOf(redis)) === second);
    expect(await count.run(redis, ['n'], [])).to.be.a('number');
    await until(async () => {
      await publish(redis, 'channel', 'again');
      return heard.includes('again');
    });
    await subscriptions.stop();
  });
});
