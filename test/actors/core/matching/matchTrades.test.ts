import { expect } from 'chai';
import { book, deposit, given, givenUsd, leverage, mark, place, Scenario, trade } from '../../../support/scenario.ts';

const BIDS = [
  ['99.9', '5'],
  ['99.5', '40'],
  ['99', '100'],
] as const;
const market = book('SOL', BIDS, [['100', '5']]);
const bid = (size: string, limitPrice = '99.5') => place({ size, limitPrice });

describe('matchTrades: a resting order fills only from what really traded', () => {
  it('EX-3.2b: 100 ahead; 80 leaves 20; 30 uses 20 and fills 10; 50 fills the other 40', () => {
    const scenario = givenUsd('100000', market, bid('50', '99'));
    expect(scenario.ahead).to.deep.equal(['100']);
    scenario.when(trade('SOL', ['sell', '99', '80'])).thenFills();
    expect(scenario.ahead).to.deep.equal(['20']);
    scenario
      .when(trade('SOL', ['sell', '99', '30']))
      .thenFills('buy 10 @ 99 maker')
      .thenOpen('buy 40 @ 99');
    scenario
      .when(trade('SOL', ['sell', '99', '50']))
      .thenFills('buy 40 @ 99 maker')
      .thenEnds('filled')
      .thenOpen();
  });

  it('EX-3.2c: queue by trade, then by book, then traded through, then the rest', () => {
    const scenario = given(market, bid('10'));
    scenario.when(trade('SOL', ['sell', '99.5', '25'])).thenFills();
    expect(scenario.ahead).to.deep.equal(['15']);
    scenario.when(book('SOL', [['99.9', '5'], ['99.5', '8']], [['100', '5']])).thenFills(); // biome-ignore format: one line reads as a book
    expect(scenario.ahead).to.deep.equal(['8']);
    scenario
      .when(trade('SOL', ['sell', '99.4', '6']))
      .thenFills('buy 6 @ 99.5 maker')
      .thenOpen('buy 4 @ 99.5');
    expect(scenario.ahead).to.deep.equal(['0']);
    scenario
      .when(trade('SOL', ['sell', '99.5', '100']))
      .thenFills('buy 4 @ 99.5 maker')
      .thenEnds('filled');
  });

  it('edge 44: a trade at the limit smaller than the queue fills nothing, one beyond fills up to its size at the limit', () => {
    given(market, bid('10'))
      .when(trade('SOL', ['sell', '99.5', '39.99']))
      .thenFills();
    given(market, bid('10'))
      .when(trade('SOL', ['sell', '98', '7']))
      .thenFills('buy 7 @ 99.5 maker');
    given(market, bid('10'))
      .when(trade('SOL', ['sell', '99.6', '100']))
      .thenFills()
      .thenEvents();
  });

  it('edge 46: two own orders of 1 at one price share a trade of 1.5', () => {
    given(market, bid('1', '99.95'), bid('1', '99.95'))
      .when(trade('SOL', ['sell', '99.95', '1.5']))
      .thenFills('buy 1 @ 99.95 maker', 'buy 0.5 @ 99.95 maker')
      .thenOpen('buy 0.5 @ 99.95');
  });

  it('a trade through two orders leaves nobody ahead of either, though the first takes all of it', () => {
    const scenario = given(market, bid('1'), bid('1', '99'));
    expect(scenario.ahead).to.deep.equal(['40', '100']);
    scenario.when(trade('SOL', ['sell', '98.9', '0.5'])).thenFills('buy 0.5 @ 99.5 maker');
    expect(scenario.ahead).to.deep.equal(['0', '0']);
    scenario.when(trade('SOL', ['sell', '99', '2'])).thenFills('buy 0.5 @ 99.5 maker', 'buy 1 @ 99 maker');
  });

  it('rule 2.1: the better price is served first, then the older order', () => {
    const scenario = given(market, bid('1', '99.94'), bid('1', '99.96'), bid('1', '99.94'));
    const [older, , younger] = scenario.account.orders.keys();
    scenario.when(trade('SOL', ['sell', '99.9', '2.5']));
    scenario.thenFills('buy 1 @ 99.96 maker', 'buy 1 @ 99.94 maker', 'buy 0.5 @ 99.94 maker');
    expect(scenario.account.orders.has(older ?? 0)).to.equal(false);
    expect([...scenario.account.orders.keys()]).to.deep.equal([younger]);
  });

  it('sells mirror buys', () => {
    given(market, place({ side: 'sell', size: '2', limitPrice: '100.5' }))
      .when(trade('SOL', ['buy', '100.6', '1']))
      .thenFills('sell 1 @ 100.5 maker');
  });

  it('trades of the same side do nothing', () => {
    given(market, bid('1'))
      .when(trade('SOL', ['buy', '98', '50']))
      .thenEvents();
  });

  it('edge 45: a trade that is not later than the acceptance is ignored, by time and by tick', () => {
    const scenario = given(market, bid('1'));
    const [order] = scenario.account.orders.values();
    scenario.when((view) => {
      const change = view.trade('SOL', ['sell', '98', '5']);
      return { ...change, trades: change.trades.map((each) => ({ ...each, timeMs: order?.resting.acceptedFeedTimeMs ?? 0 })) };
    });
    scenario.thenEvents();
    scenario
      .when((view) => ({ ...view.trade('SOL', ['sell', '98', '5']), tick: order?.resting.acceptedTick ?? '' }))
      .thenEvents();
    scenario.when(trade('SOL', ['sell', '98', '5'])).thenFills('buy 1 @ 99.5 maker');
  });

  it('ticks compare as numbers: 9-0 is before 10-0, 10-2 before 10-10', () => {
    for (const [accepted, tick, fills] of [
      ['9-0', '10-0', 1],
      ['10-0', '9-0', 0],
      ['10-2', '10-10', 1],
      ['10-10', '10-2', 0],
    ] as const) {
      const scenario = given(market);
      scenario.market.tick = accepted;
      scenario.given(bid('1')).when((view) => ({ ...view.trade('SOL', ['sell', '98', '5']), tick }));
      expect(scenario.fillsInWords()).to.have.length(fills);
    }
  });

  it('edge 45: a repeated tid counts once', () => {
    given(market, bid('10', '99.95'))
      .when((view) => {
        const change = view.trade('SOL', ['sell', '99.95', '3']);
        return { ...change, trades: [...change.trades, ...change.trades] };
      })
      .thenFills('buy 3 @ 99.95 maker');
  });

  it('edge 51: an order out of sight has an unknown queue until its price shows', () => {
    const scenario = given(market, bid('1', '95'));
    expect(scenario.ahead).to.deep.equal(['unknown']);
    scenario.when(trade('SOL', ['sell', '95', '500'])).thenEvents();
    scenario.when(book('SOL', [['96', '1'], ['95', '30'], ['94', '1']], [['100', '5']])); // biome-ignore format: one line reads as a book
    expect(scenario.ahead).to.deep.equal(['30']);
    scenario.when(trade('SOL', ['sell', '95', '30.5'])).thenFills('buy 0.5 @ 95 maker');
  });

  it('edge 51: an order whose price goes out of sight keeps the queue that was seen last', () => {
    const scenario = given(market, bid('1', '99'));
    scenario.when(book('SOL', [['99.9', '5'], ['99.5', '40']], [['100', '5']])).thenEvents(); // biome-ignore format: one line reads as a book
    expect(scenario.ahead).to.deep.equal(['100']);
  });

  it('a sell joins the queue that the asks show', () => {
    expect(given(market, place({ side: 'sell', size: '1', limitPrice: '100' })).ahead).to.deep.equal(['5']);
  });

  it('an order that improves the best has nobody ahead', () => {
    expect(given(market, bid('1', '99.95')).ahead).to.deep.equal(['0']);
  });

  it('evidence names the trade and the queue before it', () => {
    const scenario = given(market, bid('1')).when(trade('SOL', ['sell', '99.5', '41']));
    const { nowMs: tradeTimeMs, tick } = scenario.market;
    const shown = { tradeTid: 1, tradePrice: '99.5', tradeSize: '41', tradeTimeMs, tradeLeft: '1', tick, queueAhead: '40' };
    expect(scenario.events[0]).to.deep.include({ evidence: shown });
  });

  it('edge 64: margin lost meanwhile: marginCanceled and not filled; earlier fills stay', () => {
    const scenario = new Scenario().given(deposit('1000'), leverage(2, 10), market, bid('50', '99'));
    scenario.given(trade('SOL', ['sell', '98', '10'])).thenPosition('SOL', '10');
    scenario.given(mark('SOL', '30'));
    scenario
      .when(trade('SOL', ['sell', '98', '10']))
      .thenFills()
      .thenEnds('marginCanceled')
      .thenPosition('SOL', '10');
  });

  it('a resting order that only reduces is filled whatever the margin', () => {
    const scenario = new Scenario().given(deposit('1000'), leverage(2, 10), market, bid('50', '99'));
    scenario.given(trade('SOL', ['sell', '98', '50']), place({ side: 'sell', size: '50', limitPrice: '101' }), mark('SOL', '86'));
    scenario
      .when(trade('SOL', ['buy', '102', '50']))
      .thenFills('sell 50 @ 101 maker')
      .thenPosition('SOL', '0');
  });
});

