// Snapshots in Redis are never older than the place where the journal was cut, and a shard counts as proven only while that is
// certain.
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { AccountKeeper } from '../../../../src/actors/engine/memory/accountKeeper.ts';
import { Residents } from '../../../../src/actors/engine/memory/residents.ts';
import { releaseLease, takeLease } from '../../../../src/actors/engine/ownership/lease.ts';
import {
  RedisSnapshots,
  readRedisSnapshot,
  SNAPSHOTS_BYTES_MAX,
  writeRedisSnapshot,
} from '../../../../src/actors/engine/ownership/redisSnapshots.ts';
import { NEWEST_FORMAT, NewerFormat } from '../../../../src/shared/domain/formats.ts';
import { LeaseLost, RedisLost } from '../../../../src/shared/errors.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { newestFormats } from '../../../support/formats.ts';
import { TestShard } from '../../../support/journals.ts';
import { type Store, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const SHARD = 3;
const NOW_MS = 1_800_000_000_000;
const [A = '', B = ''] = ['a', 'b'].map((letter) => `0x${letter.repeat(40)}`);

describe('kept snapshots', function () {
  this.timeout(600_000);
  const log = createLogger({ level: 'silent', role: 'test' });
  let store: Store;
  let redis: Redis;
  let shard: TestShard;
  let kept: RedisSnapshots;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log });
  });
  beforeEach(async () => {
    await redis.flushall();
    shard = new TestShard(redis, SHARD);
    await takeOver(1);
  });
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  const takeOver = async (epoch: number): Promise<void> => {
    await shard.take(epoch);
    kept = new RedisSnapshots({ redis, shard: SHARD, token: shard.token });
  };
  const snapshot = async (accountId: string, seq: number, text = `of ${seq}`) => ({
    ...{ accountId, seq, value: await writeRedisSnapshot({ seq, text }, NEWEST_FORMAT) },
  });
  const textOf = async (accountId: string): Promise<string | undefined> => {
    const value = (await kept.read([accountId])).get(accountId);
    return value && (await readRedisSnapshot(value));
  };
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => error,
    );

  describe('in Redis', () => {
    it('a later one takes the place of an earlier one, never the other way round', async () => {
      await kept.keep(0, [], [await snapshot(A, 7), await snapshot(B, 1)]);
      await kept.keep(0, [], [await snapshot(A, 6)]);
      expect(await textOf(A)).to.equal('of 7');
      await kept.keep(0, [], [await snapshot(A, 8)]);
      expect(await textOf(A)).to.equal('of 8');
      expect(await kept.accounts()).to.have.members([A, B]);
      await kept.keep(0, [A], []);
      await kept.remove(B);
      expect(await redis.exists(shardKeys.kept(SHARD))).to.equal(0);
    });

    it('one that finds no room takes the earlier one with it: the journal may be cut behind it', async () => {
      await kept.keep(0, [], [await snapshot(A, 1), await snapshot(B, 1)]);
      await redis.hincrby(shardKeys.kept(SHARD), '_bytes', SNAPSHOTS_BYTES_MAX);
      expect(await kept.keep(0, [], [await snapshot(A, 2)])).to.deep.equal([A]);
      expect(await textOf(A)).to.equal(undefined);
      expect(await textOf(B)).to.equal('of 1');
    });

    it('only the owner keeps, and only when Redis has all that it was answered', async () => {
      await shard.write(NOW_MS, [A], shard.trade);
      const former = kept;
      await takeOver(2);
      expect(await errorOf(former.keep(1, [], [])))
        .to.be.instanceOf(LeaseLost)
        .and.not.instanceOf(RedisLost);
      expect(await errorOf(kept.keep(2, [], []))).to.be.instanceOf(RedisLost);
      expect(await kept.keep(1, [], [])).to.deep.equal([]);
    });

    it('one of a newer build is not read', async () => {
      const value = await writeRedisSnapshot({ seq: 1, text: '{}' }, NEWEST_FORMAT);
      const newer = Buffer.concat([Buffer.from(`${NEWEST_FORMAT + 1}`), value.subarray(1)]);
      expect(await errorOf(readRedisSnapshot(newer))).to.be.instanceOf(NewerFormat);
    });
  });

  describe('prove the shard to its next owner', () => {
    const take = (onlyProven = true, epoch = 1) =>
      takeLease({
        ...{ redis, shard: SHARD, podId: 'next', ttlMs: 60_000, onlyProven },
        highest: { epoch, commitNumber: 0, idCounter: 0 },
      });
    const dies = () => redis.del(shardKeys.lease(SHARD));
    /** The owner has kept A, says that Redis has everything, and dies. */
    beforeEach(async () => {
      await kept.keep(0, [], [await snapshot(A, 1)]);
      await dies();
    });

    it('when the last owner says so, and on to the one after it', async () => {
      expect(await take()).to.include({ isProven: true, epoch: 2 });
      await dies();
      expect(await take(true, 2)).to.include({ isProven: true, epoch: 3 });
      expect(await textOf(A)).to.equal('of 1');
    });

    for (const { name, happens, epoch = 1 } of [
      {
        name: 'a build that keeps nothing has had the shard since',
        happens: () => redis.hset(shardKeys.head(SHARD), 'epoch', 2),
        epoch: 2,
      },
      { name: 'nobody has ever said so', happens: () => redis.hdel(shardKeys.head(SHARD), 'kept') },
      { name: 'Redis has lost everything', happens: () => redis.flushall() },
      {
        name: 'Redis has been started anew',
        happens: async () => {
          await store.kill();
          store = await startRedis({ dir: store.dir, port: store.port });
          await until(() =>
            redis.ping().then(
              () => true,
              () => false,
            ),
          );
        },
      },
    ]) {
      it(`not when ${name}; then they are removed`, async () => {
        await happens();
        expect(await take(true, epoch)).to.equal('unproven');
        expect(await take(false, epoch)).to.include({ isProven: false });
        expect(await kept.accounts()).to.deep.equal([]);
        await dies();
        expect(await take(true, epoch + 1), 'nor to the one after it').to.equal('unproven');
      });
    }

    it('not when the last owner has met a loss', async () => {
      const lease = await take();
      if (typeof lease === 'string') throw new Error(lease);
      await releaseLease(redis, lease, { hasLost: true });
      expect(await take(true, 2)).to.equal('unproven');
    });
  });

  it('are kept of every account in memory, and removed of those that have left it', async () => {
    for (let i = 0; i < 3; i++) await shard.write(NOW_MS, [A, B], shard.trade);
    const residents = new Residents({ live: new Set(), committed: shard.commit, formats: newestFormats });
    for (const account of shard.accounts.values()) residents.admit(account, [], 0);
    const fail = (error: Error) => {
      throw error;
    };
    const keeper = new AccountKeeper({
      kept,
      residents,
      formats: newestFormats,
      shard: SHARD,
      share: 0,
      log,
      nextTurn: setImmediate,
      onEnd: fail,
    });
    keeper.start();
    const state = (account: string) => toSnapshot(shard.accounts.get(account) as never, NEWEST_FORMAT);
    await until(async () => (await textOf(B)) !== undefined);
    expect([await textOf(A), await textOf(B)]).to.deep.equal([state(A), state(B)]);
    expect(keeper.isProven).to.equal(true);
    residents.drop(A);
    await until(async () => (await textOf(A)) === undefined);
    keeper.stop();

    // B was halted and came back further on: a snapshot of before it is not what it goes on from.
    residents.drop(B);
    const [b] = [...shard.accounts.values()].slice(1);
    if (b) residents.admit({ ...b, seq: 9 }, [], 0);
    await keeper.keep([{ accountId: B, seq: 4, text: 'of 4', commit: 3 }]);
    expect(await textOf(B)).to.equal(undefined);
  });
});
