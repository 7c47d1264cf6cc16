import { expect } from 'chai';
import { requestWeight, WEIGHT_MAX } from '../../../src/shared/domain/requestWeight.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = 500_000 * HOUR_MS;

describe('request weight: what the venue counts for a question (wire-format 7.3)', () => {
  const candles = (interval: string, hours: number, endTime?: number): object => ({
    type: 'candleSnapshot',
    req: { coin: 'BTC', interval, startTime: NOW_MS - hours * HOUR_MS, ...(endTime !== undefined && { endTime }) },
  });
  const cases: [name: string, question: object, weight: number][] = [
    ['a book is light', { type: 'l2Book', coin: 'BTC' }, 2],
    ['everything else is heavy', { type: 'metaAndAssetCtxs' }, 20],
    ['60 candles cost one more', candles('1m', 59 / 60), 21],
    ['61 candles cost two more', candles('1m', 1), 22],
    ['24 candles of an hour', candles('1h', 23), 21],
    ['5,000 candles at most', candles('1m', 100_000), 20 + 84],
    ['a span that ends before it begins has one candle', candles('1m', 0, NOW_MS - HOUR_MS), 21],
    ['20 hours of funding cost one more', { type: 'fundingHistory', coin: 'BTC', startTime: NOW_MS - 19 * HOUR_MS }, 21],
    ['21 hours cost two more', { type: 'fundingHistory', coin: 'BTC', startTime: NOW_MS - 20 * HOUR_MS }, 22],
    ['500 hours at most', { type: 'fundingHistory', coin: 'BTC', startTime: 0 }, 45],
    ['trades', { type: 'recentTrades', coin: 'BTC' }, 21],
  ];
  for (const [name, question, weight] of cases) it(name, () => expect(requestWeight(question, NOW_MS)).to.equal(weight));

  it('no question weighs more than the largest', () =>
    expect(Math.max(...cases.map(([, question]) => requestWeight(question, NOW_MS)))).to.equal(WEIGHT_MAX));
});
