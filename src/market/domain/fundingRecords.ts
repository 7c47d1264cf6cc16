// The leader's record of funding, by coin and hour: the oracle price at each hour boundary, read from the feed as it
// passes, and the venue's rate for it, asked for later. An hour without a listening leader has gaps, which are marked
// as such (trading-rules 6.1, 6.4).
import { HOUR_MS } from '../../shared/domain/units.ts';
import type { ContextChange, FundingChange, RecordedHour } from './feed.ts';

/** Hours kept: ten days without a settlement are paid in full; after that the oldest hours are dropped. */
export const HOURS_KEPT = 240;
/** A context older than this at the boundary may not be the last one before it, ms. */
const CONTEXT_AGE_MS_MAX = 60_000;

interface CoinRecord {
  sinceMs: number;
  /** By boundary, in any order. */
  readonly hours: Map<number, { rate: string | null; oraclePrice: string | null }>;
  last: { readonly timeMs: number; readonly oraclePrice: string } | undefined;
}

export class FundingRecords {
  readonly #coins = new Map<string, CoinRecord>();

  /** @param changes funding and contexts that an earlier leader has published */
  constructor(changes: Iterable<FundingChange | ContextChange>) {
    for (const change of changes) {
      const record = this.#record(change.coin, change.type === 'funding' ? change.sinceMs : hourOf(change.timeMs));
      if (change.type === 'context') record.last = { timeMs: change.timeMs, oraclePrice: change.context.oraclePx };
      else {
        record.sinceMs = change.sinceMs;
        for (const [hourMs, rate, oraclePrice] of change.hours) record.hours.set(hourMs, { rate, oraclePrice });
      }
    }
  }

  /** Takes a context. Returns the coin's funding when this shows the oracle price at a boundary. */
  onContext({ coin, timeMs, context }: ContextChange): FundingChange | undefined {
    const record = this.#record(coin, hourOf(timeMs));
    const sampled = this.#sample(record, timeMs - 1);
    record.last = { timeMs, oraclePrice: context.oraclePx };
    return sampled ? this.#changeOf(coin, record) : undefined;
  }

  /** Records the boundaries that have passed since without a context. */
  onTime(coin: string, nowMs: number): FundingChange | undefined {
    const record = this.#coins.get(coin);
    return record && this.#sample(record, nowMs) ? this.#changeOf(coin, record) : undefined;
  }

  /** Boundaries up to now with a number missing, oldest first. */
  missing(coin: string, nowMs: number): { readonly rates: readonly number[]; readonly oracles: readonly number[] } {
    const rates: number[] = [];
    const oracles: number[] = [];
    const record = this.#coins.get(coin);
    if (!record) return { rates, oracles };
    for (let hourMs = firstOf(record, nowMs); hourMs <= nowMs; hourMs += HOUR_MS) {
      const known = record.hours.get(hourMs);
      if (!known?.rate) rates.push(hourMs);
      if (!known?.oraclePrice) oracles.push(hourMs);
    }
    return { rates, oracles };
  }

  /** Fills gaps; known numbers stay. Undefined when there was nothing new. */
  fill(
    coin: string,
    found: { readonly rates?: ReadonlyMap<number, string>; readonly oraclePrices?: ReadonlyMap<number, string> },
  ): FundingChange | undefined {
    const record = this.#coins.get(coin);
    if (!record) return undefined;
    let isNew = false;
    const note = (hourMs: number, numbers: { rate?: string; oraclePrice?: string }): void => {
      if (hourMs <= record.sinceMs) return;
      const known = record.hours.get(hourMs) ?? { rate: null, oraclePrice: null };
      const rate = known.rate ?? numbers.rate ?? null;
      const oraclePrice = known.oraclePrice ?? numbers.oraclePrice ?? null;
      if (rate === known.rate && oraclePrice === known.oraclePrice) return;
      record.hours.set(hourMs, { rate, oraclePrice });
      isNew = true;
    };
    for (const [hourMs, rate] of found.rates ?? []) note(hourMs, { rate });
    for (const [hourMs, oraclePrice] of found.oraclePrices ?? []) note(hourMs, { oraclePrice });
    return isNew ? this.#changeOf(coin, record) : undefined;
  }

  /** The oracle price of the boundary after the last context, once that has passed. */
  #sample(record: CoinRecord, passedToMs: number): boolean {
    const { last } = record;
    if (last === undefined) return false;
    const boundaryMs = hourOf(last.timeMs - 1) + HOUR_MS;
    if (boundaryMs > passedToMs || boundaryMs <= record.sinceMs) return false;
    if (boundaryMs - last.timeMs > CONTEXT_AGE_MS_MAX) return false;
    const known = record.hours.get(boundaryMs);
    if (known?.oraclePrice) return false;
    record.hours.set(boundaryMs, { rate: known?.rate ?? null, oraclePrice: last.oraclePrice });
    return true;
  }

  #record(coin: string, sinceMs: number): CoinRecord {
    let record = this.#coins.get(coin);
    if (record === undefined) {
      record = { sinceMs, hours: new Map(), last: undefined };
      this.#coins.set(coin, record);
    }
    return record;
  }

  #changeOf(coin: string, record: CoinRecord): FundingChange {
    const sorted = [...record.hours].sort(([a], [b]) => a - b);
    for (const [hourMs] of sorted.splice(0, Math.max(0, sorted.length - HOURS_KEPT))) {
      record.hours.delete(hourMs);
      record.sinceMs = Math.max(record.sinceMs, hourMs);
    }
    const hours = sorted.map(([hourMs, { rate, oraclePrice }]): RecordedHour => [hourMs, rate, oraclePrice]);
    return { type: 'funding', coin, sinceMs: record.sinceMs, hours };
  }
}

/** The first boundary that is kept. */
function firstOf({ sinceMs }: CoinRecord, nowMs: number): number {
  return Math.max(sinceMs + HOUR_MS, hourOf(nowMs) - (HOURS_KEPT - 1) * HOUR_MS);
}

// One hour boundary of the venue's funding. The payment of every position that was open at the boundary follows from
// it alone.

/** Rate and oracle price of each coin at one hour boundary. A coin without both is absent: no number is ever estimated. */
export interface FundingHour {
  /** The boundary, a multiple of one hour. */
  readonly hourMs: number;
  /** By coin. The rate is the venue's, a fraction per hour; the oracle price the last one published at or before the hour. */
  readonly coins: Readonly<Record<string, readonly [rate: string, oraclePrice: string]>>;
}

/** The last hour boundary at or before a time. */
export const hourOf = (timeMs: number): number => timeMs - (timeMs % HOUR_MS);
