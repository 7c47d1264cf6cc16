import { expect } from 'chai';
import type { MarketTrade } from '../../src/market/domain/feed.ts';
import { TradeCandles } from '../../src/market/venueFrames.ts';

const MINUTE_MS = 60_000;
const T0 = Date.UTC(2026, 10, 28, 12);

describe('tradeCandles: minutes of coins without a candle feed', () => {
  let tid = 0;
  const trade = (afterMs: number, price: string, size = '1', id = ++tid): MarketTrade => ({
    ...{ side: 'buy', price, size, timeMs: T0 + afterMs, tid: id },
  });

  it('are what their trades add up to, each change once', () => {
    const candles = new TradeCandles();
    candles.begin('XPL', T0 - 1);
    const first = trade(1000, '10.5', '0.1');
    expect(candles.onTrades('XPL', [first])).to.deep.equal([
      { t: T0, T: T0 + 59_999, s: 'XPL', i: '1m', o: '10.5', c: '10.5', h: '10.5', l: '10.5', v: '0.1', n: 1 },
    ]);
    expect(candles.onTrades('XPL', [first])).to.deep.equal([]);
    const both = candles.onTrades('XPL', [trade(2000, '9.75', '0.2'), trade(3000, '10.25', '1.0'), trade(MINUTE_MS, '11.0')]);
    expect(both.map(({ t, o, h, l, c, v, n }) => [t - T0, o, h, l, c, v, n])).to.deep.equal([
      [0, '10.5', '10.5', '9.75', '10.25', '1.3', 3],
      [MINUTE_MS, '11.0', '11.0', '11.0', '11.0', '1.0', 1],
    ]);
    expect(candles.onTrades('XPL', [trade(4000, '1.0')]), 'of a minute that is over').to.deep.equal([]);
  });

  it('begin with the first whole minute of a connection', () => {
    const candles = new TradeCandles();
    expect(candles.onTrades('XPL', [trade(0, '1.0')])).to.deep.equal([]);
    candles.begin('XPL', T0 + 1);
    expect(candles.onTrades('XPL', [trade(5000, '1.0')])).to.deep.equal([]);
    expect(candles.onTrades('XPL', [trade(MINUTE_MS + 1, '2.0')])).to.have.length(1);
    candles.begin('XPL', T0 + 2 * MINUTE_MS + 10);
    expect(candles.onTrades('XPL', [trade(2 * MINUTE_MS + 20, '3.0')])).to.deep.equal([]);
  });
});
