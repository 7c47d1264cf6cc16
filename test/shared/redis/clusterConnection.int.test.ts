import { expect } from 'chai';
import { createLogger } from '../../../src/shared/logger.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { Script } from '../../../src/shared/redis/script.ts';
import { type RedisCluster, startRedisCluster } from '../../support/redisCluster.ts';
import { until } from '../../support/until.ts';

const log = createLogger({ level: 'silent', role: 'test' });

const clusterInfo = async (node: Redis): Promise<string> => String(await node.call('CLUSTER', 'INFO'));

describe('a connection to a Redis Cluster', function () {
  this.timeout(600_000);
  let cluster: RedisCluster;
  let redis: Redis;

  before(async () => {
    cluster = await startRedisCluster();
    redis = connectRedis({ url: cluster.url, name: 'test', log });
  });

  after(async () => {
    redis.disconnect();
    await cluster.stop();
  });

  const elsewhere = async (key: string): Promise<number> => ((await cluster.ownerOf(key)) + 1) % cluster.nodes.length;

  it('finds each key at its node', async () => {
    const keys = Array.from({ length: 20 }, (_, i) => `{k${i}}`);
    await Promise.all(keys.map((key) => redis.set(key, key)));
    expect(await Promise.all(keys.map((key) => redis.get(key)))).to.deep.equal(keys);
    expect(new Set(await Promise.all(keys.map((key) => cluster.ownerOf(key)))).size).to.equal(3);
  });

  it('a script runs on a slot that has moved', async () => {
    const count = new Script('count', `return redis.call('INCR', KEYS[1])`);
    expect(await count.run(redis, ['{moved}:n'], [])).to.equal(1);
    await cluster.moveSlotOf('{moved}', await elsewhere('{moved}'));
    expect(await count.run(redis, ['{moved}:n'], [])).to.equal(2);
  });

  it('who waits for it while the cluster is down is told so, and it connects when the cluster is up', async () => {
    const own = redis.duplicate();
    const slot = 16_383;
    const last = cluster.connections[await cluster.ownerOfSlot(slot)] as Redis;
    await Promise.all(cluster.connections.map((node) => node.config('SET', 'cluster-require-full-coverage', 'yes')));
    await own.ping();
    const ended = new Promise((resolve) => own.once('end', resolve));
    own.disconnect();
    await ended;
    const isDown = async (node: Redis): Promise<boolean> => (await clusterInfo(node)).includes('cluster_state:fail');
    await Promise.all(cluster.connections.map((node) => node.call('CLUSTER', 'DELSLOTS', slot)));
    await until(async () => (await Promise.all(cluster.connections.map(isDown))).every(Boolean));
    expect(await own.connect().catch(({ message }: Error) => message)).to.match(/^no node of the cluster can be reached/);
    await last.call('CLUSTER', 'ADDSLOTS', slot);
    await Promise.all(cluster.connections.map((node) => node.config('SET', 'cluster-require-full-coverage', 'no')));
    await until(() => own.status === 'ready');
    expect(await own.ping()).to.equal('PONG');
    own.disconnect();
  });

  it('a script that meets a slot on its way waits, and is then written whole', async () => {
    // As a commit does: a set is emptied, and then looked at. While the slot moves, the node looks for it at the other one.
    const commit = new Script(
      'commit',
      `
      redis.call('RPUSH', KEYS[1], ARGV[1])
      redis.call('SREM', KEYS[2], 'account')
      return {redis.call('SCARD', KEYS[2]), #KEYS}
    `,
    );
    await redis.sadd('{moving}:pending', 'account');
    await redis.rpush('{moving}:journal', 'before');
    let running: Promise<unknown> | undefined;
    let isDone = false;
    await cluster.moveSlotOf('{moving}', await elsewhere('{moving}'), async () => {
      running = commit.run(redis, ['{moving}:journal', '{moving}:pending'], ['commit']).finally(() => {
        isDone = true;
      });
      // It was asked for, and refused, before the slot goes on.
      await redis.get('{moving}:journal').catch(() => undefined);
      await redis.ping();
      expect(isDone).to.equal(false);
    });
    expect(await running).to.deep.equal([0, 2]);
    expect(await redis.lrange('{moving}:journal', 0, -1)).to.deep.equal(['before', 'commit']);
  });

  it('a script of a library that meets a slot on its way waits too, also when it names one of its keys only', async () => {
    await redis.rpush('{library}:list', 'before');
    const text = `redis.call('RPUSH', KEYS[1], ARGV[1]) return redis.call('EXISTS', '{library}:job')`;
    let running: Promise<unknown> | undefined;
    await cluster.moveSlotOf('{library}', await elsewhere('{library}'), async () => {
      running = redis.eval(text, 1, '{library}:list', 'job').catch((error: Error) => error.message);
      await redis.get('{library}:list').catch(() => undefined);
    });
    expect(await running).to.equal(0);
    expect(await redis.lrange('{library}:list', 0, -1)).to.deep.equal(['before', 'job']);
  });

  it('commands on their way when all connections end are answered', async () => {
    const count = new Script('count', `return redis.call('INCRBY', KEYS[1], ARGV[1])`);
    const keys = Array.from({ length: 20 }, (_, i) => `{c${i}}`);
    const answers = keys.map((key) => count.run(redis, [key], [1]));
    await Promise.all(cluster.connections.map((node) => node.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')));
    // A command whose answer came too late was sent again.
    for (const answer of await Promise.all(answers)) expect(answer).to.be.oneOf([1, 2]);
  });

  it('a script whose keys do not share a slot is refused, and writes nothing', async () => {
    const script = new Script('script', `redis.call('SET', KEYS[1], 1) redis.call('SET', KEYS[2], 1)`);
    const error = await script.run(redis, ['one', 'two'], []).catch((e: unknown) => e);
    expect(String(error)).to.include('CROSSSLOT');
    expect(await redis.get('one')).to.equal(null);
  });
});
