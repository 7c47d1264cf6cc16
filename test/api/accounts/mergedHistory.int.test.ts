import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { HistoryBatch } from '../../../src/actors/core/history/historyDocuments.ts';
import { rowsOf } from '../../../src/actors/core/history/rowsOfEvents.ts';
import { type AccountEntry, writeEntry } from '../../../src/actors/core/messages/entry.ts';
import { HISTORY_KINDS, type HistoryKind, type NumberedRow } from '../../../src/actors/core/messages/historyRows.ts';
import type { QueryAnswer } from '../../../src/actors/core/messages/queryAnswer.ts';
import { writeHistory } from '../../../src/actors/engine/journal/historyStore.ts';
import { AccountTail } from '../../../src/actors/engine/memory/accountTail.ts';
import { HistoryReader } from '../../../src/api/accounts/historyReader.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { pastOf } from '../../support/anyPast.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';
import { expectRows } from '../../support/journals.ts';
import { type Store, startMongo } from '../../support/stores.ts';

const ACCOUNT = '0xaa';
const PAST = { accountId: ACCOUNT, requestId: 'test' };
const ENTRIES = 1600;
/** MongoDB has the rows of entries below this one. */
const STORED = 1500;

/** An actor whose tail begins at an entry, and moves on with every question. */
interface Actor {
  readonly from: number;
  /** Entries that leave the tail before each question, in turns. */
  readonly moves: readonly number[];
  readonly charsMax: number;
}

const anyActor: fc.Arbitrary<Actor> = fc.record({
  from: fc.oneof(fc.nat(STORED), fc.integer({ min: STORED - 60, max: STORED })),
  moves: fc.array(fc.oneof(fc.constant(0), fc.nat(400)), { minLength: 1, maxLength: 4 }),
  charsMax: fc.oneof(fc.constant(1_000_000), fc.nat(20_000)),
});

describe('the history, while its rows move from the actor to MongoDB: no row twice, none left out', function () {
  this.timeout(600_000);
  let mongoStore: Store;
  let mongo: MongoConnection;
  let entries: AccountEntry[];
  const all = new Map<HistoryKind, NumberedRow[]>();

  before(async () => {
    mongoStore = await startMongo({ memory: true });
    mongo = connectMongo({ url: mongoStore.url, database: 'merged', timeoutMs: 10_000 });
    const whats = ['order', 'fill', 'twapFill', 'ledger', 'funding', 'twap'] as const;
    entries = pastOf(
      ACCOUNT,
      Array.from({ length: ENTRIES }, (_, i) => ({
        ...{ afterMs: i % 5 === 0 ? 3 : 0, isNoted: i % 2 === 0, oid: i },
        whats: whats.filter((_what, at) => (i + at) % (at + 1) === 0),
      })),
    );
    const batch = new HistoryBatch(NEWEST_FORMAT);
    for (const entry of entries.slice(0, STORED)) {
      batch.add({ number: entry.seq, timeMs: entry.timeMs, epoch: 1, idCounter: 0, entries: [entry] });
    }
    await writeHistory(mongo, { shard: 1, nextTurn: setImmediate }, batch);
    for (const kind of HISTORY_KINDS) {
      const rows = entries.flatMap(rowsOf).filter((row) => row.kind === kind);
      all.set(kind, JSON.parse(JSON.stringify(rows)) as NumberedRow[]);
      expect(rows.length, kind).to.be.above(256);
    }
  });

  after(async () => {
    await mongo.close();
    await mongoStore.stop();
  });

  const rowsOfKind = (kind: HistoryKind): readonly NumberedRow[] => all.get(kind) ?? [];

  function readerOf({ from, moves, charsMax }: Actor): HistoryReader {
    const tail = new AccountTail();
    for (const entry of entries.slice(from)) tail.add(entry.seq, entry, writeEntry(entry, NEWEST_FORMAT));
    let questions = 0;
    let trimmed = from;
    const gateway = gatewayOf(async (_accountId, command) => {
      if (command.type !== 'query' || command.query.kind !== 'history') throw new Error('not asked');
      const { rows: kind, want } = command.query;
      trimmed = Math.min(STORED, trimmed + (moves[questions % moves.length] as number));
      questions += 1;
      tail.trim(trimmed);
      const total = rowsOfKind(kind).length;
      const found = tail.rows(kind, want, { first: 0, charsMax });
      const held = {
        from: found.from ?? total,
        isCut: found.isCut,
        ...(found.fromMs !== undefined && { fromMs: found.fromMs }),
      };
      const rows = found.texts.map((text) => JSON.parse(text) as NumberedRow);
      const answer: QueryAnswer = { kind: 'history', rows, total, first: 0, held };
      return { type: 'answer', answer, seq: ENTRIES };
    });
    return new HistoryReader({ gateway, mongo });
  }

  const anyKind = fc.constantFrom(...HISTORY_KINDS);
  const anyTime = fc.oneof(fc.nat(1000), fc.integer({ min: 850, max: 1000 }));

  it('by time and limit, from both ends', async () => {
    const anyRange = fc.record(
      { startMs: anyTime, endMs: anyTime, limit: fc.integer({ min: 1, max: 2500 }), newestFirst: fc.boolean() },
      { requiredKeys: ['startMs', 'limit'] },
    );
    await fc.assert(
      fc.asyncProperty(anyActor, anyKind, anyRange, async (actor, kind, range) => {
        const { startMs, endMs = Infinity, limit, newestFirst } = range;
        const inRange = rowsOfKind(kind).filter(({ row: { timeMs } }) => timeMs >= startMs && timeMs <= endMs);
        const want = (newestFirst ? inRange.toReversed() : inRange).slice(0, limit);
        expectRows(await readerOf(actor).between(PAST, kind, range), want);
      }),
      { numRuns: 150 },
    );
  });

  it('the latest', async () => {
    await fc.assert(
      fc.asyncProperty(anyActor, anyKind, fc.integer({ min: 1, max: 2500 }), async (actor, kind, limit) => {
        expectRows(await readerOf(actor).latest(PAST, kind, limit), rowsOfKind(kind).toReversed().slice(0, limit));
      }),
      { numRuns: 60 },
    );
  });

  it('page by page, to the last', async () => {
    const anyPage = fc.record(
      { before: fc.nat(2500), startMs: anyTime, endMs: anyTime, limit: fc.integer({ min: 40, max: 1500 }) },
      { requiredKeys: ['startMs', 'limit'] },
    );
    await fc.assert(
      fc.asyncProperty(anyActor, anyKind, anyPage, async (actor, kind, { before, startMs, endMs, limit }) => {
        const reader = readerOf(actor);
        const found: NumberedRow[] = [];
        let next: number | null | undefined = before;
        do {
          const page = await reader.page(PAST, kind, { before: next, startMs, endMs, limit });
          found.push(...page.rows);
          next = page.next;
        } while (next !== null);
        const want = rowsOfKind(kind).filter(
          ({ number, row: { timeMs } }) => number < (before ?? Infinity) && timeMs >= startMs && timeMs <= (endMs ?? Infinity),
        );
        expectRows(found, want.toReversed());
      }),
      { numRuns: 60 },
    );
  });
});
