import { expect } from 'chai';
import { VersionReader } from '../../../../src/api/accounts/views/versionReader.ts';
import { shardOf } from '../../../../src/shared/domain/shards.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { accountName } from '../../../support/actorBench.ts';
import { type Store, startRedis } from '../../../support/stores.ts';

const SHARDS = 4;
const ACCOUNT = accountName(1);
const SHARD = shardOf(ACCOUNT, SHARDS);

describe('VersionReader: a version is true while its owner has the shard', () => {
  let store: Store;
  let redis: Redis;
  let reader: VersionReader;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log: createLogger({ level: 'silent', role: 'test' }) });
    reader = new VersionReader(redis, { SHARDS });
    await reader.read(ACCOUNT);
  });
  after(async () => {
    redis.disconnect();
    await store.stop();
  });
  beforeEach(async () => {
    await redis.flushall();
    await owned('1:pod:aa', '1:pod:aa:01');
    await redis.hset(shardKeys.versions(SHARD), ACCOUNT, '7');
  });

  const owned = async (lease: string, owner: string): Promise<void> => {
    await redis.set(shardKeys.lease(SHARD), lease);
    await redis.hset(shardKeys.versions(SHARD), '_owner', owner);
  };

  it('it has the owner’s token and the account’s newest entry', async () => {
    expect(await reader.read(ACCOUNT)).to.deep.equal({ token: '1:pod:aa:01', seq: 7 });
  });

  it('none without a field, an owner or a lease, nor under another lease', async () => {
    await redis.hdel(shardKeys.versions(SHARD), ACCOUNT);
    expect(await reader.read(ACCOUNT)).to.equal('none');
    await redis.hset(shardKeys.versions(SHARD), ACCOUNT, '7');
    await redis.hdel(shardKeys.versions(SHARD), '_owner');
    expect(await reader.read(ACCOUNT)).to.equal('none');
    for (const lease of ['2:pod:bb', '1:pod:a', '1:pod:aa:01']) {
      await owned(lease, '1:pod:aa:01');
      expect(await reader.read(ACCOUNT), lease).to.equal('none');
    }
    await redis.del(shardKeys.lease(SHARD));
    expect(await reader.read(ACCOUNT)).to.equal('none');
  });

  it('all questions of a turn are one call, whatever their shards, and each is told its own', async () => {
    const names = Array.from({ length: 60 }, (_, n) => accountName(n + 1));
    for (let shard = 0; shard < SHARDS; shard++) {
      await redis.set(shardKeys.lease(shard), `1:pod:${shard}`);
      await redis.hset(shardKeys.versions(shard), '_owner', `1:pod:${shard}:01`);
    }
    for (const [n, name] of names.entries()) await redis.hset(shardKeys.versions(shardOf(name, SHARDS)), name, n + 1);
    await redis.call('CONFIG', 'RESETSTAT');
    const versions = await Promise.all([...names, ...names].map((name) => reader.read(name)));
    const wanted = names.map((name, n) => ({ token: `1:pod:${shardOf(name, SHARDS)}:01`, seq: n + 1 }));
    expect(versions).to.deep.equal([...wanted, ...wanted]);
    expect(await redis.info('commandstats')).to.match(/cmdstat_evalsha:calls=1,/);
  });

  it('unknown while Redis is away, at once', async () => {
    const away = connectRedis({ url: store.url, name: 'away', log: createLogger({ level: 'silent', role: 'test' }) });
    away.disconnect();
    expect(await new VersionReader(away, { SHARDS }).read(ACCOUNT)).to.equal('unknown');
  });
});
