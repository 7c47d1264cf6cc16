// The two sources of an account's history: MongoDB, and the account's owner, which holds the rows that MongoDB may not have yet.
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CloidDocument,
  cloidId,
  orderEndsId,
  type RowsDocument,
  readSequencedRow,
  readStoredRow,
} from '../../actors/core/history/historyDocuments.ts';
import {
  bucketId,
  type HistoryKind,
  type NumberedRow,
  type OrderRow,
  ROWS_PER_BUCKET,
  type RowsWanted,
} from '../../actors/core/messages/historyRows.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { inSpan, type Span } from '../../shared/tracing/tracing.ts';
import type { AccountGateway, AskOptions } from './accountGateway.ts';

/** Documents in one look-up: 16 of 256 rows are some megabytes at most. */
export const BUCKETS_PER_LOOKUP = 16;

const MONGODB_READ = { name: 'mongodb read', kind: 'client', fields: { store: 'mongodb' } } as const;

/** Rows of one kind of one account. */
interface RowSeries {
  readonly accountId: string;
  readonly kind: HistoryKind;
  /** What reads them, where that is traced. */
  readonly trace?: Span | undefined;
}

/** A stored row and the sequence number of the entry that it comes from. */
export interface SequencedRow {
  readonly seq: number;
  readonly row: NumberedRow;
}

/** Buckets `first` to `last`, both included. */
interface Buckets {
  readonly first: number;
  readonly last: number;
}

/** A row that should be in MongoDB is not there yet. */
export class MissingRows extends Error {}

/**
 * The part of an account's history that is in MongoDB: rows by number in buckets of equal size. A bucket is read by its `_id`, and a time
 * is found by bisection, without an index.
 */
export class StoredHistory {
  readonly #mongo: MongoConnection;

  constructor(mongo: MongoConnection) {
    this.#mongo = mongo;
  }

  /** Every row of some buckets with a number below `before`, oldest first. @throws as `sequencedRows` */
  async rows(past: RowSeries, buckets: Buckets & { readonly before: number }): Promise<NumberedRow[]> {
    return (await this.sequencedRows(past, buckets)).map(({ row }) => row);
  }

  /** @throws {MissingRows} when a row is not in MongoDB, {MongoError} when it does not answer */
  async sequencedRows(
    { accountId, kind, trace }: RowSeries,
    buckets: Buckets & { readonly before: number },
  ): Promise<SequencedRow[]> {
    const { first, last, before } = buckets;
    const ids: string[] = [];
    for (let bucket = first; bucket <= last; bucket++) ids.push(bucketId(accountId, kind, bucket * ROWS_PER_BUCKET));
    const documents = await inSpan(trace, MONGODB_READ, () =>
      this.#rowsIn(collections.history)
        .find({ _id: { $in: ids } }, { projection: { rows: 1 } })
        .toArray(),
    );
    const read: SequencedRow[] = [];
    for (const [i, document] of documents.entries()) {
      // Rows of one document are read in a millisecond or two: those of many leave turns to other work of the node.
      if (i > 0) await nextTurn();
      for (const text of document.rows) read.push(readSequencedRow(text, kind));
    }
    const rows = read.filter(({ row }) => row.number < before).sort((a, b) => a.row.number - b.row.number);
    const wanted = Math.min((last + 1) * ROWS_PER_BUCKET, before) - first * ROWS_PER_BUCKET;
    if (rows.length !== wanted) throw new MissingRows(`${wanted - rows.length} of ${wanted} rows are not in MongoDB`);
    return rows;
  }

  /** The first bucket whose newest row is at `timeMs` or later; beyond `last` when there is none. */
  firstBucketEnding(past: RowSeries, buckets: Buckets, timeMs: number): Promise<number> {
    return this.#firstBucket(past, buckets, ({ lastTimeMs }) => lastTimeMs >= timeMs);
  }

