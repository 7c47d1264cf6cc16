// One past out of two places: rows that the account's actor holds and rows in MongoDB, by their numbers. A reading takes
// several questions when there is much to read. Rows move from the actor to MongoDB meanwhile, never back, so each question
// says anew from which number on the actor has them.
import { type NumberedRow, ROWS_PER_BUCKET, type RowsWanted } from '../../actors/core/messages/historyRows.ts';
import {
  type ActorRows,
  BUCKETS_PER_LOOKUP,
  bucketOf,
  type HeldHistory,
  MissingRows,
  type PastRows,
  type StoredHistory,
} from './historySources.ts';

/** Both times inclusive. The oldest `limit` rows of the range, or the newest when `newestFirst`. */
export interface HistoryRange {
  readonly startMs: number;
  readonly endMs?: number;
  readonly limit: number;
  readonly newestFirst?: boolean;
}

export class MergedHistory {
  readonly #held: HeldHistory;
  readonly #stored: StoredHistory;

  constructor(held: HeldHistory, stored: StoredHistory) {
    this.#held = held;
    this.#stored = stored;
  }

  /** The oldest rows of a range, oldest first. @throws as `sequencedRows`, and {RequestError} as the gateway does */
  async oldest(past: PastRows, range: HistoryRange): Promise<NumberedRow[]> {
    const { startMs, endMs, limit } = range;
    const times: Omit<RowsWanted, 'limit'> = { startMs, ...(endMs !== undefined && { endMs }) };
    let held = await this.#held.rows(past, { ...times, limit });
    const found: NumberedRow[] = [];
    let next = reachesBack(held, startMs) ? await this.#numberAt(past, held, startMs) : held.from;
    while (found.length < limit) {
      if (next < held.from) {
        const last = Math.min(bucketOf(held.from - 1), bucketOf(next) + bucketsFor(limit - found.length) - 1);
        const rows = await this.#between(past, held, { from: next, before: Math.min((last + 1) * ROWS_PER_BUCKET, held.from) });
        found.push(...rows.filter(isWithin(range)));
        if (isAfter(rows.at(-1), range)) break;
        next = Math.min((last + 1) * ROWS_PER_BUCKET, held.from);
        continue;
      }
      found.push(...held.rows.filter(({ number }) => number >= next));
      if (!held.isCut || found.length >= limit) break;
      next = (held.rows.at(-1)?.number ?? next) + 1;
      held = await this.#again(past, held, { ...times, from: next, limit: limit - found.length }, next);
    }
    return found.slice(0, limit);
  }

