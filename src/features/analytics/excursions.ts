// The excursions of the round trips that an answer shows: those that are kept, and as many of the others as one request may work out.
// A question about the own account is never refused for them: what cannot be had now is missing with its reason, and the answer says when
// to ask again. What was worked out is kept, so that the next request goes on from there.

import { MongoError } from 'mongodb';
import type { FillRow, NumberedRow, RoundTripRow } from '../../actors/core/messages/historyRows.ts';
import { paidBy } from '../../api/accounts/askVenue.ts';
import type { KeptExcursion, NoExcursion, NumberedTrip } from '../../api/accounts/excursionStore.ts';
import { readCandles } from '../../api/accounts/readCandles.ts';
import { type Call, pastOf, type Services } from '../../api/accounts/services.ts';
import { SETTLED_MS } from '../../api/domain/candles.ts';
import {
  excursionOf,
  lengthOf,
  type PriceRange,
  type Resolution,
  resolutionFor,
  wholeCandles,
} from '../../api/domain/excursion.ts';
import { NewerFormat } from '../../shared/domain/formats.ts';
import { groupedBy } from '../../shared/domain/groups.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { RequestError, RetryableError } from '../../shared/errors.ts';
import { withTimeout } from '../../shared/waiting.ts';

/** Candles that one request reads: at most two coins' whole reach, at the venue a weight of 208. */
const CANDLES_READ_MAX = 10_000;
/** Rows of fills, and of slices' fills, that one request reads. */
const FILLS_READ_MAX = 8192;
const FILLS_PER_LOOKUP = 1024;
/** How long an answer waits for what is worked out, ms. The work itself goes on, and is kept. */
const WAIT_MS_MAX = 3000;
/** When the rest may be asked for, ms: an answer of a whole history is kept as long. */
const AGAIN_MS = 5000;
/** After this time the venue will not have a candle that it has not now, ms. */
const SURE_MS = DAY_MS;
const PRICE = /^\d+(\.\d+)?$/;

/** Why a trip has no excursion, or has none yet. */
export type MissingExcursion = NoExcursion | 'not_whole' | 'later';
export type ToldExcursion = Exclude<KeptExcursion, { missing: unknown }> | { readonly missing: MissingExcursion };

export interface Excursions {
  of(trip: RoundTripRow): ToldExcursion;
  /** When those that are missing for now may be asked for, ms; undefined where none are. */
  readonly againMs: number | undefined;
}

/** @param keptSince the first entry of which all fills are kept @throws {RequestError} as the history does */
export async function readExcursions(
  services: Services,
  call: Call,
  { trips, keptSince }: { readonly trips: readonly NumberedTrip[]; readonly keptSince: number },
): Promise<Excursions> {
  const work = new Work(services, call);
  const reading = work.run(trips, keptSince);
  try {
    await withTimeout(WAIT_MS_MAX, 'the excursions of round trips', reading);
  } catch (error) {
    reading.catch((late: unknown) => late !== error && services.log.warn({ err: late }, 'excursions could not be worked out'));
    if (!isAway(error)) throw error;
    services.log.warn({ reason: String(error) }, 'excursions of round trips are told later');
    work.waitUntil(services.now() + AGAIN_MS);
  }
  const isWhole = ({ openedSeq }: RoundTripRow): boolean => openedSeq >= keptSince;
  const found = new Map(work.found);
  const of = (trip: RoundTripRow): ToldExcursion => found.get(trip.tid) ?? { missing: isWhole(trip) ? 'later' : 'not_whole' };
  return {
    of,
    againMs: trips.some(({ row }) => 'missing' in of(row) && isWhole(row) && !found.has(row.tid)) ? work.againMs : undefined,
  };
}

/** Whether another try may succeed: a store or the venue is away. */
const isAway = (error: unknown): boolean =>
  error instanceof RetryableError ||
  error instanceof MongoError ||
  error instanceof NewerFormat ||
  (error instanceof RequestError && (error.status === 429 || error.status >= 500));

/** Candles of a coin that trips of an answer share. */
interface Span {
  readonly coin: string;
  readonly interval: Resolution;
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Wanted extends NumberedTrip {
  readonly interval: Resolution;
  /** Name of its span; undefined where no whole candle lies in the trip. */
  readonly span: string | undefined;
}

interface ReadFills {
  /** Oldest first. */
  readonly byCoin: ReadonlyMap<string, readonly FillRow[]>;
  /** There are older ones in the range. */
  readonly isCut: boolean;
}

class Work {
  readonly found = new Map<number, KeptExcursion>();
  readonly #services: Services;
  readonly #call: Call;
  #againMs: number;

  constructor(services: Services, call: Call) {
    this.#services = services;
    this.#call = call;
    this.#againMs = services.now() + AGAIN_MS;
  }

  get againMs(): number {
    return this.#againMs;
  }

  waitUntil(timeMs: number): void {
    this.#againMs = Math.max(this.#againMs, timeMs);
  }

