// The rounds of a history writer one by one: the number of moves of the position in each. One of these moves notices a MongoDB that
// has lost the end of its writes, before the journal is cut.
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { AccountEvent } from '../../../../src/actors/core/messages/event.ts';
import { HistorySession } from '../../../../src/actors/engine/journal/historySession.ts';
import { type JournalPositionDocument, readJournalPosition } from '../../../../src/actors/engine/journal/journalPosition.ts';
import { readSnapshots } from '../../../../src/actors/engine/journal/snapshots.ts';
import { RetryableError } from '../../../../src/shared/errors.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { collections, connectMongo, type MongoConnection } from '../../../../src/shared/mongo/mongo.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { plainArchive } from '../../../support/archives.ts';
import { newestFormats } from '../../../support/formats.ts';
import { TestShard } from '../../../support/journals.ts';
import { type Store, startMongo, startRedis } from '../../../support/stores.ts';

const SHARD = 3;
const NOW_MS = 1_800_000_000_000;
const LAG_MS = 60_000;
const [ONE, OTHER] = ['0x1', '0x2'] as const;

describe('HistorySession: one round after the other', function () {
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
  let hasSnapshots: boolean;
  /** The position when the newest snapshots were about to be stored. */
  let beforeSnapshots: JournalPositionDocument;

  before(async () => {
    [redisStore, mongoStore] = await Promise.all([startRedis(), startMongo({ memory: true })]);
    redis = connectRedis({ url: redisStore.url, name: 'test', log });
  });

  beforeEach(async () => {
    await redis.flushall();
    mongo = connectMongo({ url: mongoStore.url, database: `t${Date.now()}${Math.round(Math.random() * 1e6)}`, timeoutMs: 3000 });
    shard = new TestShard(redis, SHARD);
    await shard.take(1);
    [nowMs, trimmedTo, hasSnapshots] = [NOW_MS, 0, true];
    session = await begin();
  });

  afterEach(() => mongo.close());

  after(async () => {
    redis.disconnect();
    await Promise.all([redisStore.stop(), mongoStore.stop()]);
  });

  const begin = (): Promise<HistorySession> =>
    HistorySession.begin({
      ...{ redis, mongo, formats: newestFormats, shard: SHARD, token: shard.token, log, archive: plainArchive() },
      config: { JOURNAL_LAG_MS: LAG_MS },
      ...{ delayMs: 0, realNow: () => nowMs, nextTurn: setImmediate, mayWrite: () => undefined, isHalted: () => false },
      snapshotOf: (accountId) => (hasSnapshots ? shard.snapshotOf(accountId) : undefined),
      keep: async () => {
        beforeSnapshots = await position();
      },
      onTrimmed: (commit) => {
        trimmedTo = commit;
      },
      ...{ onArchive: () => undefined, onHouse: () => undefined, onWaiting: () => undefined, onWritten: () => undefined },
    });

  async function position(): Promise<JournalPositionDocument> {
    return (await readJournalPosition(mongo, SHARD)) ?? expect.fail('no position');
  }

  const trade = (): Promise<void> => shard.write(nowMs, [ONE, OTHER], shard.trade);

  /** @returns how often the position has moved in a round */
  async function round(): Promise<number> {
    const { version } = await position();
    await session.round();
    return (await position()).version - version;
  }

  const snapshots = async (): Promise<number[]> =>
    [...(await readSnapshots(mongo, [ONE, OTHER])).values()].map(({ commit }) => commit);

  /** MongoDB as it was before the newest snapshots. */
  async function forgetSnapshots(): Promise<void> {
    await mongo.db.collection(collections.accounts).deleteMany({});
    await mongo.db.collection<{ _id: number }>(collections.shards).replaceOne({ _id: SHARD }, { ...beforeSnapshots });
  }

  async function expectNoticed(): Promise<void> {
    nowMs += LAG_MS + 1;
    const error = await session.round().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(RetryableError);
    expect(trimmedTo).to.equal(0);
    session = await begin();
    await session.round();
    await session.round();
    expect(await snapshots()).to.deep.equal([shard.commit, shard.commit]);
    expect(trimmedTo).to.equal(0);
  }

  it('rows, snapshots and a cut take two moves: one before the rows and one after the snapshots', async () => {
    await trade();
    expect(await round()).to.equal(2);
    await trade();
    expect(await round()).to.equal(2);
    expect(await snapshots()).to.deep.equal([1, 1]);
    expect(beforeSnapshots.commit).to.equal(1);
    nowMs += LAG_MS + 1;
    await trade();
    expect(await round()).to.equal(2);
    expect(trimmedTo).to.equal(1);
  });

  it('without rows, snapshots take a move of their own, and so does a cut; a round with nothing to do takes none', async () => {
    await trade();
    await round();
    expect(await round()).to.equal(1);
    expect(await snapshots()).to.deep.equal([1, 1]);
    nowMs += LAG_MS - 1;
    expect(await round()).to.equal(0);
    nowMs += 1;
    expect(await round()).to.equal(1);
    expect(trimmedTo).to.equal(1);
    expect(await round()).to.equal(0);
  });

  it('a round gathers what is there, however small the first page is, and a long journal takes several rounds', async () => {
    const many = (): AccountEvent[] => Array.from({ length: 1000 }, shard.rest).flat();
    for (let i = 0; i < 12; i++) await shard.write(nowMs, [ONE], many);
    expect(await session.round()).to.equal(true);
    expect((await position()).commit).to.be.within(1, 11);
    while (await session.round());
    expect((await position()).commit).to.equal(12);
    for (let i = 0; i < 600; i++) await trade();
    expect(await round()).to.equal(2);
    expect((await position()).commit).to.equal(612);
  });

  it('snapshots that MongoDB forgot, stored in a round with rows, are noticed before the journal is cut', async () => {
    await trade();
    await round();
    await trade();
    await round();
    await forgetSnapshots();
    await expectNoticed();
  });

  it('snapshots that MongoDB forgot, stored in a round without rows, are noticed before the journal is cut', async () => {
    await trade();
    await round();
    await round();
    await forgetSnapshots();
    await expectNoticed();
  });

  it('snapshots that MongoDB forgot are noticed by the moves of a later round with rows', async () => {
    await trade();
    await round();
    await round();
    await forgetSnapshots();
    await trade();
    await expectNoticed();
  });
});
