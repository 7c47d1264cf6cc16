// Candles of the emulated venue, added up from the trades that it emits, those of the path outside frozen spans and scripted
// ones, and from prices that a control call has set. Long ranges are computed in slices, so that the feed goes on meanwhile, and
// finished quarter hours are cached.

import { DAY_MS, MINUTE_MS } from '../../shared/domain/units.ts';
import { candleEnd, candleStarts, type Interval } from '../domain/candleInterval.ts';
import type { VenueCandle } from '../domain/feed.ts';
import { addPrice, addSum, addTrade, type CandleSum, emptySum, toWireCandle } from '../venue/wire.ts';
import type { Scripted, VenueCoin } from './venueCoin.ts';

const QUARTER_MS = 15 * MINUTE_MS;
/** How far back candles go. */
const HISTORY_MS = 90 * DAY_MS;
const CANDLES_MAX = 5000;
/** Longest stretch of work before other events get their turn. */
const SLICE_MS = 8;
/** Quarter hours cached over all coins: 90 days of 50 coins, about 60 MB. */
const QUARTERS_MAX = 8640 * 50;

export class Candles {
  /** Finished quarter hours by coin and time. */
  readonly #quarters = new Map<string, CandleSum>();

  /** One range after another: those that came first are not kept waiting by later ones. */
  #last: Promise<unknown> = Promise.resolve();

  /** Candles that overlap [startMs, endMs], ascending, the newest 5000 and 90 days at most, the one in progress included. */
  read(coin: VenueCoin, interval: Interval, range: { startMs: number; endMs: number; nowMs: number }): Promise<VenueCandle[]> {
    const rows = this.#last.then(() => this.#read(coin, interval, range));
    this.#last = rows.catch(() => undefined);
    return rows;
  }

  async #read(
    coin: VenueCoin,
    interval: Interval,
    range: { startMs: number; endMs: number; nowMs: number },
  ): Promise<VenueCandle[]> {
    if (coin.listing.isDelisted) return [];
    const { nowMs } = range;
    const endMs = Math.min(range.endMs, nowMs);
    const starts = candleStarts(interval, { startMs: Math.max(range.startMs, nowMs - HISTORY_MS), endMs, max: CANDLES_MAX });
    const candles: VenueCandle[] = [];
    let sliceEnd = performance.now() + SLICE_MS;
    let last: number | undefined;
    for (const start of starts) {
      const sum = emptySum();
      for (let from = start; from < candleEnd(interval, start) && from <= nowMs; ) {
        const to = Math.min(candleEnd(interval, start), (Math.floor(from / QUARTER_MS) + 1) * QUARTER_MS);
        addSum(sum, this.#sum(coin, from, to, nowMs));
        from = to;
        if (performance.now() > sliceEnd) {
          await new Promise((resolve) => setImmediate(resolve));
          sliceEnd = performance.now() + SLICE_MS;
        }
      }
      const flatPrice = last ?? priceAt(coin, start);
      candles.push(toWireCandle(coin.listing, { interval, startMs: start, sum, flatPrice }));
      last = sum.close > 0 ? sum.close : flatPrice;
    }
    return candles;
  }

  #sum(coin: VenueCoin, fromMs: number, toMs: number, nowMs: number): CandleSum {
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

/** Adds up the trades, and the prices set, in [fromMs, toMs) that have happened by `nowMs`. */
function sumOf(coin: VenueCoin, fromMs: number, toMs: number, nowMs: number): CandleSum {
  const { path, listing } = coin;
  const usdPerStep = listing.unitsPerStep / 10 ** listing.priceDecimals;
  const isTouched = coin.frozenSpans.some((span) => span.fromMs < toMs && span.toMs > fromMs);
  const sum = emptySum();
  const scripted = isTouched ? coin.scripted.filter(({ timeMs }) => timeMs >= fromMs && timeMs < toMs) : [];
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

function addScripted(sum: CandleSum, { price, size }: Scripted, sizeDecimals: number): void {
  if (size === undefined) addPrice(sum, Number(price));
  else addTrade(sum, Number(price), Math.round(Number(size) * 10 ** sizeDecimals));
}

/** The price of a candle without one when no earlier candle is known: of a coin that stands still, the last one before. */
function priceAt({ path, listing, frozenSpans, scripted }: VenueCoin, timeMs: number): number {
  const still = frozenSpans.findLast(({ fromMs, toMs }) => fromMs <= timeMs && timeMs < toMs);
  const newest = still && scripted.findLast((one) => one.timeMs < timeMs && one.timeMs >= still.fromMs);
  if (newest !== undefined) return Number(newest.price);
  return (path.bidAt(path.slotAt(still?.fromMs ?? timeMs)) * listing.unitsPerStep) / 10 ** listing.priceDecimals;
}