  async run(trips: readonly NumberedTrip[], keptSince: number): Promise<void> {
    const { excursions: store } = this.#services;
    const { accountId } = this.#call.caller;
    for (const [tid, kept] of (await store?.read(accountId, trips)) ?? []) this.found.set(tid, kept);
    const missing = trips.filter(({ row }) => !this.found.has(row.tid) && row.openedSeq >= keptSince);
    if (missing.length === 0) return;
    const { wanted, spans } = this.#bounded(missing.toSorted((a, b) => b.row.tid - a.row.tid));
    const fills = await this.#fillsOf(wanted);
    const candles = new Map(
      await Promise.all([...spans].map(async ([name, span]) => [name, await this.#candlesOf(span)] as const)),
    );
    const made = wanted.flatMap((trip) => {
      const excursion = this.#excursionOf(trip, { fills, candles, isNewest: trip === wanted[0] });
      return excursion === undefined ? [] : [{ ...trip, excursion }];
    });
    for (const { row, excursion } of made) this.found.set(row.tid, excursion);
    const isSure = ({ row, excursion }: (typeof made)[number]): boolean =>
      !('missing' in excursion) || excursion.missing !== 'no_candles' || row.timeMs < this.#services.now() - SURE_MS;
    await store?.keep(accountId, made.filter(isSure));
  }

  /** The newest trips whose candles are within the bound. One whose last candle may still change comes later. */
  #bounded(trips: readonly NumberedTrip[]): { wanted: Wanted[]; spans: Map<string, Span> } {
    const nowMs = this.#services.now();
    const wanted: Wanted[] = [];
    const spans = new Map<string, Span>();
    let candles = 0;
    for (const trip of trips) {
      const { coin, openedAtMs, timeMs } = trip.row;
      const interval = resolutionFor(openedAtMs, nowMs);
      const own = wholeCandles(interval, openedAtMs, timeMs);
      if (own.fromMs === own.untilMs) {
        wanted.push({ ...trip, interval, span: undefined });
        continue;
      }
      if (own.untilMs + SETTLED_MS > nowMs) {
        this.waitUntil(own.untilMs + SETTLED_MS);
        continue;
      }
      const span = `${coin} ${interval}`;
      const { fromMs, untilMs } = spans.get(span) ?? own;
      const wider = { coin, interval, fromMs: Math.min(fromMs, own.fromMs), untilMs: Math.max(untilMs, own.untilMs) };
      const before = spans.has(span) ? untilMs - fromMs : 0;
      const more = (wider.untilMs - wider.fromMs - before) / lengthOf(interval);
      if (candles + more > CANDLES_READ_MAX) continue;
      candles += more;
      spans.set(span, wider);
      wanted.push({ ...trip, interval, span });
    }
    return { wanted, spans };
  }

  /** The newest fills of the time of these trips, as far back as the bound lets. */
  async #fillsOf(wanted: readonly Wanted[]): Promise<ReadFills> {
    const startMs = Math.min(...wanted.map(({ row }) => row.openedAtMs));
    const endMs = Math.max(...wanted.map(({ row }) => row.timeMs));
    const read = await Promise.all([this.#newestFills('fills', startMs, endMs), this.#newestFills('twapFills', startMs, endMs)]);
    // What is older than the oldest row that was read of a kind may lack rows of it.
    const firstTid = Math.max(...read.map(({ fromTid }) => fromTid));
    const whole = read.flatMap(({ rows }) => rows).filter(({ tid }) => tid >= firstTid);
    const byCoin = groupedBy(
      whole.sort((a, b) => a.tid - b.tid),
      ({ coin }) => coin,
    );
    return { byCoin, isCut: firstTid > 0 };
  }

  async #newestFills(kind: 'fills' | 'twapFills', startMs: number, endMs: number): Promise<{ rows: FillRow[]; fromTid: number }> {
    const rows: FillRow[] = [];
    if (startMs > endMs) return { rows, fromTid: 0 };
    let before: number | undefined;
    do {
      const past = pastOf(this.#call);
      const page = await this.#services.history.page(past, kind, { before, startMs, endMs, limit: FILLS_PER_LOOKUP });
      rows.push(...page.rows.map(({ row }: NumberedRow) => row as FillRow));
      if (page.next === null) return { rows, fromTid: 0 };
      before = page.next;
    } while (rows.length < FILLS_READ_MAX);
    return { rows, fromTid: rows.at(-1)?.tid ?? 0 };
  }

  /** Undefined where the venue may not be asked now. */
  async #candlesOf({ coin, interval, fromMs, untilMs }: Span): Promise<readonly PriceRange[] | undefined> {
    const range = { coin, interval, startTime: fromMs, endTime: untilMs - 1 };
    try {
      return (await readCandles(range, paidBy(this.#services, this.#call))).filter(hasPrices);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      // Such a coin is unknown to the venue by now.
      if (!isAway(error)) return [];
      this.waitUntil(this.#services.now() + 1000 * Number(error.headers['Retry-After'] ?? 1));
      return undefined;
    }
  }

  /** Undefined: later. Fills are read from the newest trip on, so one whose fills do not fit is met as the newest in the end. */
  #excursionOf({ row, interval, span }: Wanted, { fills, candles, isNewest }: Material): KeptExcursion | undefined {
    const of = fills.byCoin.get(row.coin) ?? [];
    const end = of.findIndex(({ tid }) => tid === row.tid) + 1;
    const own = of.slice(Math.max(0, end - row.fills), end);
    if (own.length < row.fills) return fills.isCut && isNewest ? { missing: 'too_many_fills' } : undefined;
    const prices = span === undefined ? [] : candles.get(span);
    if (prices === undefined) return undefined;
    const { mfeUsd, maeUsd, wholeCandles: whole, seenCandles: seen } = excursionOf(row, own, { candles: prices, interval });
    if (whole > 0 && seen === 0) return { missing: 'no_candles' };
    return { mfeUsd: mfeUsd.toFixed(), maeUsd: maeUsd.toFixed(), resolution: seen === 0 ? 'fills' : interval };
  }
}

/** A row of another form says nothing. */
const hasPrices = ({ h, l }: PriceRange): boolean => PRICE.test(h) && PRICE.test(l);

interface Material {
  readonly fills: ReadFills;
  readonly candles: ReadonlyMap<string, readonly PriceRange[] | undefined>;
  readonly isNewest: boolean;
}
