import { expect } from 'chai';
import { KeptReplies } from '../../../../src/api/accounts/gateway/repliesHeard.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../../support/stores.ts';
import { TcpProxy } from '../../../support/tcpProxy.ts';
import { until } from '../../../support/until.ts';

const REPLIES = 10;
const TAKEN_AT_ONCE = 4;

describe('keptReplies: long replies are taken few at a time', () => {
  let store: Store;
  let proxy: TcpProxy;
  let redis: Redis;
  let through: Redis;
  /** The commands that were sent to Redis. */
  let sent = '';
  const asked = (): number => sent.match(/getdel/gi)?.length ?? 0;

  before(async () => {
    const log = createLogger({ level: 'silent', role: 'test' });
    store = await startRedis();
    proxy = await TcpProxy.start(store.port, () => ({
      onClient: (chunk) => {
        sent += chunk.toString();
      },
      onServer: () => undefined,
    }));
    redis = connectRedis({ url: store.url, name: 'test', log });
    through = connectRedis({ url: `redis://127.0.0.1:${proxy.port}`, name: 'node', log });
  });
  after(async () => {
    for (const connection of [redis, through]) connection.disconnect();
    await proxy.close();
    await store.stop();
  });

  it('while Redis is slow no more than these are asked for; then all are there, each once', async () => {
    const keys = Array.from({ length: REPLIES }, (_, i) => `reply-${i}`);
    for (const key of keys) await redis.set(key, `long ${key}`);
    await through.ping();
    await redis.client('PAUSE', 60_000, 'WRITE');
    const replies = new KeptReplies(through);
    const taking = Promise.all(keys.map((key) => replies.take(key)));
    const last = through.echo('what comes after them');
    await until(() => sent.includes('what comes after them'));
    expect(asked()).to.equal(TAKEN_AT_ONCE);
    await redis.client('UNPAUSE');
    await last;
    expect(await taking).to.deep.equal(keys.map((key) => `long ${key}`));
    expect(asked()).to.equal(REPLIES);
    expect(await replies.take('reply-0')).to.equal(null);
  });
});