  /** The first bucket with a row of an entry after `seq`; beyond `last` when there is none. */
  firstBucketAfter(past: RowSeries, buckets: Buckets, seq: number): Promise<number> {
    return this.#firstBucket(past, buckets, ({ lastSeq }) => lastSeq > seq);
  }

  /** The newest row of an order that has ended, if its number is `firstRow` or higher. */
  async orderEnd(accountId: string, { oid, firstRow }: { oid: number; firstRow: number }): Promise<OrderRow | undefined> {
    const document = await this.#rowsIn(collections.orderEnds).findOne({ _id: orderEndsId(accountId, oid) });
    const rows = document?.rows.map((text) => readStoredRow(text, 'orders')) ?? [];
    return rows.findLast(({ number, row }) => number >= firstRow && row.order.oid === oid)?.row;
  }

  async oidOf(accountId: string, cloid: string): Promise<number | undefined> {
    const cloids = this.#mongo.db.collection<CloidDocument>(collections.cloids);
    return (await cloids.findOne({ _id: cloidId(accountId, cloid) }))?.oid;
  }

  /** The first bucket that reaches a point which all after it reach; beyond `last` when there is none. At most 24 look-ups. */
  async #firstBucket(
    { accountId, kind }: RowSeries,
    { first, last }: Buckets,
    reaches: (end: Pick<RowsDocument, 'lastTimeMs' | 'lastSeq'>) => boolean,
  ): Promise<number> {
    let [low, high] = [first, Math.max(first, last + 1)];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const _id = bucketId(accountId, kind, middle * ROWS_PER_BUCKET);
      const found = await this.#rowsIn(collections.history).findOne({ _id }, { projection: { lastTimeMs: 1, lastSeq: 1 } });
      if (found !== null && reaches(found)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #rowsIn(name: typeof collections.history | typeof collections.orderEnds) {
    return this.#mongo.db.collection<RowsDocument>(name);
  }
}

/** Bucket of a row number; -1 for none. */
export const bucketOf = (number: number): number => Math.floor(number / ROWS_PER_BUCKET);

/** Whose past is read, and for which request: what the account is asked carries its id. */
export interface Past extends Omit<AskOptions, 'withHash'> {
  readonly accountId: string;
}

/** One kind of rows of it. */
export type PastRows = Past & RowSeries;

/** Rows of one kind that the actor holds. */
export interface ActorRows {
  /** Those that were wanted, by rising numbers. */
  readonly rows: readonly NumberedRow[];
  /** True when more are wanted than came: later ones, or earlier ones where the newest come first. */
  readonly isCut: boolean;
  /** Number of the next row that the account will get. */
  readonly total: number;
  /** Rows before this one were removed; it is the first of a bucket. */
  readonly first: number;
  /** Rows with lower numbers are in MongoDB only. */
  readonly from: number;
  /** Time of that row; absent when nothing is held. */
  readonly fromMs?: number;
}

/**
 * The part of an account's history that its actor holds, because MongoDB may not have it yet: asked for by kind, number and
 * time, a bounded number of rows at a time. Rows with lower numbers than it holds are in MongoDB only.
 */
export class HeldHistory {
  readonly #gateway: Pick<AccountGateway, 'ask'>;

  constructor(gateway: Pick<AccountGateway, 'ask'>) {
    this.#gateway = gateway;
  }

  /** @throws {RequestError} as the gateway does */
  async rows(past: PastRows, want: RowsWanted): Promise<ActorRows> {
    const { answer } = await this.#gateway.ask(past.accountId, { kind: 'history', rows: past.kind, want }, askOptionsOf(past));
    const { rows, total, first, held } = answer;
    return { rows, isCut: false, total, first, ...held };
  }
}

/** The account's limits count no reading of its past. */
export const askOptionsOf = ({ requestId, trace, opensEmpty }: Past): AskOptions => ({
  requestId,
  trace,
  ...(opensEmpty && { opensEmpty }),
});
