import { expect } from 'chai';
import { PastMarkets } from '../../../src/features/lab/pastMarkets.ts';
import { LiveMarket } from '../../../src/market/domain/liveMarket.ts';

const NOW_MS = 1_800_000_000_000;

describe('PastMarkets', () => {
  let market: LiveMarket;
  let past: PastMarkets;
  beforeEach(() => {
    market = new LiveMarket({ maxAgeMs: 5000 });
    past = new PastMarkets(market, { now: () => NOW_MS, lateMaxMs: 10_000 });
    price('100');
  });
  afterEach(() => past.stop());

  const price = (mid: string): void => {
    market.apply({ type: 'mids', timeMs: NOW_MS, mids: { BTC: mid } });
    market.apply({ type: 'book', coin: 'BTC', timeMs: NOW_MS, bids: [[mid, '1', 1]], asks: [[mid, '1', 1]] });
  };
  const ask = (feed: { freeze?: true; delay?: number } | undefined, run = 'run', userId = 'one') =>
    past.seen({ profile: { run, ...(feed && { feed }) }, userId, nowMs: NOW_MS });
  const seenPrice = (...asked: Parameters<typeof ask>): unknown => {
    const seen = ask(...asked);
    return seen && [seen.market.mids()['BTC'], seen.market.bookText('BTC')?.bids[0]?.[0]];
  };

  it('shows the true market without a feed', () => {
    expect(ask(undefined)).to.equal(undefined);
    expect(ask({ delay: 0 })).to.equal(undefined);
  });

  it('stands still from the first question on, while the market goes on', () => {
    expect(seenPrice({ freeze: true })).to.deep.equal(['100', '100']);
    price('101');
    expect(seenPrice({ freeze: true })).to.deep.equal(['100', '100']);
    expect(seenPrice({ freeze: true }, 'another')).to.deep.equal(['101', '101']);
    expect(market.mids()['BTC']).to.equal('101');
  });

  it('a late view is that of the first question until it is old enough', () => {
    expect(seenPrice({ delay: 10_000 })).to.deep.equal(['100', '100']);
    price('101');
    expect(seenPrice({ delay: 10_000 })).to.deep.equal(['100', '100']);
    expect(seenPrice({ delay: 10_000, freeze: true })).to.deep.equal(['100', '100']);
  });

  it('a user has two that stand still: of a third the one asked least recently begins anew; others keep theirs', () => {
    seenPrice({ freeze: true }, 'a', 'other');
    for (const run of ['1', '2', '3']) seenPrice({ freeze: true }, run);
    price('101');
    expect(seenPrice({ freeze: true }, '3')).to.deep.equal(['100', '100']);
    expect(seenPrice({ freeze: true }, '1')).to.deep.equal(['101', '101']);
    expect(seenPrice({ freeze: true }, 'a', 'other')).to.deep.equal(['100', '100']);
  });

  it('all users together have sixteen', () => {
    for (let user = 0; user < 17; user++) seenPrice({ freeze: true }, `run ${user}`, `user ${user}`);
    price('101');
    expect(seenPrice({ freeze: true }, 'run 1', 'user 1')).to.deep.equal(['100', '100']);
    expect(seenPrice({ freeze: true }, 'run 0', 'user 0')).to.deep.equal(['101', '101']);
  });
});
