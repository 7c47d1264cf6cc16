import { expect } from 'chai';
import { fromUnits, sumOf } from '../../../src/dashboard/domain/exactSums.ts';
import { type Candle, candleAt, mergeCandles } from '../../../src/dashboard/domain/market/candles.ts';
import { dataAge, laterOf } from '../../../src/dashboard/domain/market/dataAge.ts';
import { averageTrueRange, distanceInRanges } from '../../../src/dashboard/domain/market/liquidationDistance.ts';
import {
  chartSentence,
  depthSentence,
  short,
  spreadOf,
  untilNextHour,
} from '../../../src/dashboard/domain/market/marketTexts.ts';
import { addTrades, dayChange, type Trade } from '../../../src/dashboard/domain/market/wireMarket.ts';

const DAY_MS = 86_400_000;

const candle = (timeMs: number, part: Partial<Candle> = {}): Candle => ({
  timeMs,
  ...{ open: '100', high: '100', low: '100', close: '100', volume: '1', trades: 1 },
  ...part,
});

describe('the dashboard’s market: sums', () => {
  it('are exact where the machine’s numbers are not', () => {
    expect(sumOf(['0.1', '0.2'])).to.equal('0.3');
    expect(sumOf(['5.93233', '3.84746', '0.00001'])).to.equal('9.7798');
    expect(sumOf(['12345678901234567.1', '0.2'])).to.equal('12345678901234567.3');
    expect(sumOf([])).to.equal('0');
    expect(fromUnits(-5n, 2)).to.equal('-0.05');
  });
});

describe('the dashboard’s market: candles and the tape', () => {
  it('a candle that comes again is replaced by its later state, never by an earlier one', () => {
    const rows = [candle(0, { trades: 5 }), candle(60, { trades: 3, close: '101' })];
    const later = candle(60, { trades: 4, close: '102' });
    expect(mergeCandles(rows, [later], 10)).to.deep.equal([rows[0], later]);
    expect(mergeCandles([candle(0), later], rows, 10)).to.deep.equal([rows[0], later]);
  });

  it('candles come in any order, and the newest are kept', () => {
    const rows = mergeCandles([candle(120)], [candle(60), candle(180), candle(0)], 3);
    expect(rows.map(({ timeMs }) => timeMs)).to.deep.equal([60, 120, 180]);
  });

  it('a fill stands on the candle that was open then', () => {
    const rows = [candle(60), candle(120), candle(300)];
    expect([59, 60, 119, 299, 300, 900].map((timeMs) => candleAt(rows, timeMs)?.timeMs)).to.deep.equal([
      ...[undefined, 60, 60, 120, 300, 300],
    ]);
  });

  const trade = (tid: number): Trade => ({ tid, side: 'buy', price: '1', size: '1', timeMs: tid });

  it('the tape has each trade once, the newest first, and no more than its ring', () => {
    const tape = addTrades([], [trade(1), trade(2), trade(3)], 4);
    expect(tape.map(({ tid }) => tid)).to.deep.equal([3, 2, 1]);
    expect(addTrades(tape, [trade(2), trade(3)], 4)).to.equal(tape);
    expect(addTrades(tape, [trade(3), trade(4), trade(5)], 4).map(({ tid }) => tid)).to.deep.equal([5, 4, 3, 2]);
  });
});

describe('the dashboard’s market: ATR of the day', () => {
  /** True ranges: 110-95 = 15; a gap up, 130-105 = 25; a gap down, 105-80 = 25 of close to low. */
  const days = [
    candle(0, { high: '101', low: '99', close: '100' }),
    candle(DAY_MS, { high: '110', low: '95', close: '105' }),
    candle(2 * DAY_MS, { high: '130', low: '120', close: '105' }),
    candle(3 * DAY_MS, { high: '90', low: '80', close: '85' }),
  ];

  it('is the mean of the true ranges, from the close before', () => {
    expect(averageTrueRange(days, 4 * DAY_MS)).to.equal((15 + 25 + 25) / 3);
  });

  it('leaves out the day in progress', () => {
    expect(averageTrueRange(days, 4 * DAY_MS - 1)).to.equal(20);
  });

  it('counts the last 14 days', () => {
    const calm = Array.from({ length: 15 }, (_, i) => candle((4 + i) * DAY_MS, { high: '101', low: '99' }));
    expect(averageTrueRange([...days, ...calm], 19 * DAY_MS)).to.equal(2);
  });

  it('is not told of a coin without two whole days', () => {
    expect(averageTrueRange([], 0)).to.equal(undefined);
    expect(averageTrueRange(days.slice(0, 1), DAY_MS)).to.equal(undefined);
  });

  it('tells a distance in days of movement, either way', () => {
    expect(distanceInRanges('100', '70', 20)).to.equal(1.5);
    expect(distanceInRanges('100', '130', 20)).to.equal(1.5);
    expect(distanceInRanges('100', null, 20)).to.equal(undefined);
    expect(distanceInRanges('100', '70', undefined)).to.equal(undefined);
    expect(distanceInRanges('100', '70', 0)).to.equal(undefined);
    expect(distanceInRanges('', '70', 20)).to.equal(undefined);
  });
});

