import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { HistoryBatch } from '../../../src/actors/core/history/historyDocuments.ts';
import type { AccountQuery } from '../../../src/actors/core/messages/command.ts';
import { writeEntry } from '../../../src/actors/core/messages/entry.ts';
import { type ReplyMessage, readReplies, writeReply } from '../../../src/actors/core/messages/envelope.ts';
import { bucketId, type HistoryKind, type NumberedRow, ROWS_PER_BUCKET } from '../../../src/actors/core/messages/historyRows.ts';
import type { QueryAnswer } from '../../../src/actors/core/messages/queryAnswer.ts';
import { withTail } from '../../../src/actors/engine/decisions/answers.ts';
import { writeHistory } from '../../../src/actors/engine/journal/historyStore.ts';
import { AccountTail } from '../../../src/actors/engine/memory/accountTail.ts';
import { type HistoryPage, HistoryReader } from '../../../src/api/accounts/historyReader.ts';
import { NEWEST_FORMAT, writeForm } from '../../../src/shared/domain/formats.ts';
import { RequestError } from '../../../src/shared/errors.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { collections, connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';
import { expectRows, TestShard } from '../../support/journals.ts';
import { freePort } from '../../support/ports.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';

const SHARD = 1;
const START_MS = 1_800_000_000_000;
const ENTRIES = 1500;
const ACCOUNT = `0x${'d'.repeat(40)}`;
const PAST = { accountId: ACCOUNT, requestId: 'test' };

