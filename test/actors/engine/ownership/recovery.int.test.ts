import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { type Account, emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { cloidId, orderEndsId, type RowsDocument, readStoredRow } from '../../../../src/actors/core/history/historyDocuments.ts';
import { HistorySession } from '../../../../src/actors/engine/journal/historySession.ts';
import { HistoryWriter } from '../../../../src/actors/engine/journal/historyWriter.ts';
import { readJournalPosition } from '../../../../src/actors/engine/journal/journalPosition.ts';
import { readSnapshots, writeSnapshots } from '../../../../src/actors/engine/journal/snapshots.ts';
import { LeaseTerm } from '../../../../src/actors/engine/ownership/lease.ts';
import { recoverShard } from '../../../../src/actors/engine/ownership/recovery.ts';
import { readHighWaterMarks } from '../../../../src/actors/engine/ownership/takeShard.ts';
import { tradingRules } from '../../../../src/features/rules.ts';
import type { ChunkDocument, StateDocument } from '../../../../src/shared/archive/archiveForm.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { LeaseLost, RetryableError } from '../../../../src/shared/errors.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { collections, connectMongo, type MongoConnection } from '../../../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { plainArchive } from '../../../support/archives.ts';
import { newestFormats } from '../../../support/formats.ts';
import { TestShard } from '../../../support/journals.ts';
import { type Store, startMongo, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const SHARD = 5;
const NOW_MS = 1_800_000_000_000;
/** Longer than any test takes. */
const TTL_MS = 600_000;
const [A = '', B = '', C = ''] = ['a', 'b', 'c'].map((letter) => `0x${letter.repeat(40)}`);

describe('recovery: a shard comes back as its journal says', function () {
  this.timeout(600_000);
  const log = createLogger({ level: 'silent', role: 'test' });
  let redisStore: Store;
  let mongoStore: Store;
  let redis: Redis;
  let mongo: MongoConnection;
  let shard: TestShard;
  let databases = 0;

  before(async () => {
    [redisStore, mongoStore] = await Promise.all([startRedis(), startMongo({ memory: true })]);
    redis = connectRedis({ url: redisStore.url, name: 'test', log });
  });

  beforeEach(async () => {
    await redis.flushall();
    databases += 1;
    mongo = connectMongo({ url: mongoStore.url, database: `${databases}recovery`, timeoutMs: 3000 });
    shard = new TestShard(redis, SHARD);
    await shard.take(1);
  });

  afterEach(() => mongo.close());

  after(async () => {
    redis.disconnect();
    await Promise.all([redisStore.stop(), mongoStore.stop()]);
  });

  /** Writes what is in the journal to MongoDB; accounts that `withSnapshots` names get a snapshot. */
  async function writeHistory(withSnapshots: readonly string[]): Promise<void> {
    const writer = new HistoryWriter({
      archive: plainArchive(),
      ...{
        redis,
        mongo,
        formats: newestFormats,
        shard: SHARD,
        token: shard.token,
        log,
        realNow: () => NOW_MS,
        nextTurn: setImmediate,
        mayWrite: () => undefined,
        onTrimmed: () => undefined,
        onHouse: () => undefined,
        onWritten: () => undefined,
        isHalted: () => false,
        keep: () => Promise.resolve(),
        onEnd: (error) => {
          throw error;
        },
      },
      config: { SHARDS: 16, REDIS_DURABILITY: 'always', HISTORY_DELAY_MS: 0, JOURNAL_LAG_MS: 60_000 },
      snapshotOf: (id) => (withSnapshots.includes(id) ? shard.snapshotOf(id) : undefined),
    });
    writer.start();
    await until(async () => (await readJournalPosition(mongo, SHARD))?.commit === shard.commit);
    await until(async () => {
      const stored = await readSnapshots(mongo, withSnapshots);
      return withSnapshots.every((id) => stored.get(id)?.seq === shard.accounts.get(id)?.seq);
    });
    await writer.stop();
  }

  /** The state of a Redis that has lost the newest commits. */
  async function loseCommitsAfter(commit: number): Promise<void> {
    const kept = await redis.xrange(shardKeys.journal(SHARD), '-', `${commit}-0`);
    await redis.del(shardKeys.journal(SHARD));
    for (const [id, fields] of kept) await redis.xadd(shardKeys.journal(SHARD), id, ...fields);
    await redis.hset(shardKeys.head(SHARD), { n: commit });
  }

  const parts = () => ({
    ...{ redis, mongo, formats: newestFormats, rules: tradingRules, shard: SHARD, log, token: shard.token, isProven: false },
    ...{ term: new LeaseTerm(TTL_MS, performance.now()), formerWritesEnd: () => Promise.resolve() },
  });
  const recover = () => recoverShard(parts());
  const hashOf = (account: Account | undefined): string => (account ? toSnapshot(account, NEWEST_FORMAT) : 'absent');

  it('snapshot and tail give the state that was live', async () => {
    for (let i = 0; i < 10; i++) await shard.write(NOW_MS, [A, B], shard.trade);
    await writeHistory([A]);
    for (let i = 0; i < 10; i++) await shard.write(NOW_MS, [A, C], shard.trade);
    await redis.sadd(shardKeys.live(SHARD), '0xidle');
    const recovered = await recover();
    expect(recovered.commitNumber).to.equal(20);
    expect([...recovered.liveAccounts]).to.have.members([A, B, C, '0xidle']);
    const accounts = await recovered.load([A, B, C, '0xnew']);
    for (const id of [A, B, C]) expect(hashOf(accounts.get(id))).to.equal(hashOf(shard.accounts.get(id)));
    expect(accounts.get('0xnew')).to.deep.equal(emptyAccount('0xnew'));
    expect(recovered.tailOf(A)).to.have.length(20);
    const [first] = recovered.tailOf(A);
    expect(first?.entry).to.deep.equal(shard.entries[0]?.entry);
    expect(first?.entry, 'held as text').to.not.equal(first?.entry);
    recovered.forget(15);
    expect(recovered.tailOf(A)).to.have.length(5);
    expect(recovered.tailOf(B)).to.have.length(0);
    expect(recovered.lost).to.equal(undefined);
  });

  it('only the owner recovers', async () => {
    await shard.write(NOW_MS, [A], shard.trade);
    const stale = shard.token;
    await shard.take(2);
    const error = await recoverShard({ ...parts(), token: stale }).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(LeaseLost);
  });

  it('an account that cannot be folded is named and the others live', async () => {
    await shard.write(NOW_MS, [A, B], shard.trade);
    await writeSnapshots(mongo, { shard: SHARD, format: NEWEST_FORMAT }, [{ accountId: A, seq: 1, commit: 1, text: '{"v":0}' }]);
    const recovered = await recover();
    const accounts = await recovered.load([A, B]);
    expect([...accounts.keys()]).to.deep.equal([B]);
    expect(recovered.broken.get(A)).to.match(/snapshot names no format/);
  });

  it('the floor is the highest number that journal, head or MongoDB remember, epochs of a take without a commit too', async () => {
    await shard.write(NOW_MS, [A], shard.trade);
    await shard.take(7);
    await recover();
    const head = await redis.hgetall(shardKeys.head(SHARD));
    await redis.del(shardKeys.head(SHARD));
    expect(await readHighWaterMarks({ redis, mongo, shard: SHARD })).to.include({ epoch: 7, commitNumber: 1 });
    await redis.hset(shardKeys.head(SHARD), head);
    await writeHistory([A]);
    await redis.flushall();
    const floor = await readHighWaterMarks({ redis, mongo, shard: SHARD });
    expect(floor).to.include({ epoch: 7, commitNumber: 1 });
    expect(floor.idCounter).to.be.above(2);
  });

  it('a commit without entries that the archive counts, and Redis has lost, lends its number to no other: the archive would pass over it', async () => {
    await shard.write(NOW_MS, [A], shard.trade);
    await redis.hset(shardKeys.head(SHARD), { n: 4 }); // three commits without entries
    await writeHistory([A]);
    await until(async () => (await readJournalPosition(mongo, SHARD))?.archived === 4);
    await redis.hset(shardKeys.head(SHARD), { n: 1 });
    const { commitNumber } = await readHighWaterMarks({ redis, mongo, shard: SHARD });
    await shard.take(2, commitNumber);
    const recovered = await recover();
    expect([commitNumber, recovered.commitNumber, recovered.lost]).to.deep.equal([4, 4, undefined]);
    await shard.write(NOW_MS, [A], shard.trade);
    await writeHistory([A]);
    const archive = mongo.db.collection<ChunkDocument>(collections.archive);
    await until(async () => (await readJournalPosition(mongo, SHARD))?.archived === 5);
    expect(await archive.findOne({ account: A })).to.include({ lastSeq: 2, commit: 5 });
  });

  describe('when Redis has lost commits that MongoDB has seen', () => {
    let before: Map<string, string>;

    beforeEach(async () => {
      for (let i = 0; i < 10; i++) await shard.write(NOW_MS, [A, B], shard.trade);
      before = new Map([...shard.accounts].map(([id, account]) => [id, toSnapshot(account, NEWEST_FORMAT)]));
      for (let i = 0; i < 5; i++) await shard.write(NOW_MS, [A, B, C], i === 4 ? shard.rest : shard.trade);
      await writeHistory([A]);
      await loseCommitsAfter(10);
      const { commitNumber } = await readHighWaterMarks({ redis, mongo, shard: SHARD });
      await shard.take(2, commitNumber);
    });

    const rowsIn = async (collection: string, account: string): Promise<ReturnType<typeof readStoredRow>[]> => {
      const documents = await mongo.db.collection<RowsDocument>(collection).find({ account }).toArray();
      return documents.flatMap(({ _id, rows }) =>
        rows.map((text) => readStoredRow(text, _id.includes(':fills:') ? 'fills' : 'orders')),
      );
    };

    it('an account with a snapshot beyond goes on from it, the others from the journal', async () => {
      const recovered = await recover();
      const accounts = await recovered.load([A, B, C]);
      expect(hashOf(accounts.get(A))).to.equal(hashOf(shard.accounts.get(A)));
      const b = accounts.get(B);
      expect(b?.seq).to.equal(15);
      expect(b && toSnapshot({ ...b, seq: 10 }, NEWEST_FORMAT)).to.equal(before.get(B));
      expect(accounts.get(C)).to.deep.include({ seq: 5, openedAtMs: 0 });
      expect(recovered.commitNumber).to.equal(15);
      expect(recovered.lost).to.deep.equal({ commits: 5, accounts: 3, rows: 4 + 5 + 1 + 4 + 5 });
      expect([...recovered.liveAccounts]).to.include(A);
      expect(await redis.smembers(shardKeys.live(SHARD))).to.have.members([A, B]);
    });

    it('rows beyond both are removed from every collection', async () => {
      const lostOrders = shard.rows(B, 'orders').slice(10);
      await recover();
      expect(await rowsIn(collections.history, A)).to.have.length(1 + 14 + 15);
      expect(await rowsIn(collections.history, B)).to.have.length(1 + 10 + 10);
      expect(await rowsIn(collections.history, C)).to.have.length(0);
      expect(await rowsIn(collections.orderEnds, B)).to.have.length(10);
      const [lost] = lostOrders;
      if (lost?.kind !== 'orders') throw new Error('an order was lost');
      const { oid, cloid = '' } = lost.row.order;
      const ends = await mongo.db.collection<RowsDocument>(collections.orderEnds).findOne({ _id: orderEndsId(B, oid) });
      expect(ends?.rows.some((text) => text.includes(cloid))).to.not.equal(true);
      expect(await mongo.db.collection<{ _id: string }>(collections.cloids).findOne({ _id: cloidId(B, cloid) })).to.equal(null);
    });

    it('repeating it, and dying in the middle of it, changes nothing more', async () => {
      const snapshot = (await readSnapshots(mongo, [B])).get(B);
      await recover();
      const first = await Promise.all([A, B, C].map((id) => rowsIn(collections.history, id)));
      const states = [...(await readSnapshots(mongo, [A, B, C])).values()];
      expect((await recover()).lost).to.equal(undefined);
      await loseCommitsAfter(10);
      expect(snapshot).to.equal(undefined);
      expect((await recover()).lost).to.include({ rows: 0 });
      expect(await Promise.all([A, B, C].map((id) => rowsIn(collections.history, id)))).to.deep.equal(first);
      expect([...(await readSnapshots(mongo, [A, B, C])).values()]).to.deep.equal(states);
    });

    it('the accounts trade on, and MongoDB follows without a gap', async () => {
      const recovered = await recover();
      const accounts = await recovered.load([A, B, C]);
      for (const [id, account] of accounts) shard.accounts.set(id, account);
      const entriesBefore = shard.entries.length;
      for (let i = 0; i < 5; i++) await shard.write(NOW_MS, [A, B, C], shard.trade);
      await writeHistory([A, B, C]);
      const later = await (await recover()).load([A, B, C]);
      for (const id of [A, B, C]) {
        expect(hashOf(later.get(id))).to.equal(hashOf(shard.accounts.get(id)));
        const rows = await rowsIn(collections.history, id);
        const fills = rows.filter(({ kind }) => kind === 'fills').map(({ number }) => number);
        expect(fills.sort((a, b) => a - b)).to.deep.equal([...Array(shard.accounts.get(id)?.rowCounts.fills).keys()]);
      }
      expect(shard.entries.slice(entriesBefore)[0]?.commit).to.equal(16);
    });

    describe('while a round of the owner before is on its way', () => {
      /** As it is with the leverage that is lost. */
      let lostB: Account;
      let goOn: () => void;
      let ended: Promise<unknown>;

      /**
       * An owner goes on, and has written all when B sets a leverage: an entry without rows, which is not archived at once. Redis has let
       * the owner keep the account's snapshot, and loses both. Another owner takes the shard.
       */
      async function loseDuringRound(mayWrite: () => void): Promise<void> {
        for (const [id, account] of await (await recover()).load([A, B, C])) shard.accounts.set(id, account);
        let nowMs = NOW_MS;
        let [isLast, onKeep] = [false, (): void => undefined];
        const keeps = new Promise<void>((resolve) => {
          onKeep = resolve;
        });
        const gate = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        const session = await HistorySession.begin({
          ...{ redis, mongo, formats: newestFormats, shard: SHARD, token: shard.token, log, archive: plainArchive(), mayWrite },
          ...{ config: { JOURNAL_LAG_MS: 120_000 }, delayMs: 0, realNow: () => nowMs, nextTurn: setImmediate },
          ...{ isHalted: () => false, snapshotOf: (id) => shard.snapshotOf(id) },
          keep: async () => {
            if (!isLast) return;
            onKeep();
            await gate;
          },
          ...{ onTrimmed: () => undefined, onArchive: () => undefined, onHouse: () => undefined },
          ...{ onWaiting: () => undefined, onWritten: () => undefined },
        });
        await shard.write(nowMs, [B], shard.trade);
        for (let i = 0; i < 3; i++) await session.round();
        const { commit } = shard;
        nowMs += 15_000; // a snapshot is due, the archive is not
        isLast = true;
        await shard.write(nowMs, [B], () => [{ type: 'leverageSet', asset: 0, marginMode: 'cross', leverage: 7 }]);
        lostB = shard.accounts.get(B) as Account;
        const rounds = async (): Promise<void> => {
          for (;;) await session.round();
        };
        ended = rounds().catch((error: unknown) => error);
        await keeps;
        await loseCommitsAfter(commit);
        await shard.take(3, commit + 1);
      }

      it('the repair waits for it, and settles what it has written', async () => {
        await loseDuringRound(() => undefined);
        const formerWritesEnd = async (): Promise<void> => {
          for (let i = 0; i < 50; i++) await mongo.db.command({ ping: 1 }); // a repair that does not wait is over by then
          goOn();
          expect(await ended).to.be.instanceOf(RetryableError); // the position is another's
        };
        const recovered = await recoverShard({ ...parts(), formerWritesEnd });
        expect(recovered.lost).to.include({ commits: 1, accounts: 1 });
        const states = mongo.db.collection<StateDocument>(collections.archiveStates);
        expect(await states.findOne({ account: B, reason: 'redisLost', seq: lostB.seq })).to.not.equal(null);
        expect(hashOf((await recovered.load([B])).get(B))).to.equal(hashOf(lostB));
      });

      it('nothing of it is written once its lease may have ended', async () => {
        let term = new LeaseTerm(TTL_MS, performance.now());
        await loseDuringRound(() => term.requireRunning());
        const recovered = await recover();
        expect(recovered.lost).to.include({ commits: 1, accounts: 0 });
        const before = hashOf((await recovered.load([B])).get(B));
        term = new LeaseTerm(TTL_MS, performance.now() - TTL_MS);
        goOn();
        expect(await ended)
          .to.be.instanceOf(RetryableError)
          .and.to.have.property('message')
          .that.includes('lease');
        const after = (await recovered.load([B])).get(B);
        expect(hashOf(after)).to.equal(before);
        expect(after?.seq).to.equal(lostB.seq - 1);
      });
    });

    it('a Redis that has lost everything goes on from the snapshots', async () => {
      await redis.flushall();
      const floor = await readHighWaterMarks({ redis, mongo, shard: SHARD });
      await shard.take(floor.epoch + 1, floor.commitNumber);
      const recovered = await recover();
      const accounts = await recovered.load([A, B]);
      expect(hashOf(accounts.get(A))).to.equal(hashOf(shard.accounts.get(A)));
      expect(accounts.get(B)?.rowCounts.fills).to.equal(0);
      expect([...recovered.liveAccounts]).to.deep.equal([A]);
    });
  });
});
