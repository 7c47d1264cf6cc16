// Reads an account's history as a client may see it: rows that the account's actor still holds and rows in MongoDB,
// merged by their numbers, so that a fill that has been acknowledged is never missing.
import { setTimeout as pause } from 'node:timers/promises';
import { MongoError } from 'mongodb';
import type { AccountQuery, HistoryKind, OrderTarget } from '../../actors/domain/messages/command.ts';
import { type FillRow, type NumberedRow, type OrderRow, ROWS_PER_BUCKET } from '../../actors/domain/messages/historyRows.ts';
import type { AnswerOf } from '../../actors/domain/messages/outcome.ts';
import { assert } from '../../shared/domain/assert.ts';
import { NewerFormat } from '../../shared/domain/formats.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { AccountGateway } from './accountGateway.ts';
import { BUCKETS_PER_LOOKUP, bucketOf, MissingRows, type RowSeries, type SequencedRow, StoredHistory } from './storedHistory.ts';

/** A row that is in neither place is on its way to MongoDB; it is looked for this often before the request fails. */
const ATTEMPTS_MAX = 4;
const ATTEMPT_PAUSE_MS = 100;

/** Both ends inclusive. The oldest `limit` rows of the range, or the newest when `newestFirst`. */
export interface HistoryRange {
  readonly startMs: number;
  readonly endMs?: number;
  readonly limit: number;
  readonly newestFirst?: boolean;
}

/** Rows below `before` (absent = all), at most `limit`. Both times are included. */
export interface HistoryPageWanted {
  readonly before?: number | undefined;
  readonly startMs: number;
  readonly endMs?: number | undefined;
  readonly limit: number;
}

export interface HistoryPage {
  /** Newest first. */
  readonly rows: readonly NumberedRow[];
  /** `before` of the next page; `null` when no row of the range is left. */
  readonly next: number | null;
  /** Numbers of the next row that the account will get, and of the first row that is kept. */
  readonly total: number;
  readonly first: number;
}

/** Rows of one kind that the actor holds, oldest first: the last ones of `total`. */
interface Held {
  readonly rows: readonly NumberedRow[];
  readonly total: number;
  /** Rows before this one were removed; it is the first of a bucket. */
  readonly first: number;
  /** Rows with lower numbers are in MongoDB only. */
  readonly firstNumber: number;
}

export class HistoryReader {
  readonly #gateway: AccountGateway;
  readonly #stored: StoredHistory;

  constructor(parts: { gateway: AccountGateway; mongo: MongoConnection }) {
    this.#gateway = parts.gateway;
    this.#stored = new StoredHistory(parts.mongo);
  }

