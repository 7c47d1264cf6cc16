import { expect } from 'chai';
import { fromSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import type { AccountEvent } from '../../../../src/actors/core/messages/event.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import {
  book,
  cancel,
  given,
  givenUsd,
  mark,
  modifyAlways,
  type OrderFields,
  place,
  placeGroup,
  stop,
  takeProfit,
  trade,
  wait,
} from '../../../support/scenario.ts';

const INVALID = 'Invalid TP/SL price. asset=2';
const long = (size: string) => place({ size, limitPrice: '100.2' });

describe('placeTrigger: what a trigger order must be', () => {
  const cases: { name: string; order: OrderFields; want: string }[] = [
    { name: 'edge 30: stop sell at the mark', order: stop('100'), want: INVALID },
    { name: 'edge 30: stop sell above the mark', order: stop('101'), want: INVALID },
    { name: 'stop sell one tick below the mark', order: stop('99.999', { limitPrice: '99' }), want: 'resting' },
    { name: 'stop buy at the mark', order: stop('100', { side: 'buy', reduceOnly: false, limitPrice: '110' }), want: INVALID },
    { name: 'stop buy above', order: stop('100.1', { side: 'buy', reduceOnly: false, limitPrice: '110' }), want: 'resting' },
    { name: 'take-profit sell above the mark', order: takeProfit('100.1'), want: 'resting' },
    {
      name: 'take-profit buy below the mark',
      order: takeProfit('99.9', { side: 'buy', reduceOnly: false, limitPrice: '110' }),
      want: 'resting',
    },
    {
      name: 'a take-profit limit that is not reached',
      order: takeProfit('100.1', { limitPrice: '110', trigger: { price: '100.1', tpsl: 'tp', isMarket: false } }),
      want: 'resting',
    },
    {
      name: 'edge 30: a stop limit at the mark',
      order: stop('100', { trigger: { price: '100', tpsl: 'sl', isMarket: false } }),
      want: INVALID,
    },
    { name: 'trigger off the grid', order: stop('95.0001'), want: INVALID },
    { name: 'trigger zero', order: stop('0'), want: INVALID },
    { name: 'trigger that is no number', order: stop('1e2'), want: INVALID },
    { name: 'limit off the grid is told first', order: stop('101', { limitPrice: '85.0001' }), want: 'tick' },
    { name: 'price 0 is no market price here', order: stop('95', { limitPrice: '0' }), want: 'Order has invalid price.' },
    { name: 'market stop whose limit is above its trigger', order: stop('95', { limitPrice: '95.1' }), want: INVALID },
    { name: 'market stop whose limit is its trigger', order: stop('95', { limitPrice: '95' }), want: 'resting' },
    {
      name: 'a take-profit market whose limit is above its trigger',
      order: takeProfit('101', { limitPrice: '105' }),
      want: 'resting',
    },
    {
      name: 'stop limit above its trigger',
      order: stop('95', { limitPrice: '96', trigger: { price: '95', tpsl: 'sl', isMarket: false } }),
      want: 'resting',
    },
    {
      name: 'market stop buy whose limit is below its trigger',
      order: stop('105', { side: 'buy', reduceOnly: false, limitPrice: '104.9' }),
      want: INVALID,
    },
    { name: 'limit 95 % off its trigger', order: stop('95', { limitPrice: '4.75' }), want: 'band' },
    { name: 'limit just inside', order: stop('95', { limitPrice: '4.7501', size: '2' }), want: 'resting' },
    { name: 'size zero is for position TP/SL', order: stop('95', { size: '0' }), want: 'Order has zero size.' },
    { name: 'size off the lot', order: stop('95', { size: '0.001' }), want: 'Order has invalid size.' },
    { name: 'part of the position below 10 USD', order: stop('95', { size: '0.11' }), want: 'value' },
    { name: 'a coin that does not trade', order: stop('95', { asset: 5 }), want: 'Trading is halted. asset=5' },
    { name: 'edge 10: a coin that does not exist', order: stop('95', { asset: 99 }), want: 'Unknown asset. asset=99' },
    {
      name: 'reduce-only in the direction of the position',
      order: stop('105', { side: 'buy', limitPrice: '110' }),
      want: 'Reduce only order would increase position. asset=2',
    },
    {
      name: 'market trigger above 5M USD',
      order: stop('95', { size: '60000' }),
      want: 'Order value too large. Max is $5000000.',
    },
  ];
  const words: Readonly<Record<string, string>> = {
    tick: 'Price must be divisible by tick size. asset=2',
    band: 'Order price cannot be more than 95% away from the reference price',
    value: 'Order must have minimum value of $10. asset=2',
  };
  for (const { name, order, want } of cases) {
    it(name, () => {
      const scenario = given(long('2')).when(place(order));
      scenario.thenOutcomes(words[want] ?? want).thenFills();
      const hasWaiting = want === 'resting';
      expect(scenario.account.triggers.size).to.equal(hasWaiting ? 1 : 0);
    });
  }

  it('a refused one is recorded with its own status', () => {
    given(long('1'))
      .when(place(stop('101')))
      .thenEnds('badTriggerPxRejected');
  });

  describe('rule 2.4: a take-profit market that the mark has reached fires as it is placed', () => {
    for (const [side, price] of [
      ['sell', '100'],
      ['sell', '99'],
      ['buy', '100'],
      ['buy', '150'],
    ] as const) {
      it(`${side} at ${price}: it answers resting, and fills`, () => {
        const limitPrice = side === 'sell' ? '85' : '110';
        given(long('2'))
          .when(place(takeProfit(price, { side, reduceOnly: side === 'sell', limitPrice })))
          .thenOutcomes('resting')
          .thenStatuses('open', 'triggered', 'filled')
          .thenFills(`${side} 1 @ ${side === 'sell' ? '99.9' : '100'} taker`)
          .thenWaiting();
      });
    }

    it('EX-2.4g: with a limit that the book does not meet it ends for want of liquidity', () => {
      given(long('2'))
        .when(place(takeProfit('99', { limitPrice: '105' })))
        .thenOutcomes('resting')
        .thenStatuses('open', 'triggered', 'marketOrderNoLiquidityRejected')
        .thenPosition('SOL', '2')
        .thenWaiting();
    });

    it('of a position, and of a parent that fills as it comes: waitingForTrigger', () => {
      given(long('1'))
        .when(placeGroup('positionTpsl', takeProfit('100', { size: '0' })))
        .thenOutcomes('waitingForTrigger')
        .thenPosition('SOL', '0');
      given()
        .when(placeGroup('normalTpsl', { side: 'sell', limitPrice: '95' }, takeProfit('105', { side: 'buy', limitPrice: '95' })))
        .thenOutcomes('filled 1 @ 99.9', 'waitingForTrigger')
        .thenEnds('filled', 'marketOrderNoLiquidityRejected')
        .thenPosition('SOL', '-1');
    });
  });

  describe('rule 2.4: a take-profit limit that the mark has reached fires as it is placed', () => {
    const reached = (price: string, fields: OrderFields = {}): OrderFields =>
      takeProfit(price, { trigger: { price, tpsl: 'tp', isMarket: false }, ...fields });

    it('EX-2.4c: it answers resting, fires and rests at its limit', () => {
      const entry = reached('150', { side: 'buy', reduceOnly: false, limitPrice: '60', size: '2' });
      given()
        .when(place(entry))
        .thenOutcomes('resting')
        .thenStatuses('open', 'triggered', 'open')
        .thenOpen('buy 2 @ 60')
        .thenWaiting();
    });

    it('with a limit that the book meets it fills', () => {
      given(long('1'))
        .when(place(reached('100', { limitPrice: '99' })))
        .thenOutcomes('resting')
        .thenWaiting()
        .thenOpen()
        .thenPosition('SOL', '0');
    });

    it('its sibling is placed before it fires, and ends with the position', () => {
      given(long('1'))
        .when(placeGroup('positionTpsl', reached('100', { limitPrice: '99' }), stop('95')))
        .thenOutcomes('waitingForTrigger', 'waitingForTrigger')
        .thenWaiting()
        .thenPosition('SOL', '0');
    });

    it('a child of a parent that fills as it comes, too', () => {
      given()
        .when(placeGroup('normalTpsl', { size: '1', limitPrice: '100.2' }, reached('100', { limitPrice: '99' }), stop('95')))
        .thenOutcomes('filled 1 @ 100', 'waitingForTrigger', 'waitingForTrigger')
        .thenWaiting()
        .thenPosition('SOL', '0');
    });

    it('one that waits becomes such a one by a modify', () => {
      const scenario = given(long('1'), place(takeProfit('101')));
      const target = { oid: scenario.waitingOid() };
      const order = reached('100', { limitPrice: '120' });
      scenario.when(modifyAlways({ target, order })).thenOpen('sell 1 @ 120').thenWaiting();
    });
  });

  describe('rule 2.4: reduce-only without a position, it is judged when it fires', () => {
    it('EX-2.4d: the entry fills in parts and cuts nothing; fired, it is cut to the position', () => {
      given(place({ size: '10', limitPrice: '99' }))
        .when(place(stop('95', { size: '10' })))
        .thenOutcomes('resting')
        .when(trade('SOL', ['sell', '98.9', '4']))
        .thenPosition('SOL', '4')
        .thenWaiting('sell 10 @ 85 when below 95')
        .when(mark('SOL', '95'))
        .thenPosition('SOL', '0')
        .thenOpen('buy 6 @ 99')
        .thenWaiting();
    });

    it('flat when it fires, it ends', () => {
      given(place(stop('95')))
        .when(mark('SOL', '95'))
        .thenEnds('reduceOnlyCanceled')
        .thenWaiting();
    });

    it('it outlives the position that came after it, and a position of its own side', () => {
      given(place(stop('95')), long('1'), place({ side: 'sell', size: '3', tif: 'ioc', limitPrice: '90' })).thenWaiting(
        'sell 1 @ 85 when below 95',
      );
    });

    it('below 10 USD it is too small, and for the whole position there has to be one', () => {
      given()
        .when(place(stop('95', { size: '0.11' })))
        .thenOutcomes('Order must have minimum value of $10. asset=2')
        .when(placeGroup('positionTpsl', stop('95', { size: '0' })))
        .thenOutcomes('Reduce only order would increase position. asset=2');
    });

    it('it survives a snapshot, and a modify while flat', () => {
      const scenario = given(place(stop('95')));
      scenario.account = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
      scenario
        .when(modifyAlways({ target: { oid: scenario.waitingOid() }, order: stop('94') }))
        .thenOutcomes('resting')
        .when(long('0.5'))
        .thenWaiting('sell 1 @ 85 when below 94');
    });
  });

  it('reduce-only and larger than the position is cut, and remembers what was requested', () => {
    const scenario = given(long('1'), place(stop('95', { size: '3' }))).thenWaiting('sell 1 @ 85 when below 95');
    expect(scenario.account.triggers.get(scenario.waitingOid())).to.include({ originalSize: '1', requestedSize: '3' });
  });

  it('all of a small position may be worth less than 10 USD, reduce-only', () => {
    given(long('0.11'), place(stop('95', { size: '0.11' }))).thenWaiting('sell 0.11 @ 85 when below 95');
  });

  it('holds no margin', () => {
    const scenario = givenUsd('100', place({ size: '5', side: 'buy', limitPrice: '110', trigger: { price: '105', tpsl: 'sl' } }));
    scenario
      .thenOutcomes('resting')
      .when(place({ size: '20', limitPrice: '99' }))
      .thenOutcomes('resting');
  });

  it('edge 18: of a resting and a waiting order with one cloid the newer is meant', () => {
    const cloid = '0x000000000000000000000000000000c1';
    const target = { cloid };
    given(long('1'), place({ limitPrice: '90', cloid }), place(stop('95', { cloid })))
      .when(cancel({ target }))
      .thenOpen('buy 1 @ 90')
      .when(cancel({ target }))
      .thenOpen();
  });

  it('edge 11: from 1000 open orders on it is refused, waiting ones counted', () => {
    const scenario = given(
      long('1'),
      place(...Array.from({ length: 499 }, () => ({ limitPrice: '50' }))),
      place(...Array.from({ length: 500 }, () => stop('95'))),
    );
    scenario.when(place(stop('95'))).thenOutcomes('resting');
    scenario
      .when(place(stop('95')))
      .thenOutcomes('Too many open orders')
      .thenEnds('tooManyOpenOrdersRejected');
    scenario.when(place({ limitPrice: '50' })).thenOutcomes('Too many open orders');
  });
});

