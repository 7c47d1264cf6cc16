import { expect } from 'chai';
import { type Lease, LeaseTerm, takeLease } from '../../../../src/actors/engine/ownership/lease.ts';
import { renewLeases } from '../../../../src/actors/engine/ownership/renewals.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../../support/stores.ts';

/** Longer than these tests take. */
const TTL_MS = 600_000;

describe('renewLeases: all shards of a pod in one call, each for itself', () => {
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
  beforeEach(() => redis.flushall());

  async function take(shard: number): Promise<Lease> {
    const highest = { epoch: 0, commitNumber: 0, idCounter: 0 };
    const lease = await takeLease({ redis, shard, podId: 'pod', ttlMs: TTL_MS, highest });
    if (typeof lease === 'string') throw new Error(lease);
    return lease;
  }
  const ownerOf = (shard: number) => redis.get(shardKeys.lease(shard));
  /** As a pod sees it that Redis did not answer for longer than its lease. */
  const ended = (lease: Lease): Lease => ({ ...lease, term: new LeaseTerm(TTL_MS, performance.now() - 2 * TTL_MS) });

  it('one that is held lives longer, one that ran out is taken up again, another owner’s is left alone', async () => {
    const [held, free, taken, passed] = [await take(0), ended(await take(1)), ended(await take(2)), ended(await take(3))];
    await redis.pexpire(shardKeys.lease(0), TTL_MS / 2);
    await redis.del(shardKeys.lease(1));
    await redis.set(shardKeys.lease(2), 'another');
    await redis.del(shardKeys.lease(3));
    await redis.hset(shardKeys.head(3), 'epoch', passed.epoch + 1);

    const renewals = await renewLeases(redis, [held, free, taken, passed], TTL_MS);
    expect(renewals).to.deep.equal(['held', 'regained', 'lost', 'lost']);
    expect([await ownerOf(0), await ownerOf(1), await ownerOf(2), await ownerOf(3)]).to.deep.equal([
      held.token,
      free.token,
      'another',
      null,
    ]);
    expect(await redis.pttl(shardKeys.lease(0))).to.be.greaterThan(TTL_MS / 2);
    expect([held, free, taken, passed].map(({ term }) => term.isRunning)).to.deep.equal([true, true, false, false]);
  });

  it('of two takes of one epoch, the first of which Redis has lost, the second one counts, also when its lease runs out', async () => {
    const first = ended(await take(0));
    await redis.flushall();
    const second = ended(await take(0));
    expect(second.epoch).to.equal(first.epoch);
    await redis.del(shardKeys.lease(0));
    expect(await renewLeases(redis, [first], TTL_MS)).to.deep.equal(['lost']);
    expect(await renewLeases(redis, [second], TTL_MS)).to.deep.equal(['regained']);
  });

  it('they are one call, and none where there is no shard', async () => {
    const leases = [await take(0), await take(1), await take(2)];
    await renewLeases(redis, leases, TTL_MS);
    await redis.config('RESETSTAT');
    await renewLeases(redis, leases, TTL_MS);
    await renewLeases(redis, [], TTL_MS);
    expect(/^cmdstat_evalsha:calls=(\d+)/m.exec(await redis.info('commandstats'))?.[1]).to.equal('1');
  });
});