  /** The newest rows of a range, newest first. @throws as `oldest` */
  async newest(past: PastRows, range: HistoryRange): Promise<NumberedRow[]> {
    const { startMs, endMs, limit } = range;
    const times: Omit<RowsWanted, 'limit'> = { startMs, ...(endMs !== undefined && { endMs }), newestFirst: true };
    let held = await this.#held.rows(past, { ...times, limit });
    const found = held.rows.toReversed();
    let before = held.from;
    while (held.isCut && found.length < limit) {
      before = found.at(-1)?.number ?? held.from;
      held = await this.#again(past, held, { ...times, before, limit: limit - found.length }, held.first);
      found.push(...held.rows.toReversed());
      before = Math.min(before, held.from);
    }
    if (found.length >= limit || !reachesBack(held, startMs)) return found.slice(0, limit);
    if (endMs !== undefined && reachesBack(held, endMs))
      before = Math.min(before, await this.#numberAfter(past, { ...held, from: before }, endMs));
    while (before > held.first && found.length < limit) {
      const lowest = Math.max(bucketOf(held.first), bucketOf(before - 1) - bucketsFor(limit - found.length) + 1);
      const from = lowest * ROWS_PER_BUCKET;
      const rows = await this.#between(past, held, { from, before });
      found.push(...rows.filter(isWithin(range)).reverse());
      if (rows[0] && rows[0].row.timeMs < startMs) break;
      before = from;
    }
    return found.slice(0, limit);
  }

  /** Every row of `from <= number < before`, oldest first. @param held of an answer just now @throws as `oldest` */
  async numbered(past: PastRows, held: ActorRows, { from, before }: { from: number; before: number }): Promise<NumberedRow[]> {
    const fromActor: NumberedRow[] = held.rows.filter(({ number }) => number >= from && number < before);
    let answer = held;
    let end = fromActor[0]?.number ?? before;
    if ((fromActor.at(-1)?.number ?? before - 1) !== before - 1) {
      fromActor.length = 0;
      end = before;
    }
    while (end > Math.max(from, answer.from)) {
      answer = await this.#again(past, answer, { from, before: end, limit: end - from, newestFirst: true }, answer.first);
      fromActor.unshift(...answer.rows);
      end = Math.min(end, answer.rows[0]?.number ?? answer.from);
    }
    const rows = [...(from < end ? await this.#between(past, answer, { from, before: end }) : []), ...fromActor];
    if (rows.length !== before - from) throw new MissingRows(`${before - from - rows.length} rows are in neither place`);
    return rows;
  }

  /** A number that no row up to `timeMs` reaches: the end of the bucket in which later rows begin. */
  async #numberAfter(past: PastRows, { first, from }: ActorRows, timeMs: number): Promise<number> {
    const kept = { first: bucketOf(first), last: bucketOf(from - 1) };
    return ((await this.#stored.firstBucketEnding(past, kept, timeMs + 1)) + 1) * ROWS_PER_BUCKET;
  }

  /** The end of what lies up to `endMs`: all, when what is held begins before it. */
  async endAt(past: PastRows, held: ActorRows, endMs: number | undefined): Promise<number> {
    if (endMs === undefined || !reachesBack(held, endMs)) return held.total;
    return Math.min(held.total, await this.#numberAfter(past, held, endMs));
  }

  /** The first row of the bucket in which rows from `timeMs` on begin. */
  async #numberAt(past: PastRows, { first, from }: ActorRows, timeMs: number): Promise<number> {
    const kept = { first: bucketOf(first), last: bucketOf(from - 1) };
    return Math.min((await this.#stored.firstBucketEnding(past, kept, timeMs)) * ROWS_PER_BUCKET, from);
  }

  /** Rows in MongoDB alone: from the first of a bucket on. */
  async #between(past: PastRows, held: ActorRows, { from, before }: { from: number; before: number }): Promise<NumberedRow[]> {
    const rows = await this.#stored.rows(past, { first: bucketOf(from), last: bucketOf(before - 1), before });
    return rows.filter(({ number }) => number >= Math.max(from, held.first));
  }

  /** The next part. A history that has lost rows from `from` on since the last part is read anew from its new beginning. */
  async #again(past: PastRows, { first }: ActorRows, want: RowsWanted, from: number): Promise<ActorRows> {
    const held = await this.#held.rows(past, want);
    if (held.first > Math.max(first, from)) throw new MissingRows('the history has begun anew meanwhile');
    return held;
  }
}

/** Buckets that hold `rows` rows wherever the first of them begins. */
const bucketsFor = (rows: number): number => Math.min(Math.ceil(rows / ROWS_PER_BUCKET) + 1, BUCKETS_PER_LOOKUP);

const isWithin =
  ({ startMs, endMs = Number.POSITIVE_INFINITY }: HistoryRange) =>
  ({ row: { timeMs } }: NumberedRow): boolean =>
    timeMs >= startMs && timeMs <= endMs;

const isAfter = (row: NumberedRow | undefined, { endMs = Number.POSITIVE_INFINITY }: HistoryRange): boolean =>
  row !== undefined && row.row.timeMs > endMs;

/** True when rows older than the held ones may be of `timeMs` or later. */
const reachesBack = ({ fromMs }: ActorRows, timeMs: number): boolean => fromMs === undefined || fromMs >= timeMs;
