import { expect } from 'chai';
import { rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import type { AccountEntry } from '../../../../src/actors/core/messages/entry.ts';
import { NO_ROWS } from '../../../../src/actors/core/messages/historyRows.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';
import {
  book,
  cancel,
  deposit,
  given,
  givenUsd,
  leverage,
  mark,
  type OrderFields,
  order,
  place,
  Scenario,
  type Step,
  trade,
  wait,
} from '../../../support/scenario.ts';

const BTC = 0;
const ETH = 1;
const SOL = 2;
const CLOID = '0x000000000000000000000000000000c1';

describe('placeOrders: the first check that fails names the reason (rule 1.7)', () => {
  const tick = 'Price must be divisible by tick size. asset=2';
  const value = 'Order must have minimum value of $10. asset=2';
  const cases: { name: string; order: OrderFields; want: string }[] = [
    { name: 'edge 10: an asset that does not exist', order: { asset: 99 }, want: 'Unknown asset. asset=99' },
    { name: 'edge 10: a delisted asset', order: { asset: 5, limitPrice: '1', size: '20' }, want: 'Trading is halted. asset=5' },
    {
      name: 'size zero wins over a price off the grid',
      order: { size: '0', limitPrice: '100.001' },
      want: 'Order has zero size.',
    },
    { name: 'size 0.0 is zero too', order: { size: '0.0' }, want: 'Order has zero size.' },
    { name: 'size off the lot', order: { size: '1.001', limitPrice: '100.001' }, want: 'Order has invalid size.' },
    { name: 'size that is no number', order: { size: '1e3' }, want: 'Order has invalid size.' },
    { name: 'six figures', order: { limitPrice: '100.001' }, want: tick },
    { name: 'six figures in two ways: figures come first', order: { limitPrice: '90.00001' }, want: tick },
    { name: 'too many decimals', order: { limitPrice: '0.00001', asset: 0, size: '1' }, want: 'refused' },
    { name: 'edge 8: price 0 with Gtc', order: { limitPrice: '0' }, want: 'Order has invalid price.' },
    { name: 'edge 8: price 0 with Alo', order: { limitPrice: '0', tif: 'alo' }, want: 'Order has invalid price.' },
    { name: 'Gtc of 50,000,100 USD', order: { size: '500001', tif: 'gtc' }, want: 'Order value too large. Max is $50000000.' },
    { name: 'Ioc of 5,000,001 USD', order: { size: '50000.01', tif: 'ioc' }, want: 'Order value too large. Max is $5000000.' },
    {
      name: 'edge 25: reduce-only without a position, before its value',
      order: { reduceOnly: true, size: '0.01' },
      want: 'Reduce only order would increase position. asset=2',
    },
    { name: 'edge 5: 9.999 USD resting', order: { limitPrice: '99.99', size: '0.1' }, want: value },
    { name: 'edge 5: 10 USD resting', order: { limitPrice: '100', size: '0.1', tif: 'gtc' }, want: 'filled 0.1 @ 100' },
    { name: 'value before the post-only check', order: { limitPrice: '100.1', size: '0.09', tif: 'alo' }, want: value },
    {
      name: 'edge 14: Alo at the best ask',
      order: { limitPrice: '100', tif: 'alo' },
      want: 'Post only order would have immediately matched, bbo was 99.9@100. asset=2',
    },
    { name: 'edge 14: Alo one tick below', order: { limitPrice: '99.99', tif: 'alo' }, want: 'resting' },
    {
      name: 'edge 16: Ioc with no level inside the limit',
      order: { limitPrice: '99.99', tif: 'ioc' },
      want: 'Order could not immediately match against any resting orders. asset=2',
    },
    { name: 'no match comes before margin', order: { limitPrice: '99', size: '9000', tif: 'ioc' }, want: 'nothing to match' },
    { name: 'margin', order: { limitPrice: '99', size: '9000' }, want: 'Insufficient margin to place order. asset=2' },
  ];
  const words: Readonly<Record<string, string>> = {
    refused: 'Order price cannot be more than 95% away from the reference price',
    'nothing to match': 'Order could not immediately match against any resting orders. asset=2',
  };
  for (const { name, order: fields, want } of cases) {
    it(name, () => {
      given()
        .when(place(fields))
        .thenOutcomes(words[want] ?? want);
    });
  }

  it('edge 1: ETH at 2458.53 is off the tick; 2458.5 and 2458.50 are the same order', () => {
    const near = given(mark('ETH', '2459'), book('ETH', [['2458', '5']], [['2460', '5']]));
    const bid = (limitPrice: string) => place({ asset: ETH, limitPrice, size: '0.1' });
    near.when(bid('2458.53')).thenOutcomes('Price must be divisible by tick size. asset=1').thenEnds('tickRejected');
    near.given(bid('2458.5'), bid('2458.50')).thenOpen('buy 0.1 @ 2458.5', 'buy 0.1 @ 2458.5');
  });

  it('EX-1.1: five figures but two decimals where one is allowed', () => {
    given(mark('BTC', '10'), book('BTC', [['9', '5']], [['11', '5']]))
      .when(place({ asset: BTC, limitPrice: '10.25', size: '2' }))
      .thenOutcomes('Order has invalid price.')
      .thenEnds('rejected');
  });

  it('a refused order is recorded with an oid and its status, and changes nothing else', () => {
    const scenario = given();
    const before = scenario.account.cash;
    scenario.when(place({ limitPrice: '100.001', cloid: CLOID })).thenEvents({ type: 'orderEnded', status: 'tickRejected' });
    expect(scenario.account.cash).to.equal(before);
    expect(scenario.account.orders.size).to.equal(0);
    expect(scenario.account.rowCounts).to.deep.equal({ ...NO_ROWS, orders: 1, ledger: 1, equity: 1 });
  });

  it('an unknown account answers so to everything but its opening', () => {
    new Scenario().when(place({})).thenOutcomes('unknownAccount');
    new Scenario().given(deposit('5')).when(deposit('5')).thenOutcomes('accountOpened').thenEvents();
  });

  it('expiresAfter in the past refuses the whole action, the same millisecond does not', () => {
    const scenario = given();
    const now = scenario.market.nowMs;
    scenario.when({ type: 'placeOrders', orders: [order()], grouping: 'na', expiresAfterMs: now - 1 });
    scenario.thenOutcomes('Action already expired').thenEvents();
    expect(scenario.account.totals.requestsUsed).to.equal(5);
    scenario.when({ type: 'placeOrders', orders: [order()], grouping: 'na', expiresAfterMs: now });
    scenario.thenOutcomes('filled 1 @ 100');
    expect(scenario.account.totals.requestsUsed).to.equal(6);
  });
});

describe('placeOrders: whole actions', () => {
  it('edge 12: an empty batch', () => {
    given().when(place()).thenOutcomes('Orders are empty').thenEvents();
  });

  it('1000 elements are read, 1001 refused', () => {
    const many = (count: number) => place(...Array.from({ length: count }, () => ({ size: '0' })));
    expect(given().when(many(1000)).events).to.have.length(1000);
    given().when(many(1001)).thenOutcomes('Signed action over weight limit of 1000.').thenEvents();
  });

  const band = 'Order price cannot be more than 95% away from the reference price';
  const bands = [
    { price: '3250', side: 'buy', want: band },
    { price: '3251', side: 'buy', want: 'resting' },
    { price: '1300000', side: 'sell', want: 'resting' },
    { price: '1300001', side: 'sell', want: band },
  ] as const;
  for (const { price, side, want } of bands) {
    it(`EX-1.4: ${side} at ${price} with the oracle at 65000, whatever the mark is`, () => {
      const oracle = '65000';
      given((market) => market.setPrices('BTC', { mark: '60000', oracle }))
        .when(place({ asset: BTC, side, limitPrice: price, size: '0.004' }))
        .thenOutcomes(want);
      given((market) => market.setPrices('BTC', { mark: '70000', oracle }))
        .when(place({ asset: BTC, side, limitPrice: price, size: '0.004' }))
        .thenOutcomes(want);
    });
  }

  it('edge 7: one price outside the band refuses the two good orders with one error', () => {
    const scenario = given().when(place({}, { limitPrice: '2000.1' }, {}));
    scenario.thenOutcomes(band).thenEvents().thenOpen();
  });

  it('edge 10: a bad element does not stop the others', () => {
    given()
      .when(place({ asset: 99 }, {}, { size: '0' }))
      .thenOutcomes('Unknown asset. asset=99', 'filled 1 @ 100', 'Order has zero size.');
  });

  it('each order of a batch sees the ones before it: 100 USD pay for one of two', () => {
    givenUsd('100')
      .when(place({ limitPrice: '99', size: '12' }, { limitPrice: '99', size: '12' }))
      .thenOutcomes('resting', 'Insufficient margin to place order. asset=2');
  });

  it('edge 18: two open orders may have one cloid, which means the newer, then the older', () => {
    const scenario = given(place({ limitPrice: '99', cloid: CLOID }));
    scenario
      .when(place({ limitPrice: '98', cloid: CLOID }))
      .thenOutcomes('resting')
      .thenOpen('buy 1 @ 99', 'buy 1 @ 98');
    scenario.when(cancel({ target: { cloid: CLOID } })).thenOpen('buy 1 @ 99');
    scenario.when(cancel({ target: { cloid: CLOID } })).thenOpen();
  });

  it('edge 18: a batch cancels both orders of one cloid, the newer first, and says of a third that there is none', () => {
    const target = { cloid: CLOID };
    given(place({ limitPrice: '99', cloid: CLOID }, { limitPrice: '98', cloid: CLOID }))
      .when(cancel({ target }, { target }, { target }))
      .thenOutcomes('success', 'success', 'Order was never placed, already canceled, or filled. asset=2')
      .thenOpen();
  });
});

describe('placeOrders: market data must be fresh (rule 3.1)', () => {
  it('edge 47: a book older than its bound refuses takers and keeps resting orders', () => {
    const scenario = given(place({ limitPrice: '99' }), wait(20_000));
    scenario.when(place({})).thenOutcomes('Market data is stale (20 s). asset=2').thenOpen('buy 1 @ 99');
    scenario.when(cancel({ target: { oid: scenario.oid() } })).thenOutcomes('success');
  });

  it('exactly at the bound is fresh; the older of book and mark counts', () => {
    const scenario = given(book('SOL', [['99', '1']], [['100', '1']]));
    const markAge = scenario.market.nowMs - (scenario.market.prices(SOL)?.timeMs ?? 0);
    scenario
      .given(wait(15_000 - markAge))
      .when(place({ size: '0.5' }))
      .thenOutcomes('filled 0.5 @ 100');
    scenario
      .given(wait(300))
      .when(place({ size: '0.5' }))
      .thenOutcomes('Market data is stale (15.3 s). asset=2');
  });

  it('a crossed book refuses', () => {
    given(book('SOL', [['100', '1']], [['100', '1']]))
      .when(place({}))
      .thenOutcomes('Market data is stale (0 s). asset=2');
  });

  it('no book and no mark at all', () => {
    const market = new FixtureMarket([{ coin: 'A', sizeDecimals: 2, maxLeverage: 5 }]);
    new Scenario(market)
      .given(deposit('1'))
      .when(place({ asset: 0 }))
      .thenOutcomes('Market data is stale (no data yet). asset=0');
  });

  it('a fresh mark without a book: its age is not what is wrong', () => {
    const market = new FixtureMarket([{ coin: 'A', sizeDecimals: 2, maxLeverage: 5, mark: '100' }]);
    new Scenario(market)
      .given(deposit('1'))
      .when(place({ asset: 0 }))
      .thenOutcomes('Market data is stale (no data yet). asset=0');
  });

  it('edge 48: nothing on the other side', () => {
    const oneSided = book('SOL', [['99.9', '5']], []);
    given(oneSided)
      .when(place({ limitPrice: '0', tif: 'ioc' }))
      .thenOutcomes('Order could not immediately match against any resting orders. asset=2');
    given(oneSided)
      .when(place({ limitPrice: '101', tif: 'gtc' }))
      .thenOutcomes('resting');
  });
});

describe('placeOrders: time in force (rule 2.2)', () => {
  it('edge 15: a Gtc that crosses half fills half and rests at its limit as the best', () => {
    const scenario = given().when(place({ size: '8', limitPrice: '100' }));
    scenario.thenOutcomes('filled 5 @ 100').thenOpen('buy 3 @ 100');
    expect(scenario.ahead).to.deep.equal(['0']);
    const [open] = scenario.account.orders.values();
    expect(open).to.include({ originalSize: '8', filledSize: '5', size: '3' });
  });

  it('EX-1.6b: a market order larger than the level fills what is there and the rest is canceled', () => {
    const scenario = given(book('SOL', [['0.28', '9']], [['100', '1.36']])).when(place({ size: '2', tif: 'ioc' }));
    scenario.thenOutcomes('filled 1.36 @ 100').thenEnds('canceled').thenOpen();
    expect(scenario.events.at(-1)).to.have.nested.include({ 'order.size': '0.64', 'order.filledSize': '1.36' });
  });

  it('edge 17: an Ioc larger than the visible book fills all of it', () => {
    given()
      .when(place({ size: '50', limitPrice: '110', tif: 'frontendMarket' }))
      .thenFills('buy 5 @ 100 taker', 'buy 10 @ 100.1 taker', 'buy 20 @ 100.2 taker')
      .thenEnds('canceled');
  });

  it('edge 8: price 0 with Ioc buys up to 8 % above the mid', () => {
    const scenario = given(
      book(
        'SOL',
        [['99', '1']],
        [
          ['107.99', '1'],
          ['108', '1'],
          ['108.01', '1'],
        ],
      ),
    );
    scenario.when(place({ limitPrice: '0', size: '3', tif: 'ioc' })).thenFills('buy 1 @ 107.99 taker', 'buy 1 @ 108 taker');
    expect(scenario.events.at(-1)).to.have.nested.include({ 'order.limitPrice': '108' });
  });

  it('a buy far above the best fills at the levels, never at its limit', () => {
    given()
      .when(place({ size: '12', limitPrice: '120', tif: 'ioc' }))
      .thenOutcomes('filled 12 @ 100.0583');
  });

  it('an Alo that an own order on the other side would meet is refused', () => {
    given(book('SOL', [['99', '1']], [['105', '1']]), place({ side: 'sell', limitPrice: '101' }))
      .when(place({ limitPrice: '101', tif: 'alo' }))
      .thenOutcomes('Post only order would have immediately matched, bbo was 99@101. asset=2');
  });

  it('the best bid and offer of a refused Alo are those of the book with the own orders in it', () => {
    const own = given(
      book('SOL', [['99', '1']], [['105', '1']]),
      place({ limitPrice: '100' }),
      place({ side: 'sell', limitPrice: '103' }),
      place({ side: 'sell', limitPrice: '104' }),
    );
    own
      .when(place({ limitPrice: '105', tif: 'alo' }))
      .thenOutcomes('Post only order would have immediately matched, bbo was 100@103. asset=2');
    own
      .when(place({ side: 'sell', limitPrice: '99', tif: 'alo' }))
      .thenOutcomes('Post only order would have immediately matched, bbo was 100@103. asset=2');
    given(book('SOL', [['99', '1']], []), place({ side: 'sell', limitPrice: '103' }))
      .when(place({ limitPrice: '103', tif: 'alo' }))
      .thenOutcomes('Post only order would have immediately matched, bbo was 99@103. asset=2');
  });
});

describe('placeOrders: reduce-only', () => {
  const long = (size: string) => place({ size, limitPrice: '100', tif: 'ioc' });

  it('EX-2.3: long 0.02 ETH, reduce-only sell 0.05 closes 0.02 and is flat', () => {
    given(place({ asset: ETH, size: '0.02', limitPrice: '2000' }))
      .when(place({ asset: ETH, side: 'sell', size: '0.05', limitPrice: '1990', tif: 'ioc', reduceOnly: true }))
      .thenOutcomes('filled 0.02 @ 1999.9')
      .thenEnds('filled')
      .thenPosition('ETH', '0');
  });

  it('EX-2.3d: of a position of 100 a reduce-only Ioc for 500 fills 100: `origSz - sz` is 100', () => {
    const deep = book('SOL', [['99.9', '1000']], [['100', '1000']]);
    const scenario = given(deep, place({ tif: 'ioc', size: '100' }));
    scenario.when(place({ side: 'sell', tif: 'ioc', size: '500', limitPrice: '99', reduceOnly: true })).thenEnds('filled');
    const end = scenario.events.find((event) => event.type === 'orderEnded');
    expect(end?.order).to.include({ size: '0', originalSize: '100', requestedSize: '500', filledSize: '100' });
    // A size that the book does not give is no cut: the rest is canceled.
    scenario.given(place({ tif: 'ioc', size: '100' }), book('SOL', [['99.8', '40']], [['100', '1000']]));
    scenario.when(place({ side: 'sell', tif: 'ioc', size: '500', limitPrice: '99', reduceOnly: true })).thenEnds('canceled');
    const canceled = scenario.events.find((event) => event.type === 'orderEnded');
    expect(canceled?.order).to.include({ size: '60', originalSize: '100', requestedSize: '500', filledSize: '40' });
  });

  it('EX-2.3: above the market it rests with 0.02 of 0.05, follows the position and ends with it', () => {
    const scenario = given(place({ asset: ETH, size: '0.02', limitPrice: '2000' })).when(
      place({ asset: ETH, side: 'sell', size: '0.05', limitPrice: '2100', reduceOnly: true }),
    );
    scenario.thenOutcomes('resting').thenOpen('sell 0.02 @ 2100');
    const sizes = (size: string) => ({ size, originalSize: size, requestedSize: '0.05', filledSize: '0' });
    const oid = scenario.oid();
    expect(scenario.account.orders.get(oid)).to.include(sizes('0.02'));
    scenario.when(place({ asset: ETH, side: 'sell', size: '0.01', limitPrice: '1999', tif: 'ioc' })).thenOpen('sell 0.01 @ 2100');
    const rows = rowsOf(scenario.entries.at(-1) as AccountEntry).flatMap((row) => (row.kind === 'orders' ? [row.row] : []));
    expect(rows.map(({ order, status }) => [order.oid === oid, status, order.size, order.originalSize])).to.deep.equal([
      [true, 'open', '0.01', '0.01'],
      [false, 'filled', '0', '0.01'],
    ]);
    scenario.when(place({ asset: ETH, side: 'sell', size: '0.01', limitPrice: '1999', tif: 'ioc' }));
    scenario.thenEnds('reduceOnlyCanceled', 'filled').thenOpen();
  });

  it('edge 25: with a short a reduce-only sell is refused; long 1, sell 3 is cut to 1', () => {
    const refused = 'Reduce only order would increase position. asset=2';
    const sell = place({ side: 'sell', size: '3', limitPrice: '99', tif: 'ioc', reduceOnly: true });
    given(place({ side: 'sell', size: '1', limitPrice: '99', tif: 'ioc' }))
      .when(sell)
      .thenOutcomes(refused);
    given(long('1')).when(sell).thenOutcomes('filled 1 @ 99.9').thenPosition('SOL', '0');
  });

  it('edge 26: of two reduce-only sells the newer stays and closes, never short', () => {
    const both = place(
      { side: 'sell', limitPrice: '110', reduceOnly: true },
      { side: 'sell', limitPrice: '120', reduceOnly: true },
    );
    const scenario = given(long('1')).when(both).thenEnds('reduceOnlyCanceled').thenOpen('sell 1 @ 120');
    scenario
      .when(trade('SOL', ['buy', '121', '50']))
      .thenFills('sell 1 @ 120 maker')
      .thenPosition('SOL', '0');
  });

  it('edge 26: a plain sell and a reduce-only one: the first closes, the second is canceled, never short', () => {
    given(long('1'), place({ side: 'sell', limitPrice: '110' }, { side: 'sell', limitPrice: '120', reduceOnly: true }))
      .when(trade('SOL', ['buy', '121', '50']))
      .thenFills('sell 1 @ 110 maker')
      .thenEnds('filled', 'reduceOnlyCanceled')
      .thenPosition('SOL', '0');
  });

  it('edge 27: cut to 0.5 with the position, it does not grow back', () => {
    given(long('1'), place({ side: 'sell', limitPrice: '110', reduceOnly: true }))
      .given(place({ side: 'sell', size: '0.5', limitPrice: '99', tif: 'ioc' }))
      .given(long('3'))
      .thenOpen('sell 0.5 @ 110')
      .thenPosition('SOL', '3.5');
  });

  it('edge 28: a plain order that flips the position cancels the reduce-only orders of the old side', () => {
    given(long('1'), place({ side: 'sell', limitPrice: '110', reduceOnly: true }))
      .when(place({ side: 'sell', size: '3', limitPrice: '99', tif: 'ioc' }))
      .thenEnds('reduceOnlyCanceled', 'filled')
      .thenPosition('SOL', '-2');
  });
});

describe('placeOrders: minimum value follows the position', () => {
  const long = (size: string) => place({ asset: ETH, size, limitPrice: '2000', tif: 'ioc' });
  const sell = (fields: OrderFields) => place({ asset: ETH, side: 'sell', limitPrice: '1999', tif: 'ioc', ...fields });
  const refused = 'Order must have minimum value of $10. asset=1';
  const cases: { name: string; size: string; order: OrderFields; want: string }[] = [
    {
      name: 'edge 6: part of the position, reduce-only',
      size: '0.0065',
      order: { size: '0.0025', reduceOnly: true },
      want: refused,
    },
    { name: 'part of the position, plain', size: '0.0065', order: { size: '0.0025' }, want: refused },
    {
      name: 'part of the position, resting',
      size: '0.0065',
      order: { size: '0.002', tif: 'gtc', limitPrice: '2100' },
      want: refused,
    },
    {
      name: 'P9d: the whole position, reduce-only',
      size: '0.005',
      order: { size: '0.005', reduceOnly: true },
      want: 'filled 0.005 @ 1999.9',
    },
    { name: 'P7: the whole position, plain', size: '0.005', order: { size: '0.005' }, want: 'filled 0.005 @ 1999.9' },
    { name: 'a flip below 10 USD', size: '0.005', order: { size: '0.0052', limitPrice: '1850' }, want: 'filled 0.0052 @ 1850' },
  ];
  for (const { name, size, order: fields, want } of cases) {
    it(name, () => {
      const scenario = given(long(size));
      if (fields.limitPrice === '1850') scenario.given(book('ETH', [['1850', '1']], [['1851', '1']]), mark('ETH', '1850'));
      // A position of 0.005 worth 9.25 now: closing it whole is free of the minimum, flipping it is not.
      scenario.when(sell(fields)).thenOutcomes(fields.limitPrice === '1850' ? refused : want);
    });
  }

  it('edge 4: 0.00001 BTC opening is refused, closing the whole of it accepted', () => {
    const tiny = { asset: BTC, size: '0.00001', tif: 'ioc' } as const;
    const scenario = given().when(place({ ...tiny, limitPrice: '65001' }));
    scenario.thenOutcomes('Order must have minimum value of $10. asset=0');
    scenario.given(place({ asset: BTC, size: '0.00101', limitPrice: '65001', tif: 'ioc' }));
    scenario.given(place({ asset: BTC, side: 'sell', size: '0.001', limitPrice: '64999', tif: 'ioc' }));
    scenario
      .when(place({ ...tiny, side: 'sell', limitPrice: '64999' }))
      .thenOutcomes('filled 0.00001 @ 64999')
      .thenPosition('BTC', '0');
  });

  it('edge 5: 10.000000 USD is enough, a micro-USD less is not', () => {
    const cheap = (limitPrice: string, size: string) => place({ asset: 6, limitPrice, size });
    const scenario = given(mark('CHEAP', '0.005'), book('CHEAP', [['0.003', '9']], [['0.006', '9']]));
    scenario.when(cheap('0.004649', '2151')).thenOutcomes('Order must have minimum value of $10. asset=6');
    scenario.when(cheap('0.004', '2500')).thenOutcomes('resting');
  });

  it('EX-1.3: an Ioc is judged by the first price it would execute at, with its full size', () => {
    const at = (price: string) => given(book('SOL', [['9', '50']], [[price, '50']]), mark('SOL', '9.77'));
    at('9.76')
      .when(place({ size: '1.02', limitPrice: '12', tif: 'ioc' }))
      .thenOutcomes('Order must have minimum value of $10. asset=2');
    at('9.81')
      .when(place({ size: '1.02', limitPrice: '12', tif: 'ioc' }))
      .thenOutcomes('filled 1.02 @ 9.81');
  });
});

describe('placeOrders: own orders are never filled by own orders', () => {
  const asks = [
    ['100.1', '2'],
    ['100.2', '5'],
  ] as const;

  const behind = () => given(book('SOL', [['99', '1']], asks), place({ side: 'sell', limitPrice: '100.2' }));

  it('EX-2.9: better levels first, then what stands ahead at its price, and the own order stays', () => {
    behind()
      .when(place({ size: '7', limitPrice: '100.5' }))
      .thenFills('buy 2 @ 100.1 taker', 'buy 5 @ 100.2 taker')
      .thenEnds('filled')
      .thenOpen('sell 1 @ 100.2');
  });

  it('EX-2.9: a lot more would trade with it: it is canceled', () => {
    behind()
      .when(place({ size: '7.01', limitPrice: '100.5' }))
      .thenFills('buy 2 @ 100.1 taker', 'buy 5 @ 100.2 taker')
      .thenEnds('selfTradeCanceled')
      .thenOpen('buy 0.01 @ 100.5');
  });

  it('EX-2.9: what joined behind it is taken when it is gone', () => {
    const scenario = behind().given(book('SOL', [['99', '1']], [['100.2', '9']]));
    scenario.when(place({ size: '6', limitPrice: '100.2', tif: 'ioc' }));
    scenario.thenFills('buy 6 @ 100.2 taker').thenEnds('selfTradeCanceled', 'filled').thenOpen();
  });

  it('what the account took before stood ahead, and counts no second time', () => {
    const scenario = behind().given(place({ size: '5', limitPrice: '100.2', tif: 'ioc' }));
    scenario.thenOpen('sell 1 @ 100.2').given(book('SOL', [['99', '1']], [['100.2', '9']]));
    scenario.given(place({ size: '2', limitPrice: '100.2', tif: 'ioc' })).thenOpen('sell 1 @ 100.2');
    scenario
      .when(place({ size: '0.5', limitPrice: '100.2', tif: 'ioc' }))
      .thenEnds('selfTradeCanceled', 'filled')
      .thenOpen();
  });

  it('of two at one price the older is reached first', () => {
    const scenario = behind().given(trade('SOL', ['buy', '100.2', '3']), book('SOL', [['99', '1']], [['100.2', '4']]));
    scenario.given(place({ side: 'sell', limitPrice: '100.2', size: '2' }));
    expect(scenario.ahead).to.deep.equal(['2', '4']);
    scenario.when(place({ size: '2', limitPrice: '100.2', tif: 'ioc' })).thenOpen('sell 1 @ 100.2', 'sell 2 @ 100.2');
    scenario.when(place({ size: '1', limitPrice: '100.2', tif: 'ioc' })).thenOpen('sell 2 @ 100.2');
  });

  it('an own order behind 40 others keeps its place when 0.2 are sold into its level', () => {
    const scenario = given(book('SOL', [['99.9', '40']], [['100', '5']]), place({ limitPrice: '99.9' }));
    scenario.when(place({ side: 'sell', size: '0.2', limitPrice: '99', tif: 'ioc' }));
    scenario.thenFills('sell 0.2 @ 99.9 taker').thenOpen('buy 1 @ 99.9');
    expect(scenario.ahead).to.deep.equal(['40']);
  });

  it('EX-2.9: a walk that never gets there leaves it alone', () => {
    given(book('SOL', [['99', '1']], asks), place({ side: 'sell', limitPrice: '100.2' }))
      .when(place({ size: '2', limitPrice: '100.5' }))
      .thenEnds('filled')
      .thenOpen('sell 1 @ 100.2');
  });

  it('edge 49: with nothing else there the resting one is canceled and the rest of the Gtc rests', () => {
    given(book('SOL', [['99', '1']], [['105', '1']]), place({ side: 'sell', limitPrice: '101' }))
      .when(place({ limitPrice: '102' }))
      .thenOutcomes('resting')
      .thenEnds('selfTradeCanceled')
      .thenFills()
      .thenOpen('buy 1 @ 102');
  });

  it('a refused Ioc cancels nothing', () => {
    given(book('SOL', [['99', '1']], [['105', '1']]), place({ side: 'sell', limitPrice: '101' }))
      .when(place({ limitPrice: '102', tif: 'ioc' }))
      .thenEnds('iocCancelRejected')
      .thenOpen('sell 1 @ 101');
  });
});

describe('placeOrders: the same liquidity is not sold twice', () => {
  const buy = place({ size: '12', limitPrice: '110', tif: 'ioc' });
  const sameBook = (market: FixtureMarket) => {
    const { bids, asks } = market.book(SOL) ?? { bids: [], asks: [] };
    const toText = (levels: typeof bids) => levels.map(({ price, size }) => [price.toString(), size.toString()] as const);
    return market.setBook('SOL', { bids: toText(bids), asks: toText(asks) });
  };
  const asks = (...levels: [string, string][]) => book('SOL', [['99.9', '5']], levels);

  it('EX-3.2, edge 42: the second order starts where the first stopped', () => {
    const scenario = given().when(buy).thenOutcomes('filled 12 @ 100.0583');
    scenario.thenFills('buy 5 @ 100 taker', 'buy 7 @ 100.1 taker');
    scenario.when(buy).thenOutcomes('filled 12 @ 100.175').thenFills('buy 3 @ 100.1 taker', 'buy 9 @ 100.2 taker');
    scenario
      .given(sameBook)
      .when(place({ size: '20', limitPrice: '110', tif: 'ioc' }))
      .thenFills('buy 11 @ 100.2 taker');
  });

  it('EX-3.2: a level that grew from 5 to 8 gives 3', () => {
    given(buy, asks(['100', '8']))
      .when(buy)
      .thenFills('buy 3 @ 100 taker');
  });

  it('EX-3.2, edge 43: a level that vanished and came back has what it had', () => {
    given(buy, asks(['100.1', '10']), asks(['100', '5']))
      .when(buy)
      .thenEnds('iocCancelRejected');
  });

  it('edge 43: a level that shrank below what was taken gives nothing, and its growth after that', () => {
    given(buy, asks(['100', '2']))
      .when(buy)
      .thenEnds('iocCancelRejected')
      .given(asks(['100', '3']))
      .when(buy)
      .thenFills('buy 1 @ 100 taker');
  });

  it('a level out of sight keeps what was taken', () => {
    given(
      place({ size: '7', limitPrice: '110', tif: 'ioc' }),
      asks(['99.95', '1']),
      asks(['99.95', '1'], ['100', '5'], ['100.1', '10']),
    )
      .when(buy)
      .thenFills('buy 1 @ 99.95 taker', 'buy 8 @ 100.1 taker');
  });

  it('buying and selling back on a frozen book costs the spread and the fees each time', () => {
    const scenario = given(place({ size: '5', limitPrice: '100', tif: 'ioc' }));
    scenario.when(place({ side: 'sell', size: '5', limitPrice: '99.9', tif: 'ioc' })).thenPosition('SOL', '0');
    expect(scenario.account.cash.toString()).to.equal(
      new Decimal('10000').minus('0.5').minus('0.225').minus('0.224775').toString(),
    );
    scenario.when(place({ size: '5', limitPrice: '100', tif: 'ioc' })).thenEnds('iocCancelRejected');
  });
});

describe('placeOrders: fills', () => {
  it('EX-3.3: one fill per level, same oid, own tid, start position going on', () => {
    const scenario = given(
      place({ size: '6', limitPrice: '101', tif: 'ioc' }),
      book('SOL', [['99.9', '2'], ['99.8', '3'], ['99.7', '9']], [['100', '1']]), // biome-ignore format: one line reads as a book
    ).when(place({ side: 'sell', size: '6', limitPrice: '99', tif: 'ioc' }));
    const fills = scenario.events.flatMap((event) => (event.type === 'orderFilled' ? [event] : []));
    expect(fills.map(({ size, startPosition }) => [size, startPosition])).to.deep.equal([['2', '6'], ['3', '4'], ['1', '1']]); // biome-ignore format: rows
    expect(new Set(fills.map(({ oid }) => oid)).size).to.equal(1);
    expect(new Set(fills.map(({ tid }) => tid)).size).to.equal(3);
  });

  it('edge 52, EX-7.2b: a flip over three levels flips in exactly one fill', () => {
    const scenario = given(
      place({ size: '2', limitPrice: '100', tif: 'ioc' }),
      book('SOL', [['99.9', '1'], ['99.8', '2'], ['99.7', '9']], [['100', '1']]), // biome-ignore format: one line reads as a book
    ).when(place({ side: 'sell', size: '5', limitPrice: '99', tif: 'ioc' }));
    const directions = scenario.events.flatMap((event) => (event.type === 'orderFilled' ? [event.direction] : []));
    expect(directions).to.deep.equal(['Close Long', 'Long > Short', 'Open Short']);
    scenario.thenPosition('SOL', '-3');
  });

  it('EX-7.2b: long 2 at 100, sell 3 at 110: closedPnl 20, fee 0.1485, then short 1 at 110', () => {
    const scenario = given(place({ size: '2', limitPrice: '100', tif: 'ioc' }), book('SOL', [['110', '9']], [['111', '1']])).when(
      place({ side: 'sell', size: '3', limitPrice: '110', tif: 'ioc' }),
    );
    expect(scenario.events[0]).to.include({ closedPnl: '20', fee: '0.1485', direction: 'Long > Short', startPosition: '2' });
    expect(scenario.account.positions.get(SOL)?.entryNotional.toString()).to.equal('110');
  });

  it('edge 78: a fill of 0.002 USD costs nothing, each fill is cut by itself', () => {
    const cheap = { asset: 6, tif: 'ioc' } as const;
    const scenario = given(book('CHEAP', [['0.001', '9000']], [['0.002', '1'], ['0.0021', '90000']]), mark('CHEAP', '0.002')); // biome-ignore format: one line reads as a book
    scenario.when(place({ ...cheap, size: '5001', limitPrice: '0.0021' }));
    const fees = scenario.events.flatMap((event) => (event.type === 'orderFilled' ? [event.fee] : []));
    expect(fees).to.deep.equal(['0', '0.004725']);
  });

  it('edge 79: the taker part pays 0.045 %, the resting part 0.015 %', () => {
    const scenario = given().when(place({ size: '8', limitPrice: '100' }));
    expect(scenario.events[0]).to.include({ fee: '0.225', liquidity: 'taker' });
    scenario.when(trade('SOL', ['sell', '99.5', '10']));
    expect(scenario.events[0]).to.include({ size: '3', price: '100', fee: '0.045', liquidity: 'maker' });
  });

  it('edge 80: a break-even close has closedPnl 0, cash falls by the fees', () => {
    const scenario = given(place({ limitPrice: '100', tif: 'ioc' }), book('SOL', [['100', '5']], [['101', '1']]));
    scenario.when(place({ side: 'sell', limitPrice: '100', tif: 'ioc' }));
    expect(scenario.events[0]).to.include({ closedPnl: '0' });
    expect(scenario.account.cash.toString()).to.equal('9999.91');
  });
});

describe('placeOrders: margin', () => {
  const asks = [['100', '1000']] as const;

  it('EX-4.6b: 100 USD at 10x: a market buy of 1000 USD fails by its fee, 990 is accepted, 1000 resting is accepted', () => {
    const flat = () =>
      givenUsd(
        '100',
        { type: 'updateLeverage', asset: SOL, marginMode: 'cross', leverage: 10 },
        book('SOL', [['99.9', '1']], asks),
      );
    const refused = 'Insufficient margin to place order. asset=2';
    flat()
      .when(place({ size: '10', limitPrice: '100', tif: 'ioc' }))
      .thenOutcomes(refused)
      .thenPosition('SOL', '0');
    flat()
      .when(place({ size: '9.95', limitPrice: '100', tif: 'ioc' }))
      .thenOutcomes('filled 9.95 @ 100');
    flat()
      .given(book('SOL', [['99.9', '1']], [['101', '1']]))
      .when(place({ size: '10', limitPrice: '100' }))
      .thenOutcomes('resting');
  });

  it('edge 63: opening into a tier with a lower maximum is refused at the old leverage', () => {
    const tier = 4;
    const orders = (leverage: number) =>
      givenUsd(
        '10000000',
        { type: 'updateLeverage', asset: tier, marginMode: 'cross', leverage },
        place({ asset: tier, size: '29000', limitPrice: '99' }),
      );
    const text = 'Order would cause position to exceed margin tier limit at current leverage';
    orders(10)
      .when(place({ asset: tier, size: '2000', limitPrice: '99' }))
      .thenOutcomes(text);
    orders(5)
      .when(place({ asset: tier, size: '2000', limitPrice: '99' }))
      .thenOutcomes('resting');
  });

  it('edge 54: with AV below IM opening is refused and reducing accepted', () => {
    const scenario = givenUsd(
      '500',
      place({ asset: SOL, size: '90', limitPrice: '110', tif: 'ioc' }),
      book('SOL', [['99.9', '10']], asks),
    );
    scenario.given(
      place({ size: '60', limitPrice: '100', tif: 'ioc' }),
      mark('SOL', '97'),
      book('SOL', [['96.9', '900']], [['97', '900']]),
    );
    scenario.when(place({ size: '1', limitPrice: '97', tif: 'ioc' })).thenOutcomes('Insufficient margin to place order. asset=2');
    scenario.when(place({ side: 'sell', size: '1', limitPrice: '96', tif: 'ioc' })).thenOutcomes('filled 1 @ 96.9');
    scenario.when(place({ side: 'sell', size: '1', limitPrice: '99' })).thenOutcomes('resting');
  });

  it('64 orders at once for a margin that admits 3 fill exactly 3', () => {
    const scenario = givenUsd(
      '100',
      { type: 'updateLeverage', asset: SOL, marginMode: 'cross', leverage: 10 },
      book('SOL', [['99.9', '1']], asks),
    );
    const outcomes = Array.from({ length: 64 }, () => scenario.when(place({ size: '3', limitPrice: '100', tif: 'ioc' })).outcome);
    const filled = outcomes.filter((outcome) => outcome?.type === 'orders' && outcome.orders[0]?.type === 'filled');
    expect(filled).to.have.length(3);
    scenario.thenPosition('SOL', '9');
  });
});

describe('placeOrders: number of open orders (rule 1.5)', () => {
  const rest = (count: number) => place(...Array.from({ length: count }, () => ({ limitPrice: '50', size: '0.2' })));

  it('edge 11: from 1000 open orders no reduce-only one, and no plain one without volume', () => {
    const scenario = given(place({ size: '1', limitPrice: '100', tif: 'ioc' }), rest(999));
    const reduce = place({ side: 'sell', limitPrice: '150', reduceOnly: true });
    scenario.when(rest(1)).thenOutcomes('resting');
    scenario.when(reduce).thenOutcomes('Too many open orders').thenEnds('tooManyOpenOrdersRejected');
    const close = place({ side: 'sell', size: '1', limitPrice: '99', tif: 'ioc', reduceOnly: true });
    scenario.when(close).thenOutcomes('Too many open orders').thenFills();
    scenario.when(rest(1)).thenOutcomes('Too many open orders');
    scenario.when(place({ size: '1', limitPrice: '100', tif: 'ioc' })).thenOutcomes('filled 1 @ 100');
  });
});

describe('placeOrders: the dearest coin at 50x, the cheapest by the lot', () => {
  const coins = [
    {
      coin: 'DEAR',
      sizeDecimals: 5,
      maxLeverage: 50,
      mark: '1234567',
      bids: [['1234566', '9']],
      asks: [['1234567', '9']],
    },
    {
      coin: 'DUST',
      sizeDecimals: 0,
      maxLeverage: 3,
      mark: '0.000123',
      bids: [['0.000122', '900000']],
      asks: [['0.000123', '900000']],
    },
  ] as const;
  const trading = (...steps: readonly Step[]) => new Scenario(new FixtureMarket(coins)).given(...steps);
  const dear = (size: string) => place({ asset: 0, limitPrice: '1234567', size, tif: 'ioc' });

  it('the last lot that 1000 USD carry with its fee: 977.777064 and 21.999983 leave 0.222953', () => {
    const scenario = trading(deposit('1000'), leverage(0, 50));
    scenario.when(dear('0.03961')).thenOutcomes('Insufficient margin to place order. asset=0');
    scenario.when(dear('0.0396')).thenOutcomes('filled 0.0396 @ 1234567');
    expect(scenario.state().marginSummary).to.deep.include({ accountValue: '978.000017', totalMarginUsed: '977.777064' });
    expect(scenario.state().withdrawable).to.equal('0.0');
  });

  it('isolated the bucket pays the fee: 980 USD carry the same lot, 977 do not', () => {
    const isolated = (usd: string) => trading(deposit(usd), leverage(0, 50, 'isolated'));
    isolated('977').when(dear('0.0396')).thenOutcomes('Insufficient margin to place order. asset=0');
    const scenario = isolated('980').when(dear('0.0396')).thenOutcomes('filled 0.0396 @ 1234567');
    expect(scenario.state().withdrawable).to.equal('2.222936');
    const [position] = scenario.state().positions;
    expect(position).to.deep.include({ marginUsed: '955.777081', liquidationPrice: '1222657.7930568309' });
    expect(position?.leverage).to.deep.equal({ type: 'isolated', value: 50, rawUsd: '-47933.076119' });
  });

  it('81301 coins at 0.000123 are worth 10.000023 USD, one less is too little', () => {
    const dust = (size: string, limitPrice = '0.000123') => place({ asset: 1, limitPrice, size, tif: 'ioc' });
    const scenario = trading(deposit('1000'));
    scenario.when(dust('81300')).thenOutcomes('Order must have minimum value of $10. asset=1');
    scenario.when(dust('81301')).thenOutcomes('filled 81301 @ 0.000123');
    scenario.when(dust('81301.5')).thenOutcomes('Order has invalid size.');
    scenario.when(dust('81301', '0.0001231')).thenOutcomes('Order has invalid price.');
    expect(scenario.state().marginSummary.accountValue).to.equal('999.9955');
  });
});
