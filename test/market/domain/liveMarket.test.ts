// The view that rules and API share: a fold over changes, equal to a view that loaded the state.
import { expect } from 'chai';
import type { ContextChange, MarketChange } from '../../../src/market/domain/feed.ts';
import { isLaterTick, LiveMarket } from '../../../src/market/domain/liveMarket.ts';
import { NEWEST_FORMAT, writeForm } from '../../../src/shared/domain/formats.ts';

const META = {
  type: 'meta' as const,
  meta: {
    universe: [
      { name: 'BTC', szDecimals: 5, maxLeverage: 40, marginTableId: 56 },
      { name: 'OLD', szDecimals: 1, maxLeverage: 3, isDelisted: true },
    ],
    marginTables: [],
  },
};
const context = (timeMs: number, markPx: string, midPx: string | null = '100.5'): ContextChange => ({
  type: 'context',
  coin: 'BTC',
  timeMs,
  context: {
    funding: '0.0',
    openInterest: '0.0',
    prevDayPx: '1.0',
    dayNtlVlm: '0.0',
    premium: null,
    oraclePx: '99.0',
    markPx,
    midPx,
    impactPxs: null,
  },
});
const BOOK = { type: 'book', coin: 'BTC', timeMs: 50, bids: [['100.0', '1.0', 1]], asks: [['102.0', '1.0', 1]] } as const;
const TRADES = {
  type: 'trades',
  coin: 'BTC',
  tick: '60-0',
  trades: [{ side: 'buy', price: '102.0', size: '0.5', timeMs: 60, tid: 1 }],
} as const;

function view(...changes: MarketChange[]): LiveMarket {
  const market = new LiveMarket({ maxAgeMs: 15_000 });
  for (const change of changes) market.apply(change);
  return market;
}

const text = (change: object): string => writeForm(change, NEWEST_FORMAT);

describe('liveMarket', () => {
  it('knows assets by id and coin, and nothing of others', () => {
    const market = view(META);
    expect(market.assetOf('BTC')?.id).to.equal(0);
    expect(market.asset(1)?.isDelisted).to.equal(true);
    expect([market.asset(2), market.asset(-1), market.asset(0.5), market.assetOf('btc')]).to.deep.equal(Array(4).fill(undefined));
    expect([market.book(0), market.prices(0), market.feedTimeMs(0)]).to.deep.equal([undefined, undefined, 0]);
  });

  it('gives the mid of the book, else the venue’s, else none', () => {
    expect(view(META, context(1, '100.0'), BOOK).prices(0)?.midPrice?.toFixed()).to.equal('101');
    expect(view(META, context(1, '100.0')).prices(0)?.midPrice?.toFixed()).to.equal('100.5');
    expect(view(META, context(1, '100.0', null)).prices(0)?.midPrice).to.equal(undefined);
  });

  it('has another revision after a mark, a listing, a funding rate and a load, and the same one after books and trades', () => {
    const market = view(META, context(1, '100.0'));
    const isAnother = (change: () => void): boolean => {
      const before = market.revision;
      change();
      return market.revision !== before;
    };
    expect(isAnother(() => market.apply(context(2, '101.0')))).to.equal(true);
    expect(isAnother(() => market.apply(META))).to.equal(true);
    expect(
      isAnother(() => market.apply({ type: 'funding', coin: 'BTC', sinceMs: 0, hours: [[3_600_000, '0.01', '100.0']] })),
    ).to.equal(true);
    expect(isAnother(() => market.load({}, '0-0'))).to.equal(true);
    for (const change of [BOOK, TRADES]) expect(isAnother(() => market.apply(change))).to.equal(false);
  });

  it('follows mark and mid as they change', () => {
    const market = view(META, context(1, '100.0'), BOOK);
    expect(market.prices(0)?.markPrice.toFixed()).to.equal('100');
    market.apply(context(2, '103.0'));
    expect(market.prices(0)?.markPrice.toFixed()).to.equal('103');
    expect(market.prices(0)?.timeMs).to.equal(2);
    market.apply({ ...BOOK, timeMs: 70, bids: [['101.0', '1.0', 1]] });
    expect(market.prices(0)?.midPrice?.toFixed()).to.equal('101.5');
  });

  it('EX-5.1: the mark is the venue’s own, neither the mid, the book nor the last trade make another of it', () => {
    const market = view(META, context(1, '8.029999', '5.0'), BOOK, TRADES);
    expect(market.prices(0)?.markPrice.toFixed()).to.equal('8.029999');
  });

  it('takes the newest mark though two came in one millisecond', () => {
    const market = view(META, context(1, '100.0'));
    expect(market.prices(0)?.markPrice.toFixed()).to.equal('100');
    market.apply(context(1, '104.0'));
    expect(market.prices(0)?.markPrice.toFixed()).to.equal('104');
  });

  it('applies trades to the book, the list, the feed time and the tick', () => {
    const market = view(META, BOOK, TRADES);
    expect(market.bookText('BTC')?.asks).to.deep.equal([['102.0', '0.5', 1]]);
    expect(market.recentTrades('BTC').map(({ tid }) => tid)).to.deep.equal([1]);
    expect(market.feedTimeMs(0)).to.equal(60);
    expect(market.tick).to.equal('60-0');
  });

  it('is the same after loading the state that the changes gave', () => {
    const live = view(META, context(1, '100.0'), BOOK, TRADES);
    const { trades, ...coin } = TRADES;
    const loaded = new LiveMarket({ maxAgeMs: 15_000 });
    const past = { ...coin, type: 'pastTrades', trades };
    const state = { meta: META, 'ctx:BTC': context(1, '100.0'), 'trades:BTC': past, 'book:BTC': BOOK };
    loaded.load(Object.fromEntries(Object.entries(state).map(([field, change]) => [field, text(change)])), '60-0');
    expect(loaded.bookText('BTC')).to.deep.equal(live.bookText('BTC'));
    expect(loaded.recentTrades('BTC')).to.deep.equal(live.recentTrades('BTC'));
    expect([loaded.feedTimeMs(0), loaded.tick]).to.deep.equal([live.feedTimeMs(0), live.tick]);
  });

  it('forgets what the loaded state does not have, and lets versions rise', () => {
    const market = view(META, context(1, '100.0'), BOOK);
    const version = market.book(0)?.version ?? 0;
    market.load({ meta: text(META), 'book:BTC': text(BOOK) }, '1-0');
    expect(market.prices(0)).to.equal(undefined);
    expect(market.book(0)?.version).to.be.greaterThan(version);
  });

  it('tells ages of listed coins', () => {
    const market = view(META, context(1000, '100.0'), { ...BOOK, timeMs: 2000 });
    expect(market.ages(20_000).book).to.deep.equal({ newestMs: 18_000, oldestMs: 18_000, stale: 1 });
    expect(market.ages(10_000).context).to.deep.equal({ newestMs: 9000, oldestMs: 9000, stale: 0 });
    expect(market.ages(10_000).mids).to.deep.equal({ newestMs: null, oldestMs: null, stale: 1 });
  });

  it('orders ticks by both numbers', () => {
    expect(isLaterTick('10-0', '9-5')).to.equal(true);
    expect(isLaterTick('10-2', '10-10')).to.equal(false);
    expect(isLaterTick('10-2', '10-2')).to.equal(false);
  });
});
