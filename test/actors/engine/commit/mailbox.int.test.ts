import { expect } from 'chai';
import { readMailboxes } from '../../../../src/actors/engine/commit/mailbox.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../../support/stores.ts';

const SHARD = 1;

describe('mailbox: what an owner reads at once is bounded', function () {
  this.timeout(600_000);
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

  it('by commands of an account, and by bytes of all: accounts beyond them are left for the next read', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(300_000) });
    for (const account of ['long', 'longer', 'longest'])
      for (let id = 1; id <= 5; id++) await redis.xadd(shardKeys.commands(SHARD, account), `${id}-0`, 'c', long);
    for (let id = 1; id <= 20; id++) await redis.xadd(shardKeys.commands(SHARD, 'short'), `${id}-0`, 'c', '{}');
    const idsOf = async (accountIds: readonly string[]) =>
      [...(await readMailboxes(redis, SHARD, accountIds))].map(([account, found]) => [account, found.length]);
    expect(await idsOf(['short', 'none', 'long', 'longer', 'longest'])).to.deep.equal([
      ['short', 16],
      ['none', 0],
      ['long', 5],
      ['longer', 5],
    ]);
    expect(await idsOf(['longest'])).to.deep.equal([['longest', 5]]);
    expect(await idsOf([])).to.deep.equal([]);
  });
});