describe('matchBook: a newer book moves the queue and fills what it has crossed', () => {
  it('edge 50: after a gap the best ask is 99: filled up to the shown size at the limit of 99.5, not better', () => {
    const scenario = given(market, bid('10'));
    const crossed = book('SOL', [['98', '5']], [['99', '4'], ['99.5', '3'], ['99.6', '9']]); // biome-ignore format: one line reads as a book
    scenario.when(crossed).thenFills('buy 7 @ 99.5 maker').thenOpen('buy 3 @ 99.5');
    scenario.when(crossed).thenFills();
  });

  it('evidence names the book and each level that it gave', () => {
    const scenario = given(market, bid('5')).when(book('SOL', [['98', '5']], [['99', '4'], ['99.5', '3'], ['99.6', '9']])); // biome-ignore format: one line reads as a book
    const { timeMs: bookTimeMs, version: bookVersion } = scenario.market.book(2) ?? {};
    const levels = [
      ['99', '4', '0', '4'],
      ['99.5', '3', '0', '1'],
    ];
    const [fill] = scenario.events.filter(({ type }) => type === 'orderFilled');
    expect(fill).to.deep.include({
      evidence: { bookTimeMs, bookVersion, displayed: '7', consumed: '0', levels, queueAhead: '0' },
    });
  });

  it('a reduce-only order that a fill before it has cut takes no more than it gets', () => {
    const scenario = given(
      market,
      place({ size: '2', limitPrice: '100', tif: 'ioc' }),
      place({ side: 'sell', size: '1', limitPrice: '101' }, { side: 'sell', size: '2', limitPrice: '101.5', reduceOnly: true }),
    );
    scenario.when(book('SOL', [['102', '50']], [['103', '1']]));
    scenario.thenFills('sell 1 @ 101 maker', 'sell 1 @ 101.5 maker').thenPosition('SOL', '0');
    expect(scenario.account.consumption.get(2)?.bid.get('102')?.consumed).to.equal('2');
  });

  it('what a crossing book gave is consumed for takers too', () => {
    given(market, bid('5'))
      .given(book('SOL', [['98', '5']], [['99', '4'], ['99.5', '3']])) // biome-ignore format: one line reads as a book
      .when(place({ size: '9', limitPrice: '99.5', tif: 'ioc' }))
      .thenFills('buy 2 @ 99.5 taker');
  });

  it('a level that is gone leaves nobody ahead, without a fill', () => {
    const scenario = given(market, bid('10')).when(book('SOL', [['99.9', '5'], ['99', '9']], [['100', '5']])); // biome-ignore format: one line reads as a book
    scenario.thenEvents({ type: 'queueMoved' });
    expect(scenario.ahead).to.deep.equal(['0']);
  });

  it('a level that grows moves nobody', () => {
    given(market, bid('10')).when(book('SOL', [['99.9', '5'], ['99.5', '90']], [['100', '5']])).thenEvents(); // biome-ignore format: one line reads as a book
  });

  it('a book as old as the acceptance or crossed in itself fills nothing', () => {
    given(market, bid('10'))
      .when(book('SOL', [['99.2', '1']], [['99', '4']]))
      .thenFills();
    const scenario = given(market, bid('10'));
    scenario.when((view) => {
      const change = view.setBook('SOL', { bids: [['98', '1']], asks: [['99', '4']] });
      view.advance(60_000);
      return change;
    });
    scenario.thenFills();
  });

  it('a rest behind consumed liquidity is not filled by the same liquidity', () => {
    const same = book('SOL', BIDS, [['100', '5']]);
    given(market, place({ size: '8', limitPrice: '100' }))
      .when(same)
      .thenFills()
      .thenOpen('buy 3 @ 100');
  });

  it('reduce-only: the second of two crossed sells is canceled when the first has closed the position', () => {
    given(place({ size: '1', limitPrice: '100', tif: 'ioc' }))
      .given(place({ side: 'sell', limitPrice: '101' }, { side: 'sell', limitPrice: '102', reduceOnly: true }))
      .when(book('SOL', [['103', '50']], [['104', '1']]))
      .thenFills('sell 1 @ 101 maker')
      .thenEnds('filled', 'reduceOnlyCanceled')
      .thenPosition('SOL', '0');
  });
});
