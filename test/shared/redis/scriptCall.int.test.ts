import { expect } from 'chai';
import { createLogger } from '../../../src/shared/logger.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { isReplyError, Script, ScriptCall } from '../../../src/shared/redis/script.ts';
import { type Store, startRedis } from '../../support/stores.ts';

describe('scriptCall: what a script gets', function () {
  this.timeout(600_000);
  const log = createLogger({ level: 'silent', role: 'test' });
  const echo = new Script('echo', 'return {KEYS, ARGV}');
  let store: Store;
  let redis: Redis;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log });
  });
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  const texts = ['', 'a', 'line\r\n$3\r\nend', 'ü – 日本 😀', 'x'.repeat(20_000), '{"é":"\u0000"}'];

  it('keys, texts and numbers as they were given, also in the call that brings the text of the script', async () => {
    const numbers = [0, -1, 12_345, 0.5, 1e21, -1e-7];
    const told = [texts, [...texts, ...numbers.map(String)]];
    await redis.script('FLUSH');
    for (let time = 0; time < 2; time++) expect(await echo.run(redis, texts, [...texts, ...numbers])).to.deep.equal(told);
    expect(await echo.run(redis, [], [])).to.deep.equal([[], []]);
  });

  it('bytes among texts, every one of them', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const keep = new Script('keep', `for i = 1, #KEYS do redis.call('SET', KEYS[i], ARGV[i]) end return #ARGV`);
    expect(await keep.run(redis, ['ü', 'b', 'c'], ['é', bytes, Buffer.alloc(0), 'end'])).to.equal(4);
    expect(await redis.getBuffer('b')).to.deep.equal(bytes);
    expect(await redis.mget('ü', 'c')).to.deep.equal(['é', '']);
  });

  it('a call that is on its way when the connection breaks is sent again', async () => {
    const count = new Script('count', `return redis.call('INCR', KEYS[1])`);
    await count.run(redis, ['count'], []);
    const operator = connectRedis({ url: store.url, name: 'operator', log });
    await operator.client('PAUSE', 60_000, 'WRITE');
    const answer = count.run(redis, ['count'], []);
    redis.disconnect(true);
    await new Promise((resolve) => redis.once('ready', resolve));
    await operator.client('UNPAUSE');
    operator.disconnect();
    expect(await answer).to.equal(2);
  });

  it('an error of the script is one of Redis', async () => {
    const error = await new Script('push', `return redis.call('LPUSH', KEYS[1], 'x')`)
      .run(redis, ['count'], [])
      .catch((e: unknown) => e);
    expect(isReplyError(error)).to.equal(true);
    expect(String(error), 'by its name').to.match(/WRONGTYPE.*script: push,/);
  });

  it('in a cluster the call goes where its first key lies', () => {
    expect(new ScriptCall('evalsha', 'digest', ['{s07}:head', '{s07}:lease'], [1]).getKeys()).to.deep.equal(['{s07}:head']);
    expect(new ScriptCall('eval', 'text', [], ['{s07}:head']).getKeys()).to.deep.equal([]);
  });
});
