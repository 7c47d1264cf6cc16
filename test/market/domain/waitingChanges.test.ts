import { expect } from 'chai';
import type { BookChange, MarketTrade, StoredTrades } from '../../../src/market/domain/feed.ts';
import { MarketState } from '../../../src/market/domain/marketState.ts';
import { WaitingChanges } from '../../../src/market/domain/waitingChanges.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';

const COINS = Array.from({ length: 300 }, (_, n) => `COIN${n}`);

const side = Array.from({ length: 20 }, (_, n) => [`${100 + n}.5`, '12.345', 3] as const);
const book = (coin: string, timeMs: number): BookChange => ({ type: 'book', coin, timeMs, bids: side, asks: side });
const trade = (tid: number): MarketTrade => ({ side: 'buy', price: '100', size: '1', timeMs: tid, tid });
const trades = (coin: string, tid: number) => ({ type: 'venueTrades', coin, trades: [trade(tid)] }) as const;

describe('waitingChanges: what the leader tells in one message', () => {
  let state: MarketState;
  let waiting: WaitingChanges;
  beforeEach(() => {
    state = new MarketState();
    waiting = new WaitingChanges(state);
  });

  const onBook = (coin: string, timeMs: number): void => {
    const change = state.onBook(book(coin, timeMs));
    if (change) waiting.add(change);
  };
  const onTrade = (coin: string, tid: number): void => waiting.add(state.onTrades(trades(coin, tid)) as StoredTrades);
  const messages = (): { coins: string[]; length: number; fields: number; trades: string[] }[] => {
    const all = [];
    while (!waiting.isEmpty) {
      const taken = waiting.take(NEWEST_FORMAT);
      all.push({
        coins: taken.others.map((text) => JSON.parse(text).coin as string),
        length: taken.others.join('').length,
        fields: taken.fields.length / 2,
        trades: taken.trades.map(({ coin }) => coin),
      });
    }
    return all;
  };

  it('when all coins change at once: parts that a follower parses in a moment, the first changed first, none left out', () => {
    for (const coin of COINS) onBook(coin, 1);
    const told = messages();
    expect(told.length).to.be.above(3);
    for (const { length } of told) expect(length).to.be.at.most(70_000);
    expect(told.flatMap(({ coins }) => coins)).to.deep.equal(COINS);
  });

  it('a coin that changes again meanwhile keeps its place, and is told once, as it is then', () => {
    for (const coin of COINS) onBook(coin, 1);
    const told = waiting.take(NEWEST_FORMAT).others.length;
    for (const coin of COINS) onBook(coin, 2);
    const next = waiting.take(NEWEST_FORMAT);
    expect(JSON.parse(next.others[0] ?? '')).to.include({ coin: COINS[told], timeMs: 2 });
    expect(next.others.length + messages().reduce((sum, { coins }) => sum + coins.length, 0)).to.equal(COINS.length);
  });

  it('trades wait for no part: all go in the next message, with what the state has of them', () => {
    for (const coin of COINS) onBook(coin, 1);
    onTrade('COIN299', 7);
    onTrade('COIN0', 8);
    const [first, ...later] = messages();
    expect(first?.trades).to.deep.equal(['COIN299', 'COIN0']);
    expect(first?.fields).to.equal((first?.coins.length ?? 0) + 2);
    expect(later.flatMap((one) => one.trades)).to.deep.equal([]);
  });

  it('a candle that ends while it waits is told before the one after it', () => {
    const candle = (t: number, n: number) => {
      const change = { t, T: t + 59_999, s: 'BTC', i: '1m', o: '1', c: '1', h: '1', l: '1', v: '1', n };
      const accepted = state.onCandle({ type: 'candle', coin: 'BTC', candle: change } as never);
      if (accepted) waiting.add(accepted);
    };
    candle(0, 1);
    candle(0, 2);
    candle(60_000, 1);
    const told = waiting.take(NEWEST_FORMAT).others.map((text) => JSON.parse(text).candle);
    expect(told.map(({ t, n }) => [t, n])).to.deep.equal([
      [0, 2],
      [60_000, 1],
    ]);
    candle(60_000, 2);
    expect(waiting.take(NEWEST_FORMAT).others).to.have.length(1);
  });

  it('a first message has the whole state, and nothing waits after it; trades that reached nobody come again, first', () => {
    for (const coin of COINS) onBook(coin, 1);
    onTrade('BTC', 1);
    const { fields, trades: taken, others } = waiting.takeWhole(NEWEST_FORMAT);
    expect([fields.length / 2, taken.length, others.length]).to.deep.equal([COINS.length + 1, 1, 0]);
    expect(waiting.isEmpty).to.equal(true);
    onTrade('BTC', 2);
    waiting.returnTrades(taken);
    expect(waiting.tradeCount).to.equal(2);
    expect(waiting.take(NEWEST_FORMAT).trades.map((one) => one.trades[0]?.tid)).to.deep.equal([1, 2]);
  });
});
