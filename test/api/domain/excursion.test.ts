import { expect } from 'chai';
import fc from 'fast-check';
import type { FillRow } from '../../../src/actors/core/messages/historyRows.ts';
import { CANDLES_MAX, excursionOf, resolutionFor, wholeCandles } from '../../../src/api/domain/excursion.ts';

const MINUTE = 60_000;
const AT = Date.parse('2026-11-28T12:00:00Z');

const fill = (timeMs: number, side: 'buy' | 'sell', size: string, price: string, startPosition: string): FillRow =>
  ({ timeMs, side, size, price, startPosition }) as FillRow;
/** By minutes from 12:00. */
const candle = (minute: number, l: string, h: string) => ({ t: AT + minute * MINUTE, l, h });

describe('excursions of a round trip', () => {
  const of = (
    trip: { direction: 'long' | 'short'; pnlUsd: string },
    fills: FillRow[],
    candles: ReturnType<typeof candle>[],
  ): readonly unknown[] => {
    const { mfeUsd, maeUsd, wholeCandles: whole, seenCandles } = excursionOf(trip, fills, { candles, interval: '1m' });
    return [mfeUsd.toString(), maeUsd.toString(), whole, seenCandles];
  };

  it('a long: whole minutes between its fills, not the minutes of entry and exit', () => {
    // Long 2 from 100 at 12:00:30, sold at 103 at 12:03:10. Minutes 1 and 2 lie inside: 97 and 106 are seen, 50 and 500 are not.
    const fills = [fill(AT + 30_000, 'buy', '2', '100', '0'), fill(AT + 190_000, 'sell', '2', '103', '2')];
    const candles = [candle(0, '50', '500'), candle(1, '97', '101'), candle(2, '99', '106'), candle(3, '50', '500')];
    expect(of({ direction: 'long', pnlUsd: '6' }, fills, candles)).to.deep.equal(['12', '-6', 2, 2]);
  });

  it('a short with a second entry and a partial exit: each minute at the size held in it', () => {
    // Short 1 from 100; at 12:02 another 3 from 104 (16 cash more: 412 in all); at 12:04 2 are bought back at 102; at 12:06 the rest at 101.
    const fills = [
      fill(AT, 'sell', '1', '100', '0'),
      fill(AT + 2 * MINUTE, 'sell', '3', '104', '-1'),
      fill(AT + 4 * MINUTE, 'buy', '2', '102', '-4'),
      fill(AT + 6 * MINUTE, 'buy', '2', '101', '-2'),
    ];
    const candles = [candle(1, '99', '105'), candle(2, '98', '107'), candle(5, '90', '110')];
    // Worst: 412 − 4·107 = −16. Best: 412 − 204 − 2·90 = 28.
    expect(of({ direction: 'short', pnlUsd: '6' }, fills, candles)).to.deep.equal(['28', '-16', 6, 3]);
  });

  it('a flip belongs to the trip with the coins on its side alone', () => {
    // Short 1 becomes long 2 at 100 by buying 3; sold into short again at 95: the long lost 10.
    const fills = [fill(AT, 'buy', '3', '100', '-1'), fill(AT + 2 * MINUTE, 'sell', '5', '95', '2')];
    expect(of({ direction: 'long', pnlUsd: '-10' }, fills, [candle(0, '94', '101')])).to.deep.equal(['2', '-12', 2, 1]);
  });

  it('shorter than a minute: the prices of its fills, and its end', () => {
    const fills = [
      fill(AT + 1000, 'buy', '1', '100', '0'),
      fill(AT + 2000, 'buy', '1', '104', '1'),
      fill(AT + 3000, 'sell', '2', '101', '2'),
    ];
    // At 104 the first coin had gained 4; at the end both are 1 up and 3 down.
    expect(of({ direction: 'long', pnlUsd: '-2' }, fills, [candle(0, '1', '999')])).to.deep.equal(['4', '-2', 0, 0]);
  });

  it('any path: as counted candle by candle, from mean entry prices and what was closed', () => {
    const step = fc.record({
      sizeDelta: fc.integer({ min: -3, max: 3 }),
      price: fc.integer({ min: 50, max: 150 }),
      afterMs: fc.nat(240_000),
    });
    const range = fc.tuple(fc.integer({ min: 40, max: 100 }), fc.integer({ min: 0, max: 60 }));
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.array(range, { minLength: 30, maxLength: 30 }),
        fc.boolean(),
        (steps, ranges, isLong) => {
          const candles = ranges.map(([low, height], minute) => candle(minute, String(low), String(low + height)));
          // Sizes from 1 up: a step that would go below 1 is left out; the end closes all.
          const fills: FillRow[] = [];
          let [held, timeMs] = [0, AT];
          const add = (delta: number, price: number): void => {
            const start = String(isLong ? held : -held);
            fills.push(fill(timeMs, delta > 0 === isLong ? 'buy' : 'sell', String(Math.abs(delta)), String(price), start));
            held += delta;
          };
          add(2, 100);
          for (const { sizeDelta, price, afterMs } of steps) {
            timeMs += afterMs;
            if (sizeDelta !== 0 && held + sizeDelta > 0) add(sizeDelta, price);
          }
          timeMs += 90_000;
          add(-held, 99);

          const sign = isLong ? 1 : -1;
          let [size, mean, closed, best, worst] = [0, 0, 0, 0, 0];
          const see = (price: number): void => {
            const result = closed + sign * (price - mean) * size;
            [best, worst] = [Math.max(best, result), Math.min(worst, result)];
          };
          for (const [i, one] of fills.entries()) {
            const [price, coins] = [Number(one.price), Number(one.size)];
            if ((one.side === 'buy') === isLong) [mean, size] = [(mean * size + price * coins) / (size + coins), size + coins];
            else [closed, size] = [closed + sign * (price - mean) * coins, size - coins];
            see(price);
            const next = fills[i + 1];
            if (next === undefined) continue;
            for (const { t, l, h } of candles) if (t >= one.timeMs && t + MINUTE <= next.timeMs) [l, h].map(Number).forEach(see);
          }
          const trip = { direction: isLong ? ('long' as const) : ('short' as const), pnlUsd: String(closed) };
          const { mfeUsd, maeUsd } = excursionOf(trip, fills, { candles, interval: '1m' });
          expect(mfeUsd.toNumber()).to.be.closeTo(best, 1e-6);
          expect(maeUsd.toNumber()).to.be.closeTo(worst, 1e-6);
        },
      ),
    );
  });

  it('the shortest candles of which the venue still has the beginning', () => {
    const days = (n: number): number => AT - n * 86_400_000;
    expect([1, 3, 4, 17, 18, 52, 53, 208, 209, 833, 834, 9000].map((n) => resolutionFor(days(n), AT))).to.deep.equal([
      ...['1m', '1m', '5m', '5m', '15m', '15m', '1h', '1h', '4h', '4h', '1d', '1d'],
    ]);
    const edge = AT - (CANDLES_MAX - 1) * MINUTE;
    expect([resolutionFor(edge + 1, AT), resolutionFor(edge, AT)]).to.deep.equal(['1m', '5m']);
  });

  it('whole candles: from the first that opens in the time to the last that ends in it', () => {
    expect(wholeCandles('1m', AT, AT + MINUTE)).to.deep.equal({ fromMs: AT, untilMs: AT + MINUTE });
    expect(wholeCandles('1m', AT + 1, AT + 3 * MINUTE - 1)).to.deep.equal({ fromMs: AT + MINUTE, untilMs: AT + 2 * MINUTE });
    const none = wholeCandles('5m', AT + 1, AT + 9 * MINUTE);
    expect(none.fromMs).to.equal(none.untilMs);
  });
});
