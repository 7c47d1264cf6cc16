import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Redis as Connection } from 'ioredis';
import { createLogger } from '../../../src/shared/logger.ts';
import { type Durability, DurableJournal, SYNC_BEGINS_WITHIN_MS } from '../../../src/shared/redis/durableJournal.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { cutTo, incrementOf } from '../../support/faults/appendOnlyFile.ts';
import { type Replica, startReplica } from '../../support/redisPair.ts';
import { openRedis, type Store, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const log = createLogger({ level: 'silent', role: 'test' });
const SHARD = 3;
const [JOURNAL, HEAD] = [shardKeys.journal(SHARD), shardKeys.head(SHARD)];
/** Older than anything of a test. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;
/** Entries are given at once: Redis syncs before it answers. */
const ALWAYS: Durability = { isAlways: true, delayMs: NEVER_MS };
/** Entries are given when Redis says that the disk has them. */
const EVERYSEC: Durability = { isAlways: false, delayMs: NEVER_MS };

describe('durableJournal: a reader beside the owner of a shard', function () {
  this.timeout(600_000);
  let store: Store;
  let redis: Redis;
  let owner: Connection;

  before(async () => {
    store = await startRedis({ settings: { appendfsync: 'everysec' } });
    redis = connectRedis({ url: store.url, name: 'test', log });
    owner = openRedis(store.url, { maxRetriesPerRequest: null });
  });
  beforeEach(() => owner.flushall());
  after(async () => {
    redis.disconnect();
    owner.disconnect();
    await store.stop();
  });

  /** As the owner's script leaves a commit: an entry of the journal, and the head. */
  const commit = async (...numbers: readonly number[]): Promise<void> => {
    for (const n of numbers) {
      const fields = ['t', '1', 'k', '1', 'i', '1', 'e', textOf(n)];
      await owner
        .multi()
        .xadd(JOURNAL, `${n}-0`, ...fields)
        .hset(HEAD, 'n', n)
        .exec();
    }
  };
  const textOf = (n: number): string => `[{"of":${n}}]`;
  const reader = (durability = ALWAYS, position = 0): DurableJournal =>
    new DurableJournal({ redis, shard: SHARD, durability }, position);
  const numbersOf = async (journal: DurableJournal): Promise<number[]> => {
    const commits = await journal.read();
    for (const { number, text } of commits) expect(text).to.equal(textOf(number));
    return commits.map(({ number }) => number);
  };
  const redisNowMs = async (): Promise<number> => {
    const [seconds = 0, micros = 0] = await owner.time();
    return Number(seconds) * 1000 + Number(micros) / 1000;
  };

  describe('positions', () => {
    it('commits come in order, again until they are done, and once then', async () => {
      const journal = reader();
      await commit(1, 2, 3);
      expect(await numbersOf(journal)).to.deep.equal([1, 2, 3]);
      await commit(4);
      expect(await numbersOf(journal)).to.deep.equal([1, 2, 3, 4]);
      journal.done(4);
      expect(journal.position).to.equal(4);
      expect(await numbersOf(journal)).to.deep.equal([]);
      await commit(5);
      expect(await numbersOf(journal)).to.deep.equal([5]);
    });

    it('a reader goes on where another was done', async () => {
      await commit(1, 2, 3);
      expect(await numbersOf(reader(ALWAYS, 2))).to.deep.equal([3]);
    });

    it('commits without entries leave gaps, and a head beyond the journal', async () => {
      const journal = reader();
      await commit(2, 5);
      await owner.hset(HEAD, 'n', 9);
      expect(await numbersOf(journal)).to.deep.equal([2, 5]);
      journal.done(5);
      await commit(11);
      expect(await numbersOf(journal)).to.deep.equal([11]);
    });

    it('a rewind gives again what the journal still has, at once where it was on the disk', async () => {
      const journal = reader({ isAlways: false, delayMs: 0 });
      await commit(1, 2, 3, 4);
      journal.done((await numbersOf(journal)).at(-1) ?? 0);
      await owner.xtrim(JOURNAL, 'MINID', '2-0');
      journal.rewind(0);
      expect(await numbersOf(journal)).to.deep.equal([2, 3, 4]);
      journal.done(4);
      journal.rewind(3);
      expect(await numbersOf(journal)).to.deep.equal([4]);
    });

    it('a long journal comes in full, whatever a call reads', async () => {
      const journal = reader();
      const long = JSON.stringify('x'.repeat(50_000));
      for (let n = 1; n <= 100; n++) await owner.xadd(JOURNAL, `${n}-0`, 't', '1', 'k', '1', 'i', '1', 'e', long);
      await owner.hset(HEAD, 'n', 100);
      const all: number[] = [];
      for (let commits = await journal.read(); commits.length > 0; commits = await journal.read()) {
        expect(commits.length, 'all at once').to.be.below(100);
        all.push(...commits.map(({ number }) => number));
        journal.done(all.at(-1) ?? 0);
      }
      expect(all).to.deep.equal(Array.from({ length: 100 }, (_, i) => i + 1));
    });
  });

  describe('a journal that is gone', () => {
    it('what was cut behind the reader is not missed', async () => {
      const journal = reader();
      await commit(1, 2);
      journal.done((await numbersOf(journal)).at(-1) ?? 0);
      await owner.del(JOURNAL);
      expect(await numbersOf(journal)).to.deep.equal([]);
      expect(journal.position).to.equal(2);
      await commit(3);
      expect(await numbersOf(journal)).to.deep.equal([3]);
    });

    it('a journal that begins again is read from its beginning', async () => {
      const journal = reader();
      await commit(1, 2, 3);
      journal.done((await numbersOf(journal)).at(-1) ?? 0);
      await owner.del(JOURNAL, HEAD);
      expect(await numbersOf(journal)).to.deep.equal([]);
      expect(journal.position).to.equal(0);
      await commit(1);
      expect(await numbersOf(journal)).to.deep.equal([1]);
    });

    it('a journal that has begun again is as new as any other: nothing of it is on the disk because its numbers were', async () => {
      const durability = { isAlways: false, delayMs: 0 };
      const journal = reader(durability);
      await commit(1, 2, 3);
      journal.done((await numbersOf(journal)).at(-1) ?? 0);
      await owner.del(JOURNAL, HEAD);
      durability.delayMs = NEVER_MS;
      await commit(1, 2);
      expect(await numbersOf(journal), 'before the disk has them').to.deep.equal([]);
      durability.delayMs = 0;
      expect(await numbersOf(journal)).to.deep.equal([1, 2]);
    });
  });

  describe('what Redis has on its disk', () => {
    it('under everysec a commit is given when a sync that takes it along is over, and is in the file', async () => {
      const journal = reader(EVERYSEC);
      const writtenMs = await redisNowMs();
      await commit(1);
      await until(async () => (await numbersOf(journal)).includes(1));
      expect((await redisNowMs()) - writtenMs).to.be.at.least(SYNC_BEGINS_WITHIN_MS);
      expect(readFileSync(incrementOf(store.dir), 'utf8')).to.include(textOf(1));
      // A later one waits for its own sync; the first is given again meanwhile.
      await commit(2);
      expect(await numbersOf(journal)).to.deep.equal([1]);
      await until(async () => (await numbersOf(journal)).includes(2));
    });

    it('a Redis without a file never says so: commits are given when they are as old as the history', async () => {
      const durability = { isAlways: false, delayMs: NEVER_MS };
      await owner.config('SET', 'appendonly', 'no');
      try {
        const journal = reader(durability);
        await commit(1);
        const readMs = await redisNowMs();
        expect(await numbersOf(journal)).to.deep.equal([]);
        await until(async () => (await redisNowMs()) > readMs + SYNC_BEGINS_WITHIN_MS);
        expect(await numbersOf(journal)).to.deep.equal([]);
        durability.delayMs = SYNC_BEGINS_WITHIN_MS;
        expect(await numbersOf(journal)).to.deep.equal([1]);
      } finally {
        await owner.config('SET', 'appendonly', 'yes');
      }
    });

    it('a Redis that dies and has lost a commit that was read: it is not given, and its number belongs to another', async () => {
      const journal = reader(EVERYSEC);
      await commit(1);
      await until(async () => (await numbersOf(journal)).length === 1);
      journal.done(1);
      await commit(2);
      await until(async () => (await numbersOf(journal)).length === 1);
      const file = incrementOf(store.dir);
      const bytes = readFileSync(file).length;
      await owner.xadd(JOURNAL, '3-0', 't', '1', 'k', '1', 'i', '1', 'e', '"lost"');
      await owner.hset(HEAD, 'n', 3);
      expect(
        (await journal.read()).map(({ number }) => number),
        'a commit that is not on the disk',
      ).to.deep.equal([2]);
      await store.kill();
      cutTo(file, bytes);
      store = await startRedis({ dir: store.dir, port: store.port, settings: { appendfsync: 'everysec' } });
      await commit(3);
      expect(await numbersOf(journal), 'in the first call of the new life').to.deep.equal([]);
      await until(async () => (await numbersOf(journal)).join() === '2,3');
    });
  });

  describe('with a replica', () => {
    let replica: Replica;
    before(async () => {
      replica = await startReplica(store);
      await until(async () => (await owner.info('replication')).includes('state=online'));
    });
    after(() => replica.stop());

    it('a commit is given when the replica has it', async () => {
      const journal = reader();
      await commit(1);
      await until(async () => (await numbersOf(journal)).includes(1));
      journal.done(1);
      replica.freeze();
      await commit(2);
      for (let look = 0; look < 5; look++) expect(await numbersOf(journal)).to.deep.equal([]);
      replica.thaw();
      await until(async () => (await numbersOf(journal)).includes(2));
    });
  });
});