describe('the dashboard’s market: age of the data', () => {
  it('is that of the older of book and mark, and stale beyond the exchange’s bound', () => {
    const heard = { bookMs: 1_000, markMs: 4_000 };
    expect(dataAge(heard, { nowMs: 16_000, maxAgeMs: 15_000 })).to.deep.equal({ ageMs: 15_000, isStale: false });
    expect(dataAge(heard, { nowMs: 16_001, maxAgeMs: 15_000 })).to.deep.equal({ ageMs: 15_001, isStale: true });
    expect(dataAge(heard, { nowMs: 0, maxAgeMs: 15_000 })).to.deep.equal({ ageMs: 0, isStale: false });
  });

  it('is not judged before both were heard of and the bound is known', () => {
    expect(dataAge({ bookMs: 1, markMs: undefined }, { nowMs: 1e9, maxAgeMs: 1 })).to.deep.equal({
      ageMs: undefined,
      isStale: false,
    });
    expect(dataAge({ bookMs: 1, markMs: 1 }, { nowMs: 1e9, maxAgeMs: undefined }).isStale).to.equal(false);
  });

  it('counts from the later of two witnesses', () => {
    expect([laterOf(1, 2), laterOf(2, null), laterOf(undefined, 3), laterOf(null, undefined)]).to.deep.equal([
      2,
      2,
      3,
      undefined,
    ]);
  });
});

describe('the dashboard’s market: sentences', () => {
  const facts = { coin: 'BTC', interval: '1h', price: '67182', earlierPrice: '66385.4', fills: 3 };

  it('of a chart', () => {
    expect(chartSentence(facts)).to.equal('BTC 1h, 67\u202f182, up 1.20\u202f% in a day, 3 own fills');
    expect(chartSentence({ ...facts, price: '60000', fills: 1 })).to.match(/, down 9\.62\u202f% in a day, 1 own fill$/);
    expect(chartSentence({ ...facts, earlierPrice: undefined, fills: 0 })).to.equal('BTC 1h, 67\u202f182, no own fills');
    expect(chartSentence({ ...facts, price: undefined })).to.equal('BTC 1h: no candle yet');
  });

  it('of a depth', () => {
    const row = { size: '1', share: 1, consumed: null, own: null };
    const ladder = { bids: [{ ...row, price: '99', total: '1234.5' }], asks: [{ ...row, price: '101', total: '7' }] };
    expect(depthSentence('SOL', ladder)).to.equal('SOL depth: 1\u202f234.5 bid down to 99, 7 offered up to 101');
    expect(depthSentence('SOL', { ...ladder, bids: [] })).to.equal('SOL depth: a side of the book is empty');
  });

  it('of spread, change, large sums and the hour', () => {
    const level = (price: string) => [{ price, size: '1' }];
    const book = { coin: 'SOL', timeMs: 0, bids: level('99.9'), asks: level('100.1') };
    expect(spreadOf(book)).to.deep.equal({ usd: 0.2, share: 0.002 });
    expect(spreadOf({ ...book, asks: [] })).to.equal(undefined);
    expect(dayChange('110', '100')).to.be.closeTo(0.1, 1e-12);
    expect(dayChange('110', '0')).to.equal(undefined);
    expect(['1234567890', '-12345678', '999', '1500'].map(short)).to.deep.equal([
      ...['1.23\u202fB', '-12.3\u202fM', '999', '1.5\u202fk'],
    ]);
    expect([0, 3_599_001, 3_540_000, 7_199_999].map(untilNextHour)).to.deep.equal([
      '01:00:00',
      '00:00:01',
      '00:01:00',
      '00:00:01',
    ]);
  });
});