describe('fireTriggers: the mark fires, and nothing else', () => {
  it('edge 31: the mark touches the trigger exactly', () => {
    const scenario = given(long('1'), place(stop('95', { limitPrice: '90' })), mark('SOL', '95.001')).thenEvents();
    const oid = scenario.waitingOid();
    scenario.when(mark('SOL', '95'));
    scenario.thenStatuses('triggered', 'filled').thenFills('sell 1 @ 99.9 taker').thenPosition('SOL', '0').thenWaiting();
    expect(scenario.events.map((event) => ('order' in event ? event.order.oid : 'oid' in event ? event.oid : oid))).to.satisfy(
      (oids: number[]) => oids.every((each) => each === oid),
    );
    expect(scenario.events[0]).to.include({ type: 'orderTriggered', markPrice: '95' });
  });

  it('edge 31: a trade or the mid at the trigger do not fire it', () => {
    const scenario = given(long('1'), place(stop('95', { limitPrice: '90' })));
    scenario
      .when(trade('SOL', ['sell', '94', '100']))
      .thenFills()
      .thenWaiting('sell 1 @ 90 when below 95');
    scenario
      .when(book('SOL', [['94', '10']], [['94.1', '10']]))
      .thenFills()
      .thenWaiting('sell 1 @ 90 when below 95');
  });

  const fires: { name: string; order: OrderFields; at: string }[] = [
    { name: 'stop sell below', order: stop('95'), at: '94' },
    { name: 'take-profit sell above', order: takeProfit('105'), at: '106' },
    { name: 'stop buy above', order: stop('105', { side: 'buy', reduceOnly: false, limitPrice: '115' }), at: '106' },
    { name: 'take-profit buy below', order: takeProfit('95', { side: 'buy', reduceOnly: false, limitPrice: '105' }), at: '94' },
  ];
  for (const { name, order, at } of fires) {
    it(`${name}: beyond its trigger`, () => {
      given(long('1'), place(order)).when(mark('SOL', at)).thenStatuses('triggered', 'filled');
    });
  }

  it('edge 34: an entry stop without a position opens one when it fires', () => {
    const scenario = given(place(stop('105', { side: 'buy', reduceOnly: false, limitPrice: '115' })));
    scenario.thenOutcomes('resting').when(mark('SOL', '105')).thenFills('buy 1 @ 100 taker').thenPosition('SOL', '1');
  });

  it('edge 32: no fill beyond the limit of a market trigger: it ends for want of liquidity', () => {
    const scenario = given(long('1'), place(stop('95', { limitPrice: '92' })));
    scenario.given(book('SOL', [['90', '10']], [['90.1', '10']]));
    scenario.when(mark('SOL', '90')).thenStatuses('triggered', 'marketOrderNoLiquidityRejected').thenFills();
    scenario.thenPosition('SOL', '1').thenWaiting();
  });

  it('edge 32: a stop limit rests where it can not be reached, under its oid', () => {
    const scenario = given(
      long('1'),
      place(stop('95', { limitPrice: '94', trigger: { price: '95', tpsl: 'sl', isMarket: false } })),
    );
    const oid = scenario.waitingOid();
    scenario.given(book('SOL', [['90', '10']], [['90.1', '10']]));
    scenario.when(mark('SOL', '90')).thenStatuses('triggered', 'open').thenOpen('sell 1 @ 94');
    expect(scenario.oid()).to.equal(oid);
    scenario
      .when(trade('SOL', ['buy', '94.1', '1']))
      .thenFills('sell 1 @ 94 maker')
      .thenPosition('SOL', '0');
  });

  it('EX-2.4: mark falls 11 -> 9 at once: limit 10 rests at 10, limit 8 fills between 9 and 8', () => {
    const prepared = () =>
      given(
        mark('SOL', '11'),
        book('SOL', [['11', '1000']], [['11.01', '1000']]),
        place({ size: '100', limitPrice: '11.01' }),
        book(
          'SOL',
          [
            ['9', '40'],
            ['8', '100'],
          ],
          [['11.01', '1000']],
        ),
      );
    const at = (limitPrice: string) =>
      stop('10', { size: '100', limitPrice, trigger: { price: '10', tpsl: 'sl', isMarket: false } });
    prepared()
      .given(place(at('10')))
      .when(mark('SOL', '9'))
      .thenFills()
      .thenOpen('sell 100 @ 10');
    prepared()
      .given(place(at('8')))
      .when(mark('SOL', '9'))
      .thenFills('sell 40 @ 9 taker', 'sell 60 @ 8 taker')
      .thenOpen();
  });

  it('edge 33: fires without the margin for it: marginCanceled, nothing thrown', () => {
    const scenario = givenUsd('100', place(stop('105', { side: 'buy', size: '30', reduceOnly: false, limitPrice: '115' })));
    scenario.thenOutcomes('resting').given(book('SOL', [['104.9', '50']], [['105', '50']]));
    scenario.when(mark('SOL', '105')).thenStatuses('triggered', 'marginCanceled').thenFills();
    scenario.thenPosition('SOL', '0');
  });

  it('a market trigger that finds too little fills what there is and ends', () => {
    const scenario = given(long('10'), place(stop('95', { size: '10', limitPrice: '99.9' })));
    scenario.given(place(stop('95', { size: '10', limitPrice: '94' })));
    scenario.given(book('SOL', [['94.5', '4']], [['100', '5']]));
    scenario.when(mark('SOL', '95')).thenStatuses('triggered', 'canceled');
    scenario.thenFills('sell 4 @ 94.5 taker').thenPosition('SOL', '6');
  });

  it('edge 38: two stops crossed by one jump: the nearer to the previous mark first, the second is cut', () => {
    const scenario = given(long('3'), place(stop('92', { size: '2' }), stop('97', { size: '2' })));
    scenario.when(mark('SOL', '90')).thenFills('sell 2 @ 99.9 taker', 'sell 1 @ 99.9 taker').thenPosition('SOL', '0');
    const fired = scenario.events.flatMap((event) => (event.type === 'orderTriggered' ? [event.order.trigger?.price] : []));
    expect(fired).to.deep.equal(['97', '92']);
  });

  it('edge 38: the second of two stops of the whole position is reduceOnlyCanceled', () => {
    const scenario = given(long('2'), place(stop('92', { size: '2' }), stop('97', { size: '2' })));
    scenario.when(mark('SOL', '90')).thenStatuses('triggered', 'reduceOnlyCanceled', 'filled').thenFills('sell 2 @ 99.9 taker');
  });

  it('triggers above the mark fire from the lowest, equal ones by oid', () => {
    const scenario = given(long('3'), place(takeProfit('108'), takeProfit('105'), takeProfit('105')));
    const oids = [scenario.waitingOid(1), scenario.waitingOid(2), scenario.waitingOid(0)];
    scenario.when(mark('SOL', '110'));
    const fired = scenario.events.flatMap((event) => (event.type === 'orderTriggered' ? [event.order.oid] : []));
    expect(fired).to.deep.equal(oids);
  });

  it('stale data fires nothing; fresh data does, by mark or by book', () => {
    const scenario = given(long('1'), place(stop('95', { limitPrice: '90' })), wait(16_000));
    scenario.when(mark('SOL', '94')).thenFills().thenWaiting('sell 1 @ 90 when below 95');
    scenario.when(book('SOL', [['94.2', '10']], [['94.3', '10']])).thenStatuses('triggered', 'filled');
    scenario.thenFills('sell 1 @ 94.2 taker');
  });

  it('a fired order behaves as any: own resting orders in its way are canceled', () => {
    const scenario = given(long('3'), place({ limitPrice: '99', size: '2' }), place(stop('95', { size: '3', limitPrice: '90' })));
    scenario.given(book('SOL', [['98', '10']], [['100', '5']]));
    scenario.when(mark('SOL', '95')).thenStatuses('triggered', 'selfTradeCanceled', 'filled').thenOpen();
  });

  it('invariant 27: waiting, firing and resting survive a snapshot and a replay', () => {
    const scenario = given(
      long('2'),
      place(stop('95', { trigger: { price: '95', tpsl: 'sl', isMarket: false }, limitPrice: '102' })),
      placeGroup('positionTpsl', takeProfit('120', { size: '0' })),
    );
    const text = toSnapshot(scenario.account, NEWEST_FORMAT);
    expect(toSnapshot(fromSnapshot(text), NEWEST_FORMAT)).to.equal(text);
    scenario.when(mark('SOL', '94')).thenOpen('sell 1 @ 102');
    const fired = toSnapshot(scenario.account, NEWEST_FORMAT);
    expect(toSnapshot(fromSnapshot(fired), NEWEST_FORMAT)).to.equal(fired);
  });
});

describe('fireTriggers: evidence of the fills', () => {
  const evidenceOf = ({ events }: { readonly events: readonly AccountEvent[] }) =>
    events.flatMap((event) => (event.type === 'orderFilled' ? [event.evidence] : []));
  const low = book('SOL', [['94.9', '9']], [['95.1', '9']]);

  it('a market order names its trigger and the mark that fired it', () => {
    const scenario = given(long('1'), place(stop('95', { size: '1' })), low).when(mark('SOL', '94.8'));
    scenario.thenFills('sell 1 @ 94.9 taker');
    expect(evidenceOf(scenario)[0]).to.include({ triggerPrice: '95', markPrice: '94.8', displayed: '9', consumed: '0' });
  });

  it('a limit order that has come to rest names its trigger', () => {
    const limit = stop('95', { size: '1', limitPrice: '96', trigger: { price: '95', tpsl: 'sl', isMarket: false } });
    const scenario = given(long('1'), place(limit), low, mark('SOL', '94.8')).when(trade('SOL', ['buy', '97', '5']));
    scenario.thenFills('sell 1 @ 96 maker');
    expect(evidenceOf(scenario)[0]).to.include({ triggerPrice: '95', tradePrice: '97', queueAhead: 'unknown' });
  });
});
