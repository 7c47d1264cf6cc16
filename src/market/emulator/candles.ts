// Candles of the emulated venue, added up from the very trades it gives: those of the path outside frozen spans, and
// scripted ones. Long ranges are computed in slices, so that the feed goes on meanwhile, and quarter hours are remembered.
import type { MarketTrade } from '../domain/feed.ts';
import type { VenueCoin } from './venueCoin.ts';

export const INTERVALS = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '8h', '12h', '1d', '3d', '1w', '1M'] as const;
export type Interval = (typeof INTERVALS)[number];

/** One candle as the venue sends it. */
export interface WireCandle {
  readonly t: number;
  readonly T: number;
  readonly s: string;
  readonly i: string;
  readonly o: string;
  readonly c: string;
  readonly h: string;
  readonly l: string;
  readonly v: string;
  readonly n: number;
}

/** Numbers of one span; prices in USD, volume in lots. `n` = 0: no trade. */
interface Sum {
  open: number;
  high: number;
  low: number;
  close: number;
  lots: number;
  n: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const QUARTER_MS = 15 * MINUTE_MS;
/** How far back candles go. */
export const HISTORY_MS = 90 * DAY_MS;
export const CANDLES_MAX = 5000;
/** Longest stretch of work before other events get their turn. */
const SLICE_MS = 8;
/** Quarter hours remembered over all coins: 90 days of 50 coins, about 60 MB. */
const QUARTERS_MAX = 8640 * 50;
const FIXED_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };
/** 1970-01-05, a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Opening time of the candle that holds `timeMs`: weeks from Monday, months of the calendar, all UTC. */
export function candleStart(interval: Interval, timeMs: number): number {
  if (interval === '1M') {
    const date = new Date(timeMs);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
  if (interval === '1w') return Math.floor((timeMs - FIRST_MONDAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + FIRST_MONDAY_MS;
  const lengthMs = Number.parseInt(interval, 10) * (FIXED_MS[interval.slice(-1)] ?? DAY_MS);
  return Math.floor(timeMs / lengthMs) * lengthMs;
}

/** Opening time of the next candle. */
export function candleEnd(interval: Interval, startMs: number): number {
  if (interval === '1M') {
    const date = new Date(startMs);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  }
  if (interval === '1w') return startMs + 7 * DAY_MS;
  return startMs + Number.parseInt(interval, 10) * (FIXED_MS[interval.slice(-1)] ?? DAY_MS);
}

export class Candles {
  /** Finished quarter hours by coin and time. */
  readonly #quarters = new Map<string, Sum>();

  /** Candles that overlap [startMs, endMs], ascending, the newest 5000 and 90 days at most, the one in progress included. */
  async read(
    coin: VenueCoin,
    interval: Interval,
    range: { startMs: number; endMs: number; nowMs: number },
  ): Promise<WireCandle[]> {
    if (coin.listing.isDelisted) return [];
    const { nowMs } = range;
    const endMs = Math.min(range.endMs, nowMs);
    const starts: number[] = [];
    const oldestMs = Math.max(range.startMs, nowMs - HISTORY_MS);
    for (let t = candleStart(interval, endMs); candleEnd(interval, t) > oldestMs && starts.length < CANDLES_MAX; ) {
      starts.unshift(t);
      t = candleStart(interval, t - 1);
    }
    const candles: WireCandle[] = [];
    let sliceEnd = performance.now() + SLICE_MS;
    let last: number | undefined;
    for (const start of starts) {
      const sum = emptySum();
      for (let from = start; from < candleEnd(interval, start) && from <= nowMs; ) {
        const to = Math.min(candleEnd(interval, start), (Math.floor(from / QUARTER_MS) + 1) * QUARTER_MS);
        join(sum, this.#sum(coin, from, to, nowMs));
        from = to;
        if (performance.now() > sliceEnd) {
          await new Promise((resolve) => setImmediate(resolve));
          sliceEnd = performance.now() + SLICE_MS;
        }
      }
      candles.push(toWireCandle(coin, interval, start, sum, last));
      if (sum.n > 0) last = sum.close;
    }
    return candles;
  }

  #sum(coin: VenueCoin, fromMs: number, toMs: number, nowMs: number): Sum {
    const isQuarter = toMs - fromMs === QUARTER_MS && toMs <= nowMs;
    const key = `${coin.listing.coin} ${fromMs}`;
    const known = isQuarter ? this.#quarters.get(key) : undefined;
    if (known !== undefined) return known;
    const sum = sumOf(coin, fromMs, toMs, nowMs);
    if (isQuarter) {
      this.#quarters.set(key, sum);
      const [oldest] = this.#quarters.keys();
      if (this.#quarters.size > QUARTERS_MAX && oldest !== undefined) this.#quarters.delete(oldest);
    }
    return sum;
  }
}

/** Adds up the trades in [fromMs, toMs) that have happened by `nowMs`. */
function sumOf(coin: VenueCoin, fromMs: number, toMs: number, nowMs: number): Sum {
  const { path, listing } = coin;
  const usdPerStep = listing.unitsPerStep / 10 ** listing.priceDecimals;
  const isTouched = coin.frozenSpans.some((span) => span.fromMs < toMs && span.toMs > fromMs);
  const sum = emptySum();
  const scripted = isTouched ? coin.scripted.filter((trade) => trade.timeMs >= fromMs && trade.timeMs < toMs) : [];
  const scripts = scripted.values();
  let script = scripts.next().value;
  const addScriptsUntil = (timeMs: number): void => {
    for (; script !== undefined && script.timeMs <= timeMs; script = scripts.next().value)
      addScripted(sum, script, listing.sizeDecimals);
  };
  for (let slot = path.slotAt(fromMs); path.slotStartMs(slot) < toMs; slot++) {
    const timeMs = path.tradeTimeMs(slot);
    if (timeMs < fromMs || timeMs >= toMs || timeMs > nowMs || (isTouched && coin.isFrozenAt(timeMs))) continue;
    addScriptsUntil(timeMs);
    path.eachTrade(slot, (_side, steps, lots) => addTrade(sum, steps * usdPerStep, lots));
  }
  addScriptsUntil(nowMs);
  return sum;
}

const emptySum = (): Sum => ({ open: 0, high: 0, low: 0, close: 0, lots: 0, n: 0 });

function addTrade(sum: Sum, price: number, lots: number): void {
  if (sum.n === 0) {
    sum.open = price;
    sum.high = price;
    sum.low = price;
  } else if (price > sum.high) sum.high = price;
  else if (price < sum.low) sum.low = price;
  sum.close = price;
  sum.lots += lots;
  sum.n += 1;
}

function addScripted(sum: Sum, trade: MarketTrade, sizeDecimals: number): void {
  addTrade(sum, Number(trade.price), Math.round(Number(trade.size) * 10 ** sizeDecimals));
}

/** Adds a later span. */
function join(sum: Sum, later: Sum): void {
  if (later.n === 0) return;
  if (sum.n === 0) Object.assign(sum, later);
  else {
    sum.high = Math.max(sum.high, later.high);
    sum.low = Math.min(sum.low, later.low);
    sum.close = later.close;
    sum.lots += later.lots;
    sum.n += later.n;
  }
}

/** A candle without a trade stands at the last price known. */
function toWireCandle(coin: VenueCoin, interval: Interval, startMs: number, sum: Sum, last: number | undefined): WireCandle {
  const { listing, path } = coin;
  const before = (): number => (path.bidAt(path.slotAt(startMs)) * listing.unitsPerStep) / 10 ** listing.priceDecimals;
  const flat = sum.n === 0 ? (last ?? before()) : 0;
  const text = (price: number): string => numberText(sum.n === 0 ? flat : price);
  return {
    t: startMs,
    T: candleEnd(interval, startMs) - 1,
    s: listing.coin,
    i: interval,
    o: text(sum.open),
    c: text(sum.close),
    h: text(sum.high),
    l: text(sum.low),
    v: numberText(sum.lots / 10 ** listing.sizeDecimals),
    n: sum.n,
  };
}

/** Plain decimal text of a number with at most 12 significant digits: at least one decimal, no trailing zeros beyond it. */
function numberText(value: number): string {
  const exact = Number(value.toPrecision(15));
  const text = exact.toFixed(10).replace(/0+$/, '');
  return text.endsWith('.') ? `${text}0` : text;
}
