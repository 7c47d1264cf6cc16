import { expect } from 'chai';
import fc from 'fast-check';
import { type RunningCandle, runningOf, toVenueCandle, withMinute } from '../../../src/api/domain/candles.ts';
import { candleEnd, candleStart, INTERVALS, type Interval } from '../../../src/market/domain/candleInterval.ts';
import type { VenueCandle } from '../../../src/market/domain/feed.ts';
import { Decimal, toWire } from '../../../src/shared/domain/decimal.ts';

const MINUTE_MS = 60_000;
const NOON_MS = Date.UTC(2026, 10, 21, 12);

interface Trade {
  readonly timeMs: number;
  readonly price: number;
  readonly lots: number;
}

/** The candle that a venue makes of some trades. */
function sumUp(interval: Interval, startMs: number, trades: readonly Trade[]): VenueCandle {
  const endMs = candleEnd(interval, startMs);
  const inside = trades.filter(({ timeMs }) => timeMs >= startMs && timeMs < endMs);
  const prices = inside.map(({ price }) => price);
  const text = (price: number): string => toWire(new Decimal(price));
  return {
    t: startMs,
    T: endMs - 1,
    s: 'BTC',
    i: interval,
    o: text(prices[0] ?? 0),
    c: text(prices.at(-1) ?? 0),
    h: text(Math.max(...prices)),
    l: text(Math.min(...prices)),
    v: toWire(inside.reduce((sum, { lots }) => sum.plus(new Decimal(lots).div(1000)), new Decimal(0))),
    n: inside.length,
  };
}

describe('runningCandle: a candle in progress from the venue’s and the newest minute', () => {
  const minute = (t: number, fields: Partial<VenueCandle> = {}): VenueCandle => ({
    ...{ t, T: t + MINUTE_MS - 1, s: 'BTC', i: '1m', o: '100.0', c: '101.0', h: '102.0', l: '99.0', v: '1.5', n: 3 },
    ...fields,
  });

  /** Five minutes from noon on of which nothing but this minute is known. */
  const five = (known: VenueCandle): RunningCandle =>
    runningOf({ ...known, i: '5m', t: NOON_MS, T: NOON_MS + 5 * MINUTE_MS - 1 }, known);

  it('takes the newest state of a minute, and no older one', () => {
    const candle = five(minute(NOON_MS));
    const later = withMinute(candle, minute(NOON_MS, { n: 4, c: '98.0', l: '98.0', v: '2.0' }));
    expect(toVenueCandle(later)).to.include({ n: 4, c: '98.0', l: '98.0', v: '2.0', i: '5m', T: NOON_MS + 299_999 });
    expect(withMinute(later, minute(NOON_MS))).to.equal(later);
    expect(withMinute(later, minute(NOON_MS - MINUTE_MS, { n: 9 }))).to.equal(later);
  });

  it('begins anew with a minute of the next candle, though it be a later one', () => {
    const candle = five(minute(NOON_MS));
    const next = withMinute(candle, minute(NOON_MS + 12 * MINUTE_MS, { n: 1 }));
    expect(toVenueCandle(next)).to.include({ t: NOON_MS + 10 * MINUTE_MS, T: NOON_MS + 15 * MINUTE_MS - 1, n: 1 });
  });

  it('gives the price of a span without a trade up for the first that was traded, and takes a later one that was set', () => {
    const flat = minute(NOON_MS, { n: 0, o: '50.0', h: '50.0', l: '50.0', c: '50.0', v: '0.0' });
    const candle = five(flat);
    expect(toVenueCandle(candle)).to.include({ n: 0, o: '50.0' });
    expect(toVenueCandle(withMinute(candle, minute(NOON_MS + MINUTE_MS)))).to.include({ n: 3, o: '100.0', l: '99.0' });
    const flatLater = { ...flat, t: NOON_MS + 2 * MINUTE_MS };
    const after = withMinute(withMinute(candle, minute(NOON_MS + MINUTE_MS)), flatLater);
    expect(toVenueCandle(after)).to.include({ n: 3, o: '100.0', l: '50.0', c: '50.0' });
  });

  it('a minute beyond the candle that the venue had begins the next', () => {
    const candle = { ...minute(NOON_MS), i: '5m', T: NOON_MS + 5 * MINUTE_MS - 1 };
    expect(toVenueCandle(runningOf(candle, minute(NOON_MS + 5 * MINUTE_MS, { n: 1 })))).to.include({
      t: NOON_MS + 5 * MINUTE_MS,
      n: 1,
    });
    expect(toVenueCandle(runningOf(candle, undefined))).to.deep.equal(candle);
  });

  it('is the sum of its trades, whatever is closed and whatever comes later', () => {
    const trade = fc.record({
      timeMs: fc.integer({ min: NOON_MS, max: NOON_MS + 90 * MINUTE_MS }),
      price: fc.integer({ min: 1, max: 1000 }),
      lots: fc.integer({ min: 1, max: 1_000_000 }),
    });
    const trades = fc.array(trade, { minLength: 1, maxLength: 60 }).map((list) => list.sort((a, b) => a.timeMs - b.timeMs));
    const intervals = fc.constantFrom(...INTERVALS.filter((interval) => !['3d', '1w', '1M'].includes(interval)));
    fc.assert(
      fc.property(trades, intervals, fc.nat(59), (all, interval, known) => {
        const past = all.slice(0, (known % all.length) + 1);
        const startMs = candleStart(interval, past.at(-1)?.timeMs ?? 0);
        const minuteMs = candleStart('1m', past.at(-1)?.timeMs ?? 0);
        let candle: RunningCandle = runningOf(sumUp(interval, startMs, past), sumUp('1m', minuteMs, past));
        // Every trade after that comes as the state of its minute.
        for (let count = past.length + 1; count <= all.length; count++) {
          const so = all.slice(0, count);
          candle = withMinute(candle, sumUp('1m', candleStart('1m', so.at(-1)?.timeMs ?? 0), so));
        }
        const lastMs = all.at(-1)?.timeMs ?? 0;
        expect(toVenueCandle(candle)).to.deep.equal(sumUp(interval, candleStart(interval, lastMs), all));
      }),
    );
  });
});
