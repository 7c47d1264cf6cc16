import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { cloidId, orderEndsId, type RowsDocument, readStoredRow } from '../../../../src/actors/core/history/historyDocuments.ts';
import { writeEntry } from '../../../../src/actors/core/messages/entry.ts';
import type { AccountEvent } from '../../../../src/actors/core/messages/event.ts';
import { bucketId, type NumberedRow } from '../../../../src/actors/core/messages/historyRows.ts';
import { HistoryWriter, type HistoryWriterParts } from '../../../../src/actors/engine/journal/historyWriter.ts';
import { Journal } from '../../../../src/actors/engine/journal/journal.ts';
import { readJournalPosition } from '../../../../src/actors/engine/journal/journalPosition.ts';
import { readSetAsideIndex } from '../../../../src/actors/engine/journal/setAside.ts';
import { readSnapshots } from '../../../../src/actors/engine/journal/snapshots.ts';
import type { ChunkDocument } from '../../../../src/shared/archive/archiveForm.ts';
import { ArchiveReader, readChunk } from '../../../../src/shared/archive/archiveReader.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { LeaseLost, RetryableError } from '../../../../src/shared/errors.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { collections, connectMongo, type MongoConnection } from '../../../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { plainArchive } from '../../../support/archives.ts';
import { newestFormats } from '../../../support/formats.ts';
import { expectRows, TestShard } from '../../../support/journals.ts';
import { type Store, startMongo, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const SHARD = 3;
const NOW_MS = 1_800_000_000_000;
const accountIds = (count: number): string[] => Array.from({ length: count }, (_, i) => `0x${String(i).padStart(40, '0')}`);

describe('HistoryWriter: the journal in MongoDB, once each, whatever happens', function () {
  this.timeout(600_000);
  const log = createLogger({ level: 'silent', role: 'test' });
  let redisStore: Store;
  let mongoStore: Store;
  let redis: Redis;
  let mongo: MongoConnection;
  let shard: TestShard;
  let nowMs = NOW_MS;
  let trimmedTo = 0;
  const writers: HistoryWriter[] = [];

  before(async () => {
    [redisStore, mongoStore] = await Promise.all([startRedis(), startMongo()]);
    redis = connectRedis({ url: redisStore.url, name: 'test', log });
  });

  beforeEach(async () => {
    await redis.flushall();
    mongo = connectMongo({ url: mongoStore.url, database: `t${Date.now()}${Math.round(Math.random() * 1e6)}`, timeoutMs: 3000 });
    shard = new TestShard(redis, SHARD);
    await shard.take(1);
    nowMs = NOW_MS;
    trimmedTo = 0;
  });

  afterEach(async () => {
    await Promise.all(writers.splice(0).map((writer) => writer.stop()));
    await mongo.close();
  });

  after(async () => {
    redis.disconnect();
    await Promise.all([redisStore.stop(), mongoStore.stop()]);
  });

  function startWriter(fields: Partial<HistoryWriterParts> = {}): HistoryWriter {
    const writer = new HistoryWriter({
      archive: plainArchive(),
      ...{ redis, mongo, formats: newestFormats, shard: SHARD, token: shard.token, log },
      ...{ realNow: () => nowMs, nextTurn: setImmediate, mayWrite: () => undefined, snapshotOf: shard.snapshotOf },
      config: { SHARDS: 16, REDIS_DURABILITY: 'always', HISTORY_DELAY_MS: 10_000, JOURNAL_LAG_MS: 60_000 },
      onHouse: () => undefined,
      onWritten: () => undefined,
      isHalted: () => false,
      keep: () => Promise.resolve(),
      onEnd: (error) => {
        throw error;
      },
      onTrimmed: (commit) => {
        trimmedTo = commit;
      },
      ...fields,
    });
    writers.push(writer);
    writer.start();
    return writer;
  }

  const positionReaches = (commit: number): Promise<void> =>
    until(async () => (await readJournalPosition(mongo, SHARD))?.commit === commit);

  async function storedRows(accountId: string, kind: NumberedRow['kind']): Promise<NumberedRow[]> {
    const documents = await mongo.db
      .collection<RowsDocument>(collections.history)
      .find({ account: accountId })
      .sort({ _id: 1 })
      .toArray();
    return documents
      .filter(({ _id }) => _id.startsWith(`${accountId}:${kind}:`))
      .flatMap(({ rows }) => rows.map((text) => readStoredRow(text, kind)));
  }

  async function expectAllOnce(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      for (const kind of ['fills', 'orders', 'ledger'] as const)
        expectRows(await storedRows(id, kind), shard.rows(id, kind), `${kind} of ${id}`);
    }
  }

  /** The archive has each entry in the journal's form and order. */
  async function expectArchivedOnce(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const texts: string[] = [];
      for await (const { text } of new ArchiveReader(mongo, id).entries(0, 1e9)) texts.push(text);
      const journaled = shard.entries
        .filter(({ entry }) => entry.accountId === id)
        .map(({ entry }) => writeEntry(entry, NEWEST_FORMAT));
      expectRows(texts, journaled, `archive of ${id}`);
      const chunks = await mongo.db.collection<ChunkDocument>(collections.archive).find({ account: id }).toArray();
      const archived = await Promise.all(chunks.map(readChunk));
      expect(archived.flat().length, `entries in chunks of ${id}`).to.equal(journaled.length);
    }
  }

  it('thousands of entries become rows in numbered buckets, order ends and cloids', async () => {
    const ids = accountIds(3);
    for (let i = 0; i < 600; i++) await shard.write(NOW_MS - 1000 + i, i % 2 ? ids : ids.slice(0, 1), shard.trade);
    let turns = 0;
    const nextTurn = (): Promise<void> => {
      turns += 1;
      return setImmediate();
    };
    const writer = startWriter({ nextTurn });
    await positionReaches(600);
    await expectAllOnce(ids);
    // 40 rows are half a millisecond's work: the accounts have their turn after them.
    const rows = ids.flatMap((id) => (['fills', 'orders'] as const).flatMap((kind) => shard.rows(id, kind)));
    expect(turns).to.be.at.least(rows.length / 40);
    expect(writer.status).to.deep.include({ mongoDown: false, lagMs: 0, written: 600 + 600 });
    const [account = ''] = ids;
    const third = await mongo.db.collection<RowsDocument>(collections.history).findOne({ _id: bucketId(account, 'fills', 512) });
    expect(third?.rows).to.have.length(600 - 512);
    const fill = shard.rows(account, 'fills')[300];
    if (fill?.kind !== 'fills') throw new Error('a fill was written');
    const ends = await mongo.db
      .collection<RowsDocument>(collections.orderEnds)
      .findOne({ _id: orderEndsId(account, fill.row.oid) });
    expect(ends?.rows.map((text) => readStoredRow(text, 'orders').row.order.oid)).to.include(fill.row.oid);
    const cloid = await mongo.db
      .collection<{ _id: string }>(collections.cloids)
      .findOne({ _id: cloidId(account, fill.row.cloid ?? '') });
    expect(cloid).to.include({ oid: fill.row.oid });
  });

  it('an entry younger than the delay waits, and with everysec only then is written', async () => {
    const [id = ''] = accountIds(1);
    await shard.write(NOW_MS - 20_000, [id], shard.trade);
    await shard.write(NOW_MS - 1000, [id], shard.trade);
    const writer = startWriter({
      config: { SHARDS: 16, REDIS_DURABILITY: 'everysec', HISTORY_DELAY_MS: 5000, JOURNAL_LAG_MS: 60_000 },
    });
    await positionReaches(1);
    await until(() => writer.status.lagMs === 1000);
    expect(await storedRows(id, 'fills')).to.have.length(1);
    nowMs += 4000;
    await positionReaches(2);
    await expectAllOnce([id]);
  });

  it('commits from the first too young one on stay in the journal, however many lie before it', async () => {
    const [id = ''] = accountIds(1);
    for (let i = 0; i < 20; i++) await shard.write(NOW_MS + i, [id], shard.trade);
    const journal = new Journal({ redis, shard: SHARD, token: shard.token });
    for (const [notAfter, count, read, young] of [
      [19, 512, 20, undefined],
      [16, 512, 17, 18],
      [15, 16, 16, undefined],
      [7, 512, 8, 9],
      [4, 512, 5, 6],
      [-1, 512, 0, 1],
    ] as const) {
      const page = await journal.read(1, count, NOW_MS + notAfter);
      expect(page.commits.map(({ number }) => number)).to.deep.equal(Array.from({ length: read }, (_, i) => i + 1));
      expect(page.young).to.deep.equal(young && { number: young, timeMs: NOW_MS + young - 1 });
      expect(page.reachesEnd).to.equal(read === 20);
    }
  });

  it('snapshots follow the rows, and the journal is cut behind them with its lag', async () => {
    const ids = accountIds(5);
    for (let i = 0; i < 20; i++) await shard.write(NOW_MS - 10 + i / 2, ids, shard.trade);
    startWriter();
    await positionReaches(20);
    await until(async () => (await readSnapshots(mongo, ids)).size === ids.length);
    for (const [id, { text, seq }] of await readSnapshots(mongo, ids)) {
      expect(seq).to.equal(20);
      expect(text).to.equal(toSnapshot(shard.accounts.get(id) ?? expect.fail(), NEWEST_FORMAT));
    }
    expect(trimmedTo).to.equal(0);
    const storedAtMs = nowMs;
    await until(() => {
      nowMs += 5000;
      return trimmedTo === 20;
    });
    expect(nowMs).to.be.above(storedAtMs + 59_000);
    expect(await redis.xlen(shardKeys.journal(SHARD))).to.equal(0);
  });

  it('the journal is not cut past an account without a snapshot', async () => {
    const [held = '', other = ''] = accountIds(2);
    for (let i = 0; i < 5; i++) await shard.write(NOW_MS, [other], shard.trade);
    await shard.write(NOW_MS, [held], shard.trade);
    let isHeld = true;
    startWriter({
      config: { SHARDS: 16, REDIS_DURABILITY: 'always', HISTORY_DELAY_MS: 0, JOURNAL_LAG_MS: 0 },
      snapshotOf: (id) => (id === held && isHeld ? undefined : shard.snapshotOf(id)),
    });
    await positionReaches(6);
    for (let i = 0; i < 5; i++) await shard.write(NOW_MS, [other], shard.trade);
    await positionReaches(11);
    await until(async () => (await readSnapshots(mongo, [other])).get(other)?.seq === 10);
    expect(trimmedTo).to.be.below(6);
    isHeld = false;
    await until(() => trimmedTo === 11);
  });

  it('MongoDB gets no snapshot, and the journal is not cut, before Redis has kept as much', async () => {
    const [id = ''] = accountIds(1);
    for (let i = 0; i < 5; i++) await shard.write(NOW_MS, [id], shard.trade);
    let isFull = true;
    const refused: number[] = [];
    startWriter({
      config: { SHARDS: 16, REDIS_DURABILITY: 'always', HISTORY_DELAY_MS: 0, JOURNAL_LAG_MS: 0 },
      keep: async (snapshots) => {
        if (!isFull) return;
        refused.push(...snapshots.map(({ seq }) => seq));
        throw new RetryableError('Redis takes nothing.');
      },
    });
    await until(() => refused.length > 2 || trimmedTo > 0);
    expect(refused[0]).to.equal(5);
    expect((await readSnapshots(mongo, [id])).size).to.equal(0);
    expect(trimmedTo).to.equal(0);
    isFull = false;
    await until(() => trimmedTo === 5);
    expect((await readSnapshots(mongo, [id])).get(id)?.seq).to.equal(5);
  });

  it('an account that begins anew: its former rows leave MongoDB once its new state is there, also after a failure', async () => {
    const [id = '', other = ''] = accountIds(2);
    for (let i = 0; i < 300; i++) await shard.write(NOW_MS, [id, other], shard.trade);
    let isHeld = true;
    startWriter({ snapshotOf: (accountId) => (isHeld ? undefined : shard.snapshotOf(accountId)) });
    const cloids = mongo.db.collection<{ _id: string }>(collections.cloids);
    await positionReaches(300);
    const firstRows = { fills: 512, orders: 512, ledger: 256, funding: 0, twapFills: 0, twaps: 0, equity: 0, roundTrips: 0 };
    const reset: AccountEvent = { type: 'accountReset', balanceUsd: '10000', withdrawnUsd: '1', firstRows };
    await shard.write(NOW_MS, [id], () => [reset]);
    await shard.write(NOW_MS, [id], shard.trade);
    await positionReaches(302);
    expect(await storedRows(id, 'fills')).to.have.length(301);
    isHeld = false;
    nowMs += 60_000;
    await until(async () => (await storedRows(id, 'fills')).length === 1);
    await until(async () => (await cloids.countDocuments({ _id: { $regex: `^${id}` } })) === 1);
    for (const kind of ['fills', 'orders', 'ledger'] as const) {
      const kept = shard.rows(id, kind).filter(({ number }) => number >= firstRows[kind]);
      expect(await storedRows(id, kind), kind).to.deep.equal(kept);
    }
    // A MongoDB may forget the removal. The next owner then removes the remaining documents again.
    const { _id: _, ...orphan } = {
      ...(await mongo.db.collection<RowsDocument>(collections.history).findOne({ account: id })),
      _id: 0,
    };
    await mongo.db.collection<{ _id: string }>(collections.history).insertOne({ ...orphan, _id: bucketId(id, 'fills', 0) });
    await writers.pop()?.stop();
    await shard.take(2);
    startWriter();
    await until(async () => (await storedRows(id, 'fills')).length === 1);
    await expectAllOnce([other]);
  });

  const firstRows = { fills: 0, orders: 0, ledger: 0, funding: 0, twapFills: 0, twaps: 0, equity: 0, roundTrips: 0 };
  const reset: AccountEvent = { type: 'accountReset', balanceUsd: '10000', withdrawnUsd: '1', firstRows };
  const AT_ONCE = { config: { SHARDS: 16, REDIS_DURABILITY: 'always', HISTORY_DELAY_MS: 0, JOURNAL_LAG_MS: 0 } } as const;

  it('a halted account that began anew keeps no journal; its former rows go when it is lifted, by a later owner too', async () => {
    const [halted = '', other = ''] = accountIds(2);
    for (let i = 0; i < 300; i++) await shard.write(NOW_MS, [halted, other], shard.trade);
    await shard.write(NOW_MS, [halted], () => [{ ...reset, firstRows: { ...firstRows, fills: 256 } }]);
    await shard.write(NOW_MS, [other], shard.trade);
    const ofHalted = { isHalted: (id: string) => id === halted };
    startWriter({
      ...{ ...AT_ONCE, ...ofHalted },
      snapshotOf: (id) => (id === halted ? undefined : shard.snapshotOf(id)),
    });
    await until(() => trimmedTo === 302);
    expect((await readSetAsideIndex(redis, SHARD)).get(halted)).to.include({ lastSeq: 301, lastCommit: 301 });
    expect(await storedRows(halted, 'fills')).to.have.length(300);
    await writers.pop()?.stop();
    await shard.take(2);
    startWriter(AT_ONCE);
    await until(async () => (await readSetAsideIndex(redis, SHARD)).size === 0);
    expect(await storedRows(halted, 'fills')).to.have.length(300 - 256);
    expect(await storedRows(other, 'fills')).to.have.length(301);
  });

  it('a second start, and a second writer of an earlier epoch, change nothing', async () => {
    const ids = accountIds(4);
    for (let i = 0; i < 50; i++) await shard.write(NOW_MS, ids, shard.trade);
    const first = startWriter();
    await positionReaches(50);
    await first.stop();
    await mongo.db.collection<{ _id: number }>(collections.shards).updateOne({ _id: SHARD }, { $set: { commit: 10 } });
    await shard.take(2);
    for (let i = 0; i < 10; i++) await shard.write(NOW_MS, ids, shard.trade);
    startWriter();
    await positionReaches(60);
    const ends: Error[] = [];
    startWriter({ token: '1:test:1', onEnd: (error) => ends.push(error) });
    for (let i = 0; i < 10; i++) await shard.write(NOW_MS, ids, shard.trade);
    await positionReaches(70);
    await until(() => ends.length === 1);
    expect(ends[0]).to.be.instanceOf(LeaseLost);
    await expectAllOnce(ids);
  });

  it('two writers of one token at the same time write each row once', async () => {
    const ids = accountIds(4);
    startWriter();
    startWriter();
    for (let i = 0; i < 200; i++) await shard.write(NOW_MS, ids, shard.trade);
    await positionReaches(200);
    await expectAllOnce(ids);
  });

  it('MongoDB killed again and again: nothing missing, nothing twice', async () => {
    const ids = accountIds(8);
    const writer = startWriter();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 100; i++) await shard.write(NOW_MS, ids, shard.trade);
      await until(() => writer.status.written > round * 800);
      // Archives what there is, and is killed in the middle of it.
      nowMs += 30_000;
      await mongoStore.kill();
      for (let i = 0; i < 10; i++) await shard.write(NOW_MS, ids, shard.trade);
      await until(() => writer.status.mongoDown);
      mongoStore = await startMongo({ dir: mongoStore.dir, port: mongoStore.port });
    }
    await positionReaches(330);
    await until(() => !writer.status.mongoDown);
    await expectAllOnce(ids);
    nowMs += 30_000;
    await until(async () => (await readJournalPosition(mongo, SHARD))?.archived === 330);
    await expectArchivedOnce(ids);
  });

  it('a MongoDB that forgot its last writes gets them again', async () => {
    const ids = accountIds(2);
    for (let i = 0; i < 10; i++) await shard.write(NOW_MS, ids, shard.trade);
    startWriter();
    await positionReaches(10);
    const forgotten = await Promise.all([
      mongo.db.collection(collections.history).find({}).toArray(),
      readJournalPosition(mongo, SHARD),
    ]);
    for (let i = 0; i < 10; i++) await shard.write(NOW_MS, ids, shard.trade);
    await positionReaches(20);
    await mongo.db.collection(collections.history).deleteMany({});
    await mongo.db.collection(collections.history).insertMany(forgotten[0]);
    await mongo.db.collection<{ _id: number }>(collections.shards).replaceOne({ _id: SHARD }, { ...forgotten[1] });
    await shard.write(NOW_MS, ids, shard.trade);
    await positionReaches(21);
    await expectAllOnce(ids);
  });

  it('a MongoDB that forgot the last snapshots while nobody wrote gets them again before the journal is cut', async () => {
    const ids = accountIds(2);
    for (let i = 0; i < 10; i++) await shard.write(NOW_MS, ids, shard.trade);
    let isHeld = true;
    startWriter({ snapshotOf: (id) => (isHeld ? undefined : shard.snapshotOf(id)) });
    await positionReaches(10);
    const forgotten = await readJournalPosition(mongo, SHARD);
    isHeld = false;
    const areStored = async (): Promise<boolean> => (await readSnapshots(mongo, ids)).size === ids.length;
    await until(areStored);
    await until(async () => (await readJournalPosition(mongo, SHARD))?.version !== forgotten?.version);
    await mongo.db.collection(collections.accounts).deleteMany({});
    await mongo.db.collection<{ _id: number }>(collections.shards).replaceOne({ _id: SHARD }, { ...forgotten });
    nowMs += 60_000;
    await until(areStored);
    expect(trimmedTo).to.equal(0);
    await until(() => {
      nowMs += 5000;
      return trimmedTo === 10;
    });
  });
});
