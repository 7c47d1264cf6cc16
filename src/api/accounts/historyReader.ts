// Reads an account's history as a client may see it: rows that the account's actor still holds and rows in MongoDB,
// merged by their numbers, so that a fill that has been acknowledged is never missing.
import { MongoError } from 'mongodb';
import type { FillRow, HistoryKind, NumberedRow, OrderRow } from '../../actors/core/messages/historyRows.ts';
import type { OrderTarget } from '../../actors/core/messages/order.ts';
import { NewerFormat } from '../../shared/domain/formats.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { retry } from '../../shared/retrying.ts';
import type { AccountGateway } from './accountGateway.ts';
import {
  askOptionsOf,
  bucketOf,
  HeldHistory,
  MissingRows,
  type Past,
  type PastRows,
  type SequencedRow,
  StoredHistory,
} from './historySources.ts';
import { type HistoryRange, MergedHistory } from './mergedHistory.ts';

/** A row that is in neither place is on its way to MongoDB; it is looked for this often before the request fails. */
const ATTEMPTS_MAX = 4;
const ATTEMPT_PAUSE_MS = 100;

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

export class HistoryReader {
  readonly #gateway: Pick<AccountGateway, 'ask'>;
  readonly #held: HeldHistory;
  readonly #stored: StoredHistory;
  readonly #merged: MergedHistory;

  constructor(parts: { gateway: Pick<AccountGateway, 'ask'>; mongo: MongoConnection }) {
    this.#gateway = parts.gateway;
    this.#held = new HeldHistory(parts.gateway);
    this.#stored = new StoredHistory(parts.mongo);
    this.#merged = new MergedHistory(this.#held, this.#stored);
  }

  /**
   * The newest rows of a kind, newest first.
   * @throws {RequestError} 503 `store_unavailable` when rows cannot be had now, and as the gateway does
   */
  async latest(past: Past, kind: HistoryKind, limit: number): Promise<NumberedRow[]> {
    return await completely(() => this.#merged.newest({ ...past, kind }, { startMs: 0, limit }));
  }

  /** Rows of a kind by time. @throws as `latest` */
  async between(past: Past, kind: HistoryKind, range: HistoryRange): Promise<NumberedRow[]> {
    const rows = { ...past, kind };
    return await completely(() => (range.newestFirst ? this.#merged.newest(rows, range) : this.#merged.oldest(rows, range)));
  }

  /**
   * The newest rows below a number, newest first: at most `limit`, those among them that are in the range of time. Costs one
   * look-up, whatever lies before, and with `endMs` a search by halves for the first page.
   * @throws as `latest`
   */
  async page(of: Past, kind: HistoryKind, want: HistoryPageWanted): Promise<HistoryPage> {
    const past = { ...of, kind };
    const { before, startMs, endMs = Number.POSITIVE_INFINITY, limit } = want;
    return await completely(async () => {
      const upTo = before === undefined ? {} : { before, from: Math.max(0, before - limit) };
      const held = await this.#held.rows(past, { ...upTo, limit, newestFirst: true });
      const end = Math.min(before ?? (await this.#merged.endAt(past, held, want.endMs)), held.total);
      const from = Math.max(held.first, end - limit);
      const read = from < end ? (await this.#merged.numbered(past, held, { from, before: end })).reverse() : [];
      const isOver = from <= held.first || (read.at(-1)?.row.timeMs ?? startMs) < startMs;
      const rows = read.filter(({ row: { timeMs } }) => timeMs >= startMs && timeMs <= endMs);
      return { rows, next: isOver ? null : from, total: held.total, first: held.first };
    });
  }

  /**
   * Rows of the entries after `afterSeq` and up to `toSeq`, oldest first, as far as they are kept. For entries that the
   * account no longer holds: MongoDB has their rows.
   * @param want.limit rows at most, about: buckets are read whole
   * @throws as `latest`
   */
  async stored(of: Past, kind: HistoryKind, want: { afterSeq: number; toSeq: number; limit: number }): Promise<SequencedRow[]> {
    const { afterSeq, toSeq, limit } = want;
    const past = { ...of, kind };
    return await completely(async () => {
      const { first, from: before } = await this.#held.rows(past, { limit: 0 });
      const last = bucketOf(before - 1);
      const found: SequencedRow[] = [];
      let bucket = await this.#stored.firstBucketAfter(past, { first: bucketOf(first), last }, afterSeq);
      for (; bucket <= last && found.length < limit; bucket++) {
        const rows = await this.#stored.sequencedRows(past, { first: bucket, last: bucket, before });
        found.push(...rows.filter(({ seq }) => seq > afterSeq && seq <= toSeq));
        if ((rows.at(-1)?.seq ?? 0) > toSeq) break;
      }
      return found;
    });
  }

  /** The newest row of an order that is open or has ended. @throws as `latest` */
  async findOrder(past: Past, target: OrderTarget): Promise<OrderRow | undefined> {
    const { accountId } = past;
    const { answer } = await this.#gateway.ask(accountId, { kind: 'orderStatus', target }, askOptionsOf(past));
    if (answer.found !== 'notHere') return answer.found;
    return await completely(async () => {
      const oid = 'oid' in target ? target.oid : await this.#stored.oidOf(accountId, target.cloid);
      return oid === undefined ? undefined : await this.#stored.orderEnd(accountId, { oid, firstRow: answer.firstRow });
    });
  }

  /** The fill with this tid. Tids of an account rise with the numbers of its rows, so few documents are read. @throws as `latest` */
  async findFill(past: Past, tid: number): Promise<FillRow | undefined> {
    for (const kind of ['fills', 'twapFills'] as const) {
      const found = await completely(() => this.#findFill({ ...past, kind }, tid));
      if (found) return found;
    }
    return undefined;
  }

  async #findFill(past: PastRows, tid: number): Promise<FillRow | undefined> {
    const held = await this.#held.rows(past, { maxTid: tid, limit: 1, newestFirst: true });
    if (held.rows.length > 0) return fillIn(held.rows, tid);
    const before = held.from;
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
const completely = <Result>(read: () => Promise<Result>): Promise<Result> =>
  retry(read, {
    ...{ of: 'history_rows', firstMs: ATTEMPT_PAUSE_MS },
    onFailure: (error, attempt) => {
      const isMissing = error instanceof MissingRows;
      if (!isMissing && !(error instanceof MongoError) && !(error instanceof NewerFormat)) throw error;
      if (!isMissing || attempt === ATTEMPTS_MAX) throw unavailable(error);
    },
  });

function unavailable(cause: Error): RequestError {
  const error = new RequestError(503, 'store_unavailable', 'The history cannot be read at the moment.', { 'Retry-After': '1' });
  error.cause = cause;
  return error;
}