  /**
   * The newest rows of a kind, newest first.
   * @throws {RequestError} 503 `store_unavailable` when rows cannot be had now, and as the gateway does
   */
  async latest(accountId: string, kind: HistoryKind, limit: number): Promise<NumberedRow[]> {
    const past = { accountId, kind };
    return await completely(async () => {
      const held = await this.#held(past);
      const from = Math.max(held.first, held.total - limit);
      const stored: NumberedRow[] = [];
      for (let bucket = bucketOf(held.firstNumber - 1); bucket >= bucketOf(from) && from < held.firstNumber; ) {
        const lowest = Math.max(bucketOf(from), bucket - BUCKETS_PER_LOOKUP + 1);
        stored.unshift(...(await this.#stored.rows(past, { first: lowest, last: bucket, before: held.firstNumber })));
        bucket = lowest - 1;
      }
      return [...stored, ...held.rows].filter(({ number }) => number >= from).toReversed();
    });
  }

  /** Rows of a kind by time. @throws as `latest` */
  async between(accountId: string, kind: HistoryKind, range: HistoryRange): Promise<NumberedRow[]> {
    const past = { accountId, kind };
    return await completely(async () => {
      const held = await this.#held(past);
      return range.newestFirst ? await this.#newestBetween(past, held, range) : await this.#oldestBetween(past, held, range);
    });
  }

  /**
   * The newest rows below a number, newest first: at most `limit`, those among them that are in the range of time. Costs one
   * look-up, whatever lies before, and with `endMs` a search by halves for the first page.
   * @throws as `latest`
   */
  async page(accountId: string, kind: HistoryKind, want: HistoryPageWanted): Promise<HistoryPage> {
    const past = { accountId, kind };
    const { before, startMs, endMs, limit } = want;
    return await completely(async () => {
      const held = await this.#held(past);
      const end = Math.min(before ?? (await this.#numberAfter(past, held, endMs)), held.total);
      const from = Math.max(held.first, end - limit);
      const stored =
        from < Math.min(end, held.firstNumber)
          ? await this.#stored.rows(past, {
              first: bucketOf(from),
              last: bucketOf(Math.min(end, held.firstNumber) - 1),
              before: held.firstNumber,
            })
          : [];
      const read = [...stored, ...held.rows].filter(({ number }) => number >= from && number < end).toReversed();
      const isOver = from <= held.first || (read.at(-1)?.row.timeMs ?? startMs) < startMs;
      const inRange = isWithin({ startMs, ...(endMs !== undefined && { endMs }), limit });
      return { rows: read.filter(inRange), next: isOver ? null : from, total: held.total, first: held.first };
    });
  }

  /** A number that no row up to `timeMs` reaches: the end of the bucket in which later rows begin. */
  async #numberAfter(past: RowSeries, held: Held, timeMs: number | undefined): Promise<number> {
    if (timeMs === undefined || isBefore(held, timeMs)) return held.total;
    const last = bucketOf(held.firstNumber - 1);
    const bucket = await this.#stored.firstBucketEnding(past, { first: bucketOf(held.first), last }, timeMs + 1);
    return (bucket + 1) * ROWS_PER_BUCKET;
  }

  /**
   * Rows of the entries after `afterSeq` and up to `toSeq`, oldest first, as far as they are kept. For entries that the
   * account no longer holds: MongoDB has their rows.
   * @param want.limit rows at most, about: buckets are read whole
   * @throws as `latest`
   */
  async stored(
    accountId: string,
    kind: HistoryKind,
    want: { afterSeq: number; toSeq: number; limit: number },
  ): Promise<SequencedRow[]> {
    const { afterSeq, toSeq, limit } = want;
    const past = { accountId, kind };
    return await completely(async () => {
      const { first, firstNumber } = await this.#held(past);
      const last = bucketOf(firstNumber - 1);
      const found: SequencedRow[] = [];
      let bucket = await this.#stored.firstBucketAfter(past, { first: bucketOf(first), last }, afterSeq);
      for (; bucket <= last && found.length < limit; bucket++) {
        const rows = await this.#stored.sequencedRows(past, { first: bucket, last: bucket, before: firstNumber });
        found.push(...rows.filter(({ seq }) => seq > afterSeq && seq <= toSeq));
        if ((rows.at(-1)?.seq ?? 0) > toSeq) break;
      }
      return found;
    });
  }

  /** The newest row of an order that is open or has ended. @throws as `latest` */
  async findOrder(accountId: string, target: OrderTarget): Promise<OrderRow | undefined> {
    const answer = await this.#ask(accountId, { kind: 'orderStatus', target });
    if (answer === undefined) return undefined;
    if (answer.found !== 'notHere') return answer.found;
    return await completely(async () => {
      const oid = 'oid' in target ? target.oid : await this.#stored.oidOf(accountId, target.cloid);
      return oid === undefined ? undefined : await this.#stored.orderEnd(accountId, { oid, firstRow: answer.firstRow });
    });
  }

  /** The fill with this tid. Tids of an account rise with the numbers of its rows, so few documents are read. @throws as `latest` */
  async findFill(accountId: string, tid: number): Promise<FillRow | undefined> {
    for (const kind of ['fills', 'twapFills'] as const) {
      const found = await completely(() => this.#findFill({ accountId, kind }, tid));
      if (found) return found;
    }
    return undefined;
  }

  async #findFill(past: RowSeries, tid: number): Promise<FillRow | undefined> {
    const held = await this.#held(past);
    if (tid >= tidOf(held.rows[0])) return fillIn(held.rows, tid);
    const before = held.firstNumber;
    let [low, high] = [bucketOf(held.first), bucketOf(before - 1)];
    while (low <= high) {
      const middle = Math.floor((low + high) / 2);
      const rows = await this.#stored.rows(past, { first: middle, last: middle, before });
      if (tid < tidOf(rows[0])) high = middle - 1;
      else if (tid > tidOf(rows.at(-1))) low = middle + 1;
      else return fillIn(rows, tid);
    }
    return undefined;
  }

  async #oldestBetween(past: RowSeries, held: Held, range: HistoryRange): Promise<NumberedRow[]> {
    const inRange = isWithin(range);
    const last = bucketOf(held.firstNumber - 1);
    const found: NumberedRow[] = [];
    const kept = { first: bucketOf(held.first), last };
    let first = isBefore(held, range.startMs) ? last + 1 : await this.#stored.firstBucketEnding(past, kept, range.startMs);
    while (first <= last && found.length < range.limit) {
      const to = Math.min(last, first + bucketsFor(range.limit - found.length) - 1);
      const rows = await this.#stored.rows(past, { first, last: to, before: held.firstNumber });
      found.push(...rows.filter(inRange));
      if (rows.at(-1) && isAfter(rows.at(-1) as NumberedRow, range)) break;
      first = to + 1;
    }
    return [...found, ...held.rows.filter(inRange)].slice(0, range.limit);
  }