describe('HistoryReader: what the actor holds and what MongoDB has are one past', function () {
  this.timeout(600_000);
  const log = createLogger({ level: 'silent', role: 'test' });
  let redisStore: Store;
  let mongoStore: Store;
  let redis: Redis;
  let mongo: MongoConnection;
  let shard: TestShard;
  let reader: HistoryReader;
  /** Entries from this one on are held by the actor; those below are in MongoDB. */
  let heldFrom = 0;
  /** Rows of each kind before this one are gone, though MongoDB may have them. */
  let first = 0;

  before(async () => {
    [redisStore, mongoStore] = await Promise.all([startRedis(), startMongo({ memory: true })]);
    redis = connectRedis({ url: redisStore.url, name: 'test', log });
    mongo = connectMongo({ url: mongoStore.url, database: 'reader', timeoutMs: 3000 });
    shard = new TestShard(redis, SHARD);
    await shard.take(1);
    for (let i = 0; i < ENTRIES; i++) await shard.write(START_MS + Math.floor(i / 3) * 10, [ACCOUNT], shard.trade);
    const batch = new HistoryBatch(NEWEST_FORMAT);
    for (const { commit, entry } of shard.entries.slice(0, 1400)) {
      batch.add({ number: commit, timeMs: entry.timeMs, epoch: 1, idCounter: 0, entries: [entry] });
    }
    await writeHistory(mongo, { shard: SHARD, nextTurn: setImmediate }, batch);
    reader = new HistoryReader({ gateway, mongo });
  });

  beforeEach(() => {
    heldFrom = 1300;
    first = 0;
  });

  after(async () => {
    await mongo.close();
    redis.disconnect();
    await Promise.all([redisStore.stop(), mongoStore.stop()]);
  });

  /** Answers as the account's actor does. */
  const gateway = gatewayOf(async (_accountId, command) => {
    if (command.type !== 'query') throw new Error('only queries are asked');
    return { type: 'answer', answer: answerTo(command.query), seq: 1 };
  });

  function answerTo(query: AccountQuery): QueryAnswer {
    const answer = withoutTail(query);
    const reply = withTail({ type: 'answer', answer, seq: 1 }, query, tailFrom(heldFrom), NEWEST_FORMAT);
    const [[, , sent]] = readReplies(`[${writeReply({ incarnation: 'i', counter: 1 }, reply, NEWEST_FORMAT)}]`) as [
      ReplyMessage[0],
    ];
    if (!('outcome' in sent) || sent.outcome.type !== 'answer') throw new Error('another reply');
    return sent.outcome.answer;
  }

  function withoutTail(query: AccountQuery): QueryAnswer {
    if (query.kind === 'orderStatus') return { kind: 'orderStatus', found: 'notHere', firstRow: first };
    if (query.kind !== 'history') throw new Error('not asked');
    const total = Math.max(first, all(query.rows).length);
    return { kind: 'history', rows: [], total, first, held: { from: total } };
  }

  const tails = new Map<number, AccountTail>();
  function tailFrom(from: number): AccountTail {
    const tail = tails.get(from) ?? new AccountTail();
    if (!tails.has(from))
      for (const { commit, entry } of shard.entries.slice(from)) tail.add(commit, entry, writeEntry(entry, NEWEST_FORMAT));
    tails.set(from, tail);
    return tail;
  }

  const all = (kind: HistoryKind): NumberedRow[] => shard.rows(ACCOUNT, kind);
  const statusOf = (error: unknown): unknown => (error instanceof RequestError ? [error.status, error.code] : error);

  for (const limit of [1, 100, 199, 200, 201, 456, 457, 1500, 2000]) {
    it(`the latest ${limit} fills come newest first, wherever they are`, async () => {
      for (heldFrom of [1500, 1400, 1300, 256, 1, 0].filter((from) => from <= 1400)) {
        const want = all('fills').toReversed().slice(0, limit);
        expectRows(await reader.latest(PAST, 'fills', limit), want);
      }
    });
  }

  it('nothing is found of an account without a past', async () => {
    expect(await reader.latest(PAST, 'funding', 10)).to.deep.equal([]);
    expect(await reader.between(PAST, 'funding', { startMs: 0, limit: 10 })).to.deep.equal([]);
  });

  const ranges = [
    { name: 'all', startMs: 0, limit: 2000 },
    { name: 'the oldest of all', startMs: 0, limit: 10 },
    { name: 'an inner stretch in MongoDB', startMs: START_MS + 1000, endMs: START_MS + 2005, limit: 2000 },
    { name: 'an inner stretch, limited', startMs: START_MS + 1000, endMs: START_MS + 4005, limit: 300 },
    { name: 'across MongoDB and memory', startMs: START_MS + 4000, endMs: START_MS + 4500, limit: 2000 },
    { name: 'memory alone', startMs: START_MS + 4500, limit: 2000 },
    { name: 'one moment, shared by three rows', startMs: START_MS + 850, endMs: START_MS + 850, limit: 2000 },
    { name: 'a moment between rows', startMs: START_MS + 851, endMs: START_MS + 855, limit: 2000 },
    { name: 'before all', startMs: 0, endMs: START_MS - 1, limit: 2000 },
    { name: 'after all', startMs: START_MS + 1_000_000, limit: 2000 },
  ];
  for (const { name, ...range } of ranges) {
    for (const newestFirst of [false, true]) {
      it(`by time: ${name}${newestFirst ? ', newest first' : ''}`, async () => {
        const { startMs, endMs = Number.POSITIVE_INFINITY, limit } = range;
        const inRange = all('fills').filter(({ row: { timeMs } }) => timeMs >= startMs && timeMs <= endMs);
        const want = (newestFirst ? inRange.toReversed() : inRange).slice(0, limit);
        expectRows(await reader.between(PAST, 'fills', { ...range, newestFirst }), want);
      });
    }
  }

  it('pages go back through all rows, held and stored, and rows that come meanwhile move none', async () => {
    for (const limit of [1, 256, 700]) {
      const found: NumberedRow[] = [];
      let before: number | null = 1450;
      while (before !== null) {
        const page: HistoryPage = await reader.page(PAST, 'fills', { before, startMs: 0, limit: limit === 1 ? 97 : limit });
        found.push(...page.rows);
        before = page.next;
      }
      expect(found.map(({ number }) => number)).to.deep.equal(Array.from({ length: 1450 }, (_, i) => 1449 - i));
    }
  });

  it('the first page of 1,000,000 fills costs as many look-ups as that of 1,000', async () => {
    const lookUps = async (total: number): Promise<number> => {
      const owner = `0x${String(total).padStart(40, '0')}`;
      const [row] = all('fills') as [NumberedRow];
      const last = Math.floor((total - 1) / ROWS_PER_BUCKET);
      for (let bucket = Math.max(0, last - 2); bucket <= last; bucket++) {
        const numbers = Array.from({ length: ROWS_PER_BUCKET }, (_, i) => bucket * ROWS_PER_BUCKET + i);
        const rows = numbers
          .filter((number) => number < total)
          .map((number) => writeForm({ number, seq: number, row: row.row }, NEWEST_FORMAT));
        await mongo.db
          .collection<{ _id: string; rows: string[] }>(collections.history)
          .insertOne({ _id: bucketId(owner, 'fills', bucket * ROWS_PER_BUCKET), rows });
      }
      let count = 0;
      const db = new Proxy(mongo.db, {
        get: (target, name) => {
          if (name === 'collection') count += 1;
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const holding = gatewayOf(async () => ({
        type: 'answer',
        answer: { kind: 'history', rows: [], total, first: 0, held: { from: total } },
        seq: 1,
      }));
      const counting = new HistoryReader({ gateway: holding, mongo: { ...mongo, db } });
      const page = await counting.page({ ...PAST, accountId: owner }, 'fills', { startMs: 0, limit: 500 });
      expect(page.rows.map(({ number }) => number)).to.deep.equal(Array.from({ length: 500 }, (_, i) => total - 1 - i));
      return count;
    };
    const few = await lookUps(1000);
    expect(few).to.equal(1);
    expect(await lookUps(1_000_000)).to.equal(few);
  });

  it('a page keeps to its times', async () => {
    const [startMs, endMs] = [START_MS + 1000, START_MS + 3000];
    const found: NumberedRow[] = [];
    let before: number | null | undefined;
    do {
      const page: HistoryPage = await reader.page(PAST, 'fills', { before: before ?? undefined, startMs, endMs, limit: 200 });
      found.push(...page.rows);
      before = page.next;
    } while (before !== null);
    const want = all('fills').filter(({ row: { timeMs } }) => timeMs >= startMs && timeMs <= endMs);
    expectRows(found, want.toReversed());
  });

  it('an order is found by both of its ids, held or stored', async () => {
    for (const number of [0, 700, 1299, 1300, 1499]) {
      const want = all('orders')[number];
      if (want?.kind !== 'orders') throw new Error('an order was written');
      const { oid, cloid = '' } = want.row.order;
      expect(await reader.findOrder(PAST, { oid })).to.deep.equal(want.row);
      expect(await reader.findOrder(PAST, { cloid })).to.deep.equal(want.row);
    }
  });

  it('what lies before the first row that is kept is not seen, though MongoDB still has it', async () => {
    first = 1024;
    const kept = all('fills').slice(1024);
    expectRows(await reader.latest(PAST, 'fills', 2000), kept.toReversed());
    expectRows(await reader.between(PAST, 'fills', { startMs: 0, limit: 2000 }), kept);
    expect(await reader.between(PAST, 'fills', { startMs: 0, limit: 10 })).to.deep.equal(kept.slice(0, 10));
    const upTo = { startMs: 0, endMs: START_MS + 3000, limit: 2000, newestFirst: true };
    expect(await reader.between(PAST, 'fills', upTo)).to.deep.equal([]);
    for (const [number, isFound] of [
      [1023, false],
      [1024, true],
    ] as const) {
      const [order, fill] = [all('orders')[number], all('fills')[number]];
      if (order?.kind !== 'orders' || fill?.kind !== 'fills') throw new Error('an order was filled');
      const { oid, cloid = '' } = order.row.order;
      expect(await reader.findOrder(PAST, { oid })).to.deep.equal(isFound ? order.row : undefined);
      expect(await reader.findOrder(PAST, { cloid })).to.deep.equal(isFound ? order.row : undefined);
      expect(await reader.findFill(PAST, fill.row.tid)).to.deep.equal(isFound ? fill.row : undefined);
    }
  });

  it('nothing is left of an account that began anew, and MongoDB is not asked', async () => {
    heldFrom = ENTRIES;
    first = 1536;
    expect(await reader.latest(PAST, 'twaps', 10)).to.deep.equal([]);
    expect(await reader.between(PAST, 'twaps', { startMs: 0, limit: 10 })).to.deep.equal([]);
    expect(await reader.between(PAST, 'twaps', { startMs: 0, endMs: START_MS, limit: 10, newestFirst: true })).to.deep.equal([]);
  });

  it('a fill is found by its tid, held or stored, whoever holds how much', async () => {
    for (heldFrom of [1400, 1300, 257, 256, 1, 0]) {
      for (const number of [0, 1, 255, 256, 257, 700, 1023, 1024, 1299, 1300, 1499]) {
        const want = all('fills')[number];
        if (want?.kind !== 'fills') throw new Error('a fill was written');
        expect(await reader.findFill(PAST, want.row.tid)).to.deep.equal(want.row);
      }
    }
  });

  it('unknown fills, between those that are there and beyond, are not found', async () => {
    const tids = all('fills').map(({ row }) => ('tid' in row ? row.tid : 0));
    const known = new Set(tids);
    const between = tids.flatMap((tid) => [tid - 1, tid + 1]).filter((tid) => !known.has(tid));
    for (const tid of [0, ...between.slice(0, 3), ...between.slice(-3), Number.MAX_SAFE_INTEGER]) {
      expect(await reader.findFill(PAST, tid), String(tid)).to.equal(undefined);
    }
  });

  it('unknown orders, and those of others, are not found', async () => {
    const [first] = all('orders');
    if (first?.kind !== 'orders') throw new Error('an order was written');
    expect(await reader.findOrder(PAST, { oid: 5 })).to.equal(undefined);
    expect(await reader.findOrder(PAST, { cloid: `0x${'f'.repeat(32)}` })).to.equal(undefined);
    expect(await reader.findOrder({ ...PAST, accountId: `0x${'e'.repeat(40)}` }, { oid: first.row.order.oid })).to.equal(
      undefined,
    );
  });

  it('rows of entries after a number are told with it, across documents and up to where MongoDB has them', async () => {
    const toSeq = shard.entries[heldFrom - 1]?.entry.seq ?? 0;
    const wanted = (afterSeq: number) =>
      shard.entries.flatMap(({ entry }) =>
        entry.seq > afterSeq && entry.seq <= toSeq
          ? shard.rowsOf(entry).flatMap((row) => (row.kind === 'fills' ? [{ seq: entry.seq, row }] : []))
          : [],
      );
    for (const afterSeq of [0, 1, 255, 256, 257, 700, toSeq - 1, toSeq]) {
      const found = await reader.stored(PAST, 'fills', { afterSeq, toSeq, limit: 2000 });
      expectRows(found, wanted(afterSeq));
    }
    const limited = await reader.stored(PAST, 'fills', { afterSeq: 10, toSeq, limit: 300 });
    expect(limited)
      .to.deep.equal(wanted(10).slice(0, limited.length))
      .and.have.length.within(300, 300 + ROWS_PER_BUCKET);
  });

  it('a row that is in neither place fails the request instead of leaving a hole', async () => {
    heldFrom = 1450;
    expect(statusOf(await reader.latest(PAST, 'fills', 100).catch((error: unknown) => error))).to.deep.equal([
      503,
      'store_unavailable',
    ]);
    const range = { startMs: START_MS + 4000, limit: 2000 };
    expect(statusOf(await reader.between(PAST, 'fills', range).catch((error: unknown) => error))).to.deep.equal([
      503,
      'store_unavailable',
    ]);
    expect(await reader.latest(PAST, 'fills', 50)).to.have.length(50);
  });

  it('a row on its way from one place to the other is waited for', async () => {
    const history = mongo.db.collection<{ _id: string }>(collections.history);
    const _id = bucketId(ACCOUNT, 'fills', 1024);
    const bucket = await history.findOneAndDelete({ _id });
    const reading = reader.latest(PAST, 'fills', 400);
    await history.insertOne({ ...bucket, _id });
    expect(await reading).to.deep.equal(all('fills').toReversed().slice(0, 400));
  });

  it('without MongoDB, what the actor holds is still told', async () => {
    const away = connectMongo({ url: `mongodb://127.0.0.1:${await freePort()}`, database: 'away', timeoutMs: 200 });
    const lonely = new HistoryReader({ gateway, mongo: away });
    expect(await lonely.latest(PAST, 'fills', 200)).to.have.length(200);
    expect(await lonely.between(PAST, 'fills', { startMs: START_MS + 4500, limit: 2000 })).to.have.length(150);
    expect(statusOf(await lonely.latest(PAST, 'fills', 201).catch((error: unknown) => error))).to.deep.equal([
      503,
      'store_unavailable',
    ]);
    await away.close();
  });
});
