import { expect } from 'chai';
import { nonceRefusal } from '../../../src/features/lab/nonces.ts';
import { RequestError } from '../../../src/shared/errors.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { labNoncesKey } from '../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../support/stores.ts';

const NOW_MS = 1_795_000_000_000;
const DAY_MS = 86_400_000;

describe('nonces: the venue’s rule, for keys whose failure lab asks for it', () => {
  let store: Store;
  let redis: Redis;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log: createLogger({ level: 'silent', role: 'test' }) });
  });
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  const use = (nonce: unknown, run = 'one') => nonceRefusal(redis, { nonce, run, nowMs: NOW_MS });

  it('is within two days before and one day after, neither bound in it', async () => {
    const [least, most] = [NOW_MS - 2 * DAY_MS, NOW_MS + DAY_MS];
    expect(await use(least, 'bounds')).to.equal(`Invalid nonce: nonce too low ${least} < ${least}`);
    expect(await use(most, 'bounds')).to.equal(`Invalid nonce: nonce too high ${most} > ${most}`);
    expect([await use(least + 1, 'bounds'), await use(most - 1, 'bounds')]).to.deep.equal([undefined, undefined]);
  });

  it('keeps the 100 highest of a key, and only those of the key', async () => {
    for (let i = 100; i > 0; i--) expect(await use(NOW_MS + i)).to.equal(undefined);
    expect(await use(NOW_MS + 50)).to.equal(`Invalid nonce: duplicate nonce ${NOW_MS + 50}`);
    expect(await use(NOW_MS)).to.equal(`Invalid nonce: nonce too low ${NOW_MS} < ${NOW_MS + 1}`);
    expect(await use(NOW_MS + 101)).to.equal(undefined);
    expect(await use(NOW_MS + 1)).to.equal(`Invalid nonce: nonce too low ${NOW_MS + 1} < ${NOW_MS + 2}`);
    expect(await use(NOW_MS, 'another')).to.equal(undefined);
    expect(await redis.zcard(labNoncesKey('one'))).to.equal(100);
    expect(await redis.pttl(labNoncesKey('one'))).to.be.within(1, 3 * DAY_MS);
  });

  it('what Redis cannot keep is 503, what is no nonce 400, and nothing is used', async () => {
    const statusOf = (asked: Promise<unknown>) =>
      asked.catch((error: unknown) => (error instanceof RequestError ? error.status : error));
    for (const none of [undefined, null, '1', 1.5, -1]) expect(await statusOf(use(none, 'none'))).to.equal(400);
    await redis.config('SET', 'maxmemory', '1');
    expect(await statusOf(use(NOW_MS, 'none'))).to.equal(503);
    await redis.config('SET', 'maxmemory', '0');
    expect(await redis.exists(labNoncesKey('none'))).to.equal(0);
  });
});
