import { expect } from 'chai';
import { type Lease, takeLease } from '../../../../src/actors/engine/ownership/lease.ts';
import { Renewals } from '../../../../src/actors/engine/ownership/renewals.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type RedisCluster, startRedisCluster } from '../../../support/redisCluster.ts';
import { until } from '../../../support/until.ts';

const log = createLogger({ level: 'silent', role: 'test' });
/** Longer than these tests take. */
const TTL_MS = 600_000;

describe('Renewals on a Redis Cluster', () => {
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

  async function take(shard: number): Promise<Lease> {
    const highest = { epoch: 0, commitNumber: 0, idCounter: 0 };
    const lease = await takeLease({ redis, shard, podId: 'pod', ttlMs: TTL_MS, highest });
    if (typeof lease === 'string') throw new Error(lease);
    return lease;
  }

  it('a lease on a node that does not answer keeps no other waiting', async () => {
    const leases = await Promise.all(Array.from({ length: 8 }, (_, shard) => take(shard)));
    const owners = await Promise.all(leases.map(({ shard }) => cluster.ownerOf(shardKeys.lease(shard))));
    const silent = owners[0] as number;
    const renewed = new Set<number>();
    const holder = {
      shards: leases.map((lease) => ({ lease })),
      onRenewal: ({ shard }: Lease, renewal: string) => {
        expect(renewal).to.equal('held');
        renewed.add(shard);
      },
    };
    const renewals = new Renewals({ redis, log, ttlMs: TTL_MS, everyMs: TTL_MS }, holder);
    const { pid = 0 } = cluster.nodes[silent] ?? {};
    const others = leases.map(({ shard }) => shard).filter((shard) => owners[shard] !== silent);
    process.kill(pid, 'SIGSTOP');
    try {
      renewals.renew();
      await until(() => renewed.size >= others.length);
      expect([...renewed].sort()).to.deep.equal(others);
      // A renewal that is under way is not asked for twice, and other shards are renewed.
      renewed.clear();
      renewals.renew();
      await until(() => renewed.size >= others.length);
      expect([...renewed].sort()).to.deep.equal(others);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until(() => renewed.size === leases.length);
  });
});
