import { expect } from 'chai';
import { CommitCalls } from '../../../../src/actors/engine/commit/commitCalls.ts';
import { CommitDraft } from '../../../../src/actors/engine/commit/commitDraft.ts';
import { Committer } from '../../../../src/actors/engine/commit/commits.ts';
import { type Lease, LeaseTerm } from '../../../../src/actors/engine/ownership/lease.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { LeaseLost } from '../../../../src/shared/errors.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../../support/stores.ts';

const TTL_MS = 60_000;
const TOKEN = '1:pod:abc';
const log = createLogger({ level: 'silent', role: 'test' });

describe('committer: a draft whose shard’s lease has run out', function () {
  this.timeout(600_000);
  let store: Store;
  let redis: Redis;
  let committer: Committer;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log });
  });
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  beforeEach(async () => {
    await redis.flushall();
    await redis.hset(shardKeys.head(0), { epoch: 1, n: 0 });
    const lease = { shard: 0, token: TOKEN, epoch: 1, term: new LeaseTerm(TTL_MS, performance.now()) } as Lease;
    committer = new Committer({ calls: new CommitCalls(redis), redis, lease, leaseTtlMs: TTL_MS, log });
  });

  const commit = (): Promise<unknown> => {
    const draft = new CommitDraft(1, NEWEST_FORMAT);
    draft.touch();
    return committer.commit(draft, { idCounter: 1, tick: '0-0', timeMs: 1 }).catch((error: unknown) => error);
  };

  it('renews it and is applied, while no other pod has had the shard', async () => {
    expect(await commit()).to.deep.equal([]);
    expect(await redis.get(shardKeys.lease(0))).to.equal(TOKEN);
    expect(await redis.hget(shardKeys.head(0), 'n')).to.equal('1');
  });

  it('does not take up the lease of a shard that was given back meanwhile', async () => {
    const committed = commit();
    committer.end();
    expect(await committed).to.be.instanceOf(LeaseLost);
    expect(await redis.get(shardKeys.lease(0))).to.equal(null);
    expect(await redis.hget(shardKeys.head(0), 'n')).to.equal('0');
  });
});
