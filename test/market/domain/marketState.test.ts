// The leader's gate: repeated, reordered and older data stops here, also over a change of leader.
import { expect } from 'chai';
import type { BookChange, CandleChange, MarketTrade } from '../../../src/market/domain/feed.ts';
import { MarketState } from '../../../src/market/domain/marketState.ts';
import { NEWEST_FORMAT, writeForm } from '../../../src/shared/domain/formats.ts';

const book = (timeMs: number): BookChange => ({ type: 'book', coin: 'X', timeMs, bids: [], asks: [] });
const candle = (t: number, n: number): CandleChange => ({
  type: 'candle',
  coin: 'X',
  timeMs: 5,
  candle: { t, T: t + 59_999, s: 'X', i: '1m', o: '1.0', c: '1.0', h: '1.0', l: '1.0', v: '1.0', n },
});
const trades = (...list: [timeMs: number, tid: number][]) => ({
  type: 'venueTrades' as const,
  coin: 'X',
  trades: list.map(([timeMs, tid]): MarketTrade => ({ side: 'buy', price: '1.0', size: '1.0', timeMs, tid })),
});
const tids = (change: { trades: readonly MarketTrade[] } | undefined): number[] => change?.trades.map(({ tid }) => tid) ?? [];
const written = (state: MarketState): Record<string, string> =>
  Object.fromEntries([...state.fields].map(([field, change]) => [field, writeForm(change, NEWEST_FORMAT)]));

describe('marketState: what passes the gate', () => {
  it('a newer book and one of the same time, not an older one', () => {
    const state = new MarketState();
    expect(state.onBook(book(10))).to.deep.equal(book(10));
    expect(state.onBook(book(10))).to.deep.equal(book(10));
    expect(state.onBook(book(9))).to.equal(undefined);
  });

  it('a candle with more trades and one of a later minute, over a change of leader too', () => {
    const state = new MarketState();
    expect(state.onCandle(candle(60_000, 3))).to.deep.equal(candle(60_000, 3));
    for (const gate of [state, new MarketState(written(state))]) {
      expect(gate.onCandle(candle(0, 9))).to.equal(undefined);
      expect(gate.onCandle(candle(60_000, 3))).to.equal(undefined);
      expect(gate.onCandle(candle(60_000, 4))).to.deep.equal(candle(60_000, 4));
      expect(gate.onCandle(candle(120_000, 0))).to.deep.equal(candle(120_000, 0));
    }
    expect([...state.fields.keys()]).to.deep.equal(['candle:X']);
  });

  it('each trade once, none older than the newest', () => {
    const state = new MarketState();
    expect(tids(state.onTrades(trades([10, 1], [10, 2], [10, 1])))).to.deep.equal([1, 2]);
    expect(tids(state.onTrades(trades([9, 3], [10, 2], [10, 4])))).to.deep.equal([4]);
    expect(state.onTrades(trades([10, 4]))).to.equal(undefined);
  });

  it('trades of before the connection into the list only, and not again as news', () => {
    const state = new MarketState();
    expect(tids(state.onPastTrades(trades([8, 1], [9, 2])))).to.deep.equal([1, 2]);
    expect(state.onPastTrades(trades([8, 1], [9, 2]))).to.equal(undefined);
    expect(tids(state.onTrades(trades([9, 2], [9, 3])))).to.deep.equal([3]);
  });

  it('edge 92: a feed that starts again with an older time gives neither book nor trade, until it has caught up', () => {
    const state = new MarketState();
    state.onBook(book(1000));
    state.onTrades(trades([1000, 7]));
    expect(state.onBook(book(400))).to.equal(undefined);
    expect(state.onTrades(trades([400, 8], [999, 9]))).to.equal(undefined);
    expect(state.onBook(book(1001))).to.deep.equal(book(1001));
    expect(tids(state.onTrades(trades([1001, 10])))).to.deep.equal([10]);
  });

  it('the same for a leader that goes on from what the last one wrote', () => {
    const former = new MarketState();
    former.onBook(book(10));
    former.onTrades(trades([10, 1], [11, 2]));
    former.onMids({ type: 'mids', timeMs: 1, mids: { X: '1.0' } });
    const state = new MarketState(written(former));
    expect(state.onBook(book(9))).to.equal(undefined);
    expect(state.onTrades(trades([11, 2]))).to.equal(undefined);
    expect(tids(state.onTrades(trades([11, 3])))).to.deep.equal([3]);
    expect(written(state)).to.have.keys('book:X', 'trades:X', 'mids');
  });

  it('only mids that changed, and all of them in the state', () => {
    const state = new MarketState();
    state.onMids({ type: 'mids', timeMs: 1, mids: { A: '1.0', B: '2.0' } });
    expect(state.onMids({ type: 'mids', timeMs: 2, mids: { A: '1.0', B: '3.0' } }).mids).to.deep.equal({ B: '3.0' });
    expect(state.fields.get('mids')).to.deep.equal({ type: 'mids', timeMs: 2, mids: { A: '1.0', B: '3.0' } });
  });

  it('meta only when it changed', () => {
    const state = new MarketState();
    const meta = { universe: [{ name: 'X', szDecimals: 1, maxLeverage: 3 }] };
    expect(state.onMeta(meta, [])?.meta).to.equal(meta);
    expect(state.onMeta(structuredClone(meta), [])).to.equal(undefined);
    expect(new MarketState(written(state)).onMeta(meta, [])).to.equal(undefined);
    expect(state.onMeta(meta, ['BTC'])?.atOpenInterestCap).to.deep.equal(['BTC']);
    expect(state.onMeta(meta, ['BTC'])).to.equal(undefined);
    expect(new MarketState(written(state)).onMeta(meta, ['BTC'])).to.equal(undefined);
    expect(state.onMeta(meta, [])).to.deep.equal({ type: 'meta', meta });
  });
});