  async #newestBetween(past: RowSeries, held: Held, range: HistoryRange): Promise<NumberedRow[]> {
    const inRange = isWithin(range);
    const found = held.rows.filter(inRange).toReversed();
    const lowest = bucketOf(held.first);
    let last = bucketOf(held.firstNumber - 1);
    if (isBefore(held, range.startMs)) last = -1;
    else if (range.endMs !== undefined) {
      last = Math.min(last, await this.#stored.firstBucketEnding(past, { first: lowest, last }, range.endMs + 1));
    }
    while (last >= lowest && found.length < range.limit) {
      const first = Math.max(lowest, last - bucketsFor(range.limit - found.length) + 1);
      const rows = await this.#stored.rows(past, { first, last, before: held.firstNumber });
      found.push(...rows.filter(inRange).toReversed());
      if (rows[0] && rows[0].row.timeMs < range.startMs) break;
      last = first - 1;
    }
    return found.slice(0, range.limit);
  }

  async #held({ accountId, kind }: RowSeries): Promise<Held> {
    const answer = await this.#ask(accountId, { kind: 'history', rows: kind });
    const { rows, total, first } = answer ?? { rows: [], total: 0, first: 0 };
    return { rows, total, first, firstNumber: rows[0]?.number ?? total };
  }

  /** undefined for an account that was never opened. */
  async #ask<K extends 'history' | 'orderStatus'>(
    accountId: string,
    query: AccountQuery & { readonly kind: K },
  ): Promise<AnswerOf<K> | undefined> {
    const outcome = await this.#gateway.send(accountId, { type: 'query', query }, { requestId: `history:${query.kind}` });
    if (outcome.type === 'unknownAccount') return undefined;
    assert(outcome.type === 'answer' && outcome.answer.kind === query.kind, `a ${query.kind} query is answered by its answer`);
    return outcome.answer as AnswerOf<K>;
  }
}

function fillIn(rows: readonly NumberedRow[], tid: number): FillRow | undefined {
  for (const numbered of rows) if (isFill(numbered) && numbered.row.tid === tid) return numbered.row;
  return undefined;
}

/** Infinite where there is no fill. */
const tidOf = (numbered: NumberedRow | undefined): number =>
  numbered && isFill(numbered) ? numbered.row.tid : Number.POSITIVE_INFINITY;

const isFill = (numbered: NumberedRow): numbered is Extract<NumberedRow, { kind: 'fills' | 'twapFills' }> =>
  numbered.kind === 'fills' || numbered.kind === 'twapFills';

/** Tries again while a row is in neither place. After the last try, and when MongoDB does not answer, the request fails. */
async function completely<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      const isMissing = error instanceof MissingRows;
      if (!isMissing && !(error instanceof MongoError) && !(error instanceof NewerFormat)) throw error;
      if (!isMissing || attempt === ATTEMPTS_MAX) throw unavailable(error);
      await pause(ATTEMPT_PAUSE_MS);
    }
  }
}

function unavailable(cause: Error): RequestError {
  const error = new RequestError(503, 'store_unavailable', 'The history cannot be read at the moment.', { 'Retry-After': '1' });
  error.cause = cause;
  return error;
}

/** Buckets that hold `rows` rows wherever the first of them begins. */
const bucketsFor = (rows: number): number => Math.min(Math.ceil(rows / ROWS_PER_BUCKET) + 1, BUCKETS_PER_LOOKUP);

const isWithin =
  ({ startMs, endMs = Number.POSITIVE_INFINITY }: HistoryRange) =>
  ({ row: { timeMs } }: NumberedRow): boolean =>
    timeMs >= startMs && timeMs <= endMs;

const isAfter = ({ row: { timeMs } }: NumberedRow, { endMs = Number.POSITIVE_INFINITY }: HistoryRange): boolean => timeMs > endMs;

/** True when rows older than the held ones cannot reach `timeMs`. */
const isBefore = ({ rows: [oldest] }: Held, timeMs: number): boolean => oldest !== undefined && oldest.row.timeMs < timeMs;
