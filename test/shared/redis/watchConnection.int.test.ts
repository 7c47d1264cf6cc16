import { expect } from 'chai';
import { createLogger } from '../../../src/shared/logger.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../support/stores.ts';
import { TcpProxy } from '../../support/tcpProxy.ts';
import { until } from '../../support/until.ts';

const log = createLogger({ level: 'silent', role: 'test' });

describe('a connection to Redis that dies without a word is opened anew', function () {
  this.timeout(600_000);
  let store: Store;
  let proxy: TcpProxy;
  let direct: Redis;
  const opened: Redis[] = [];

  const connect = (): Redis => {
    const redis = connectRedis({ url: `redis://127.0.0.1:${proxy.port}`, name: 'watched', log });
    opened.push(redis);
    return redis;
  };

  before(async () => {
    store = await startRedis();
    proxy = await TcpProxy.start(store.port);
    direct = connectRedis({ url: store.url, name: 'direct', log });
  });

  afterEach(() => {
    proxy.mend();
    for (const redis of opened.splice(0)) redis.disconnect();
  });

  after(async () => {
    direct.disconnect();
    await proxy.close();
    await store.kill();
  });

  it('a command is answered after it, though its connection never ends', async () => {
    const redis = connect();
    await redis.set('key', '1');
    expect(proxy.blackHole(() => true)).to.equal(1);
    expect(await redis.incr('key')).to.equal(2);
  });

  it('a subscriber, which says nothing by itself, hears again what is published', async () => {
    const subscriber = connect();
    const heard: string[] = [];
    subscriber.on('message', (_channel, message) => heard.push(message));
    await subscriber.subscribe('channel');
    expect(proxy.blackHole(() => true)).to.equal(1);
    await until(async () => {
      await direct.publish('channel', 'again');
      return heard.length > 0;
    });
  });

  it('one that dies in its greeting', async () => {
    proxy.blackHole();
    const redis = connect();
    const answer = redis.set('greeting', '1');
    await until(() => redis.status === 'connect');
    proxy.mend();
    expect(await answer).to.equal('OK');
  });

  it('one that waits in Redis for longer than others may be silent is left alone, and noticed when it has died', async () => {
    const redis = connect().duplicate();
    opened.push(redis);
    let opens = 0;
    redis.on('connect', () => (opens += 1));
    expect(await redis.bzpopmin('nothing', 7)).to.equal(null);
    expect(opens).to.equal(1);
    expect(proxy.blackHole((greeting) => greeting.includes('watched'))).to.equal(2);
    const answer = redis.bzpopmin('nothing', 20);
    await until(() => opens === 2);
    await direct.zadd('nothing', 1, 'member');
    expect(await answer).to.deep.equal(['nothing', 'member', '1']);
  });

  it('a subscriber whose process slept for long is not taken for dead', async () => {
    const subscriber = connect();
    let opens = 0;
    subscriber.on('connect', () => (opens += 1));
    await subscriber.subscribe('channel');
    const wakeAt = performance.now() + 6000;
    while (performance.now() < wakeAt); // the event loop is blocked, as in a stopped process
    expect(await subscriber.ping()).to.deep.equal(['pong', '']);
    expect(opens).to.equal(1);
  });
});
