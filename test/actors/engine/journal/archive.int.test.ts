// The archive behind a shard's history, round by round. Each entry of the journal is in the archive once and in order, whatever
// dies or comes twice, and the journal is cut only behind the archive.
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Account } from '../../../../src/actors/core/account/account.ts';
import { fromSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { ArchiveBatch, appendChunks } from '../../../../src/actors/engine/journal/archiveStore.ts';
import { HistorySession } from '../../../../src/actors/engine/journal/historySession.ts';
import { type JournalPositionDocument, readJournalPosition } from '../../../../src/actors/engine/journal/journalPosition.ts';
import { rebuildAccount } from '../../../../src/features/rules.ts';
import { type ChunkDocument, ENTRIES_PER_CHUNK, readPart } from '../../../../src/shared/archive/archiveForm.ts';
import { ArchiveReader } from '../../../../src/shared/archive/archiveReader.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { LeaseLost } from '../../../../src/shared/errors.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { collections, connectMongo, type MongoConnection } from '../../../../src/shared/mongo/mongo.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { stateHashOf } from '../../../../src/shared/stateHash.ts';
import { plainArchive } from '../../../support/archives.ts';
import { newestFormats } from '../../../support/formats.ts';
import { TestShard } from '../../../support/journals.ts';
import { type Store, startMongo, startRedis } from '../../../support/stores.ts';

const SHARD = 3;
const NOW_MS = 1_800_000_000_000;
const LAG_MS = 60_000;
const [ONE, OTHER] = ['0x1', '0x2'] as const;

describe('archive: every entry of the journal, once and in order', function () {
  this.timeout(600_000);
  const log = createLogger({ level: 'silent', role: 'test' });
  let redisStore: Store;
  let mongoStore: Store;
  let redis: Redis;
  let mongo: MongoConnection;
  let shard: TestShard;
  let session: HistorySession;
  let nowMs: number;
  let trimmedTo: number;
  let epoch: number;

  before(async () => {
    [redisStore, mongoStore] = await Promise.all([startRedis(), startMongo({ memory: true })]);
    redis = connectRedis({ url: redisStore.url, name: 'test', log });
  });

  beforeEach(async () => {
    await redis.flushall();
    mongo = connectMongo({ url: mongoStore.url, database: `t${Date.now()}${Math.round(Math.random() * 1e6)}`, timeoutMs: 3000 });
    shard = new TestShard(redis, SHARD);
    [nowMs, trimmedTo, epoch] = [NOW_MS, 0, 0];
    session = await takeOver();
  });

  afterEach(() => mongo.close());

  after(async () => {
    redis.disconnect();
    await Promise.all([redisStore.stop(), mongoStore.stop()]);
  });

  /** A new owner, as after the death of the last one. */
  async function takeOver(): Promise<HistorySession> {
    epoch += 1;
    await shard.take(epoch);
    return HistorySession.begin({
      ...{ redis, mongo, formats: newestFormats, shard: SHARD, token: shard.token, log, archive: plainArchive() },
      config: { JOURNAL_LAG_MS: LAG_MS },
      ...{ delayMs: 0, realNow: () => nowMs, nextTurn: setImmediate, mayWrite: () => undefined, isHalted: () => false },
      snapshotOf: shard.snapshotOf,
      keep: () => Promise.resolve(),
      onTrimmed: (commit) => {
        trimmedTo = commit;
      },
      ...{ onHouse: () => undefined, onArchive: () => undefined, onWaiting: () => undefined, onWritten: () => undefined },
    });
  }

  async function trade(entries: number, accounts: readonly string[] = [ONE, OTHER]): Promise<void> {
    for (let i = 0; i < entries; i++) await shard.write(nowMs, accounts, shard.trade);
  }

  /** Rounds until nothing is left to do at the time that it is. */
  async function rounds(): Promise<void> {
    while (await session.round());
    await session.round();
  }

  const chunks = () => mongo.db.collection<ChunkDocument>(collections.archive);
  const position = async (): Promise<JournalPositionDocument> =>
    (await readJournalPosition(mongo, SHARD)) ?? expect.fail('no position');

  async function archived(account: string): Promise<unknown[]> {
    const entries: unknown[] = [];
    for await (const { text } of new ArchiveReader(mongo, account).entries(0, 1e9)) entries.push(JSON.parse(text));
    return entries;
  }

  const journaled = (account: string): unknown[] =>
    shard.entries.filter(({ entry }) => entry.accountId === account).map(({ entry }) => ({ ...entry, v: NEWEST_FORMAT }));

  async function expectWhole(): Promise<void> {
    for (const account of [ONE, OTHER]) expect(await archived(account)).to.deep.equal(journaled(account));
    for (const { _id, parts, bytes, lastSeq } of await chunks().find().toArray()) {
      const texts = (await Promise.all(parts.map(readPart))).flat();
      expect(new Set(texts).size, `entries of ${_id}, each once`).to.equal(texts.length);
      expect(bytes, _id).to.equal(parts.reduce((sum, { data }) => sum + data.length(), 0));
      expect(lastSeq, _id).to.be.at.most(shard.accounts.get(_id.slice(0, 3))?.seq ?? 0);
    }
  }

  it('entries of many rounds lie in chunks by their numbers; one that is filled bit by bit becomes one part', async () => {
    for (let i = 0; i < 30; i++) {
      await trade(10, [ONE]);
      await trade(1, [OTHER]);
      await rounds();
      nowMs += LAG_MS;
    }
    await rounds();
    await expectWhole();
    const stored = await chunks().find({ account: ONE }).sort({ _id: 1 }).toArray();
    expect(stored.map(({ lastSeq }) => lastSeq)).to.deep.equal([127, 255, 300]);
    expect(stored.map(({ parts }) => parts.length)).to.deep.equal([1, 1, 5]);
    expect((await chunks().findOne({ account: OTHER }))?.parts).to.have.length(30);
  });

  it('the journal is cut only as far as the archive goes; history goes on when it cannot be written', async () => {
    await chunks().insertOne({ _id: `${ONE}:000000000000000`, lastSeq: 0, parts: 'none' } as never);
    await trade(3);
    await rounds();
    nowMs += LAG_MS + 1;
    await rounds();
    nowMs += LAG_MS + 1;
    await rounds();
    expect(await position()).to.include({ commit: 3, archived: 0 });
    expect(trimmedTo).to.equal(0);
    await chunks().deleteMany({ account: { $exists: false } });
    nowMs += LAG_MS + 1;
    await rounds();
    expect((await position()).archived).to.equal(3);
    await expectWhole();
    nowMs += LAG_MS + 1;
    await rounds();
    expect(trimmedTo).to.equal(3);
  });

  it('much of it does not wait: the journal of a busy account is cut as early as history lets it', async () => {
    await rounds();
    await trade(1);
    await rounds();
    nowMs += 1000;
    await trade(20);
    await rounds();
    expect((await position()).archived, 'little waits').to.equal(1);
    const chars = JSON.stringify(journaled(ONE).at(-1)).length;
    await trade(Math.ceil((2 * 1024 * 1024) / 2 / chars) + 1);
    await rounds();
    expect((await position()).archived).to.equal(shard.commit);
  });

  it('an owner that died before it could say how far it was: the next one writes the same again', async () => {
    await trade(40);
    await rounds();
    const before = await position();
    for (const more of [50, 100]) {
      await trade(more);
      nowMs += LAG_MS / 2;
      await rounds();
    }
    const { owner, version, epoch: of } = await position();
    await mongo.db
      .collection<{ _id: number }>(collections.shards)
      .replaceOne({ _id: SHARD }, { ...before, owner, version, epoch: of });
    session = await takeOver();
    await trade(10);
    nowMs += LAG_MS / 2;
    await rounds();
    await expectWhole();
    expect((await position()).archived).to.equal(200);
  });

  it('what an earlier owner writes late, shorter or longer, changes nothing', async () => {
    await trade(200);
    const target = { mongo, shard: SHARD, format: 1, nextTurn: setImmediate } as const;
    const appendsOf = (from: number, to: number) => {
      const batch = new ArchiveBatch();
      for (const { commit, entry } of shard.entries) {
        if (commit >= from && commit <= to) batch.add(commit, JSON.stringify([{ ...entry, v: NEWEST_FORMAT }]));
      }
      return batch.appends;
    };
    await appendChunks(target, appendsOf(1, 60));
    await Promise.all([appendChunks(target, appendsOf(1, 150)), appendChunks(target, appendsOf(1, 140))]);
    await appendChunks(target, appendsOf(10, 70));
    await rounds();
    await appendChunks(target, appendsOf(100, 200));
    await expectWhole();
  });

  it('an owner whose lease is gone archives nothing more', async () => {
    await trade(5);
    const former = session;
    session = await takeOver();
    const error = await former.round().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(LeaseLost);
    expect(await chunks().countDocuments()).to.equal(0);
  });

  it('an entry of many characters has a chunk of its own, and is read in its place', async () => {
    await trade(2, [ONE]);
    await shard.write(nowMs, [ONE], () => Array.from({ length: 600 }, shard.rest).flat());
    await trade(2, [ONE]);
    await rounds();
    expect(await archived(ONE)).to.deep.equal(journaled(ONE));
    expect(await chunks().countDocuments({ account: ONE })).to.equal(2);
  });

  it('a state is kept of each account, and one for each stretch of its entries', async () => {
    const hashes = new Map<number, string>();
    const noted = (account: Account) => {
      hashes.set(account.seq, stateHashOf(account));
      return shard.trade(account);
    };
    for (let i = 0; i < 5; i++) {
      for (let n = 0; n < 300; n++) await shard.write(nowMs, [ONE], noted);
      await rounds();
      nowMs += LAG_MS / 2;
      await rounds();
    }
    const reader = new ArchiveReader(mongo, ONE);
    const states = await reader.states();
    expect(states.map(({ seq, reason }) => [seq, reason])).to.deep.equal([
      [300, 'distance'],
      [1200, 'distance'],
    ]);
    const past = {
      states,
      snapshot: (state: (typeof states)[0]) => reader.snapshot(state),
      entries: reader.entries.bind(reader),
    };
    for (const seq of [1, 127, 128, 300, 301, 1199, 1200, 1201, 1499]) {
      const { account, base, folded } = await rebuildAccount(past, ONE, seq);
      expect(stateHashOf(account), `entry ${seq}`).to.equal(hashes.get(seq));
      expect(folded).to.equal(seq - (base?.seq ?? 0));
    }
  });

  it('an account whose archive MongoDB has lost begins with a state', async () => {
    await trade(20);
    await rounds();
    nowMs += LAG_MS + 1;
    await rounds();
    nowMs += LAG_MS + 1;
    await rounds();
    expect(trimmedTo).to.equal(20);
    for (const name of [collections.archive, collections.archiveStates]) await mongo.db.collection(name).deleteMany({});
    await mongo.db.collection<{ _id: number }>(collections.shards).updateOne({ _id: SHARD }, { $unset: { archived: '' } });
    session = await takeOver();
    await trade(5);
    await rounds();
    nowMs += LAG_MS;
    await rounds();
    const reader = new ArchiveReader(mongo, ONE);
    const [state] = await reader.states();
    expect(state).to.include({ seq: 25, reason: 'distance' });
    expect(fromSnapshot(await reader.snapshot(state ?? expect.fail())).cash.toFixed()).to.equal(
      shard.accounts.get(ONE)?.cash.toFixed(),
    );
    expect((await archived(ONE)).length).to.equal(5);
  });

  it(`a chunk has ${ENTRIES_PER_CHUNK} entries and takes a fraction of their text`, async () => {
    await trade(ENTRIES_PER_CHUNK * 2, [ONE]);
    await rounds();
    const text = journaled(ONE).reduce<number>((sum, entry) => sum + JSON.stringify(entry).length, 0);
    const bytes = (await chunks().find().toArray()).reduce((sum, chunk) => sum + chunk.bytes, 0);
    expect(bytes).to.be.below(text / 4);
  });
});
