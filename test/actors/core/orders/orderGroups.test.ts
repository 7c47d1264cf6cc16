import { expect } from 'chai';
import type { OrderRow } from '../../../../src/actors/core/messages/historyRows.ts';
import {
  book,
  cancel,
  given,
  givenUsd,
  mark,
  modify,
  modifyAlways,
  type OrderFields,
  place,
  placeGroup,
  type Scenario,
  stop,
  takeProfit,
  trade,
  wait,
} from '../../../support/scenario.ts';

const long = (size: string) => place({ size, limitPrice: '100.2' });
/** Rests at 99.5, where nothing is displayed: a trade of `sold` at 99.5 fills as much of it. */
const parent: OrderFields = { limitPrice: '99.95', size: '2' };
const family = (first: OrderFields, size = '2') =>
  placeGroup('normalTpsl', first, takeProfit('110', { size }), stop('90', { size }));
const sold = (size: string) => trade('SOL', ['sell', '99.95', size]);

/** Open orders as `orderStatus` answers: the parent's children. */
function childrenOf(scenario: Scenario, oid: number): number[] {
  scenario.when({ type: 'query', query: { kind: 'orderStatus', target: { oid } } });
  const { outcome } = scenario;
  if (outcome?.type !== 'answer' || outcome.answer.kind !== 'orderStatus') throw new Error('no answer');
  return ((outcome.answer.found as OrderRow).children ?? []).map((child) => child.oid);
}

describe('groups: their shape, found before anything is placed (rule 2.5)', () => {
  const cases: { name: string; grouping: 'normalTpsl' | 'positionTpsl'; orders: OrderFields[]; want: string }[] = [
    {
      name: 'edge 41: child first',
      grouping: 'normalTpsl',
      orders: [stop('90'), parent],
      want: 'Main order cannot be trigger order.',
    },
    { name: 'no child', grouping: 'normalTpsl', orders: [parent], want: 'Unexpected number of trigger orders' },
    {
      name: 'three children',
      grouping: 'normalTpsl',
      orders: [parent, stop('90'), stop('91'), takeProfit('110')],
      want: 'Unexpected number of trigger orders',
    },
    {
      name: 'two stops',
      grouping: 'normalTpsl',
      orders: [parent, stop('90'), stop('91')],
      want: 'Unexpected number of trigger orders',
    },
    { name: 'a limit child', grouping: 'normalTpsl', orders: [parent, parent], want: 'Trigger order has unexpected type.' },
    {
      name: 'a child that is not reduce-only',
      grouping: 'normalTpsl',
      orders: [parent, stop('90', { reduceOnly: false })],
      want: 'Trigger order is not reduce only.',
    },
    {
      name: 'a child on the side of its parent',
      grouping: 'normalTpsl',
      orders: [parent, stop('110', { side: 'buy', limitPrice: '115' })],
      want: 'Trigger order has unexpected side.',
    },
    {
      name: 'a child that is neither: reduce-only comes first',
      grouping: 'normalTpsl',
      orders: [parent, stop('110', { side: 'buy', limitPrice: '115', reduceOnly: false })],
      want: 'Trigger order is not reduce only.',
    },
    {
      name: 'a child of another coin',
      grouping: 'normalTpsl',
      orders: [parent, stop('90', { asset: 1, reduceOnly: false })],
      want: 'Trigger order has unexpected type.',
    },
    {
      name: 'a limit order for a position',
      grouping: 'positionTpsl',
      orders: [parent],
      want: 'Trigger order has unexpected type.',
    },
    {
      name: 'a child with a limit far from its trigger',
      grouping: 'normalTpsl',
      orders: [parent, stop('90', { limitPrice: '4.5' })],
      want: 'Order price cannot be more than 95% away from the reference price',
    },
  ];
  for (const { name, grouping, orders, want } of cases) {
    it(name, () => {
      given(long('1'))
        .when(placeGroup(grouping, ...orders))
        .thenOutcomes(want)
        .thenEvents()
        .thenOpen();
    });
  }
});

describe('normalTpsl: children follow their parent (rule 2.5)', () => {
  it('EX-2.4b: a parent that fills on arrival has its children placed at once', () => {
    const scenario = given().when(family({ size: '2', limitPrice: '100' }));
    scenario.thenOutcomes('filled 2 @ 100', 'waitingForTrigger', 'waitingForTrigger').thenPosition('SOL', '2');
    scenario.thenWaiting('sell 2 @ 85 when above 110', 'sell 2 @ 85 when below 90');
  });

  it('EX-2.4b: a parent that rests has children that wait for it, with consecutive ids', () => {
    const scenario = given().when(family(parent)).thenOutcomes('resting', 'waitingForFill', 'waitingForFill');
    scenario.thenWaiting('sell 2 @ 85 for its parent', 'sell 2 @ 85 for its parent');
    const oid = scenario.oid();
    expect([scenario.waitingOid(0), scenario.waitingOid(1)]).to.deep.equal([oid + 16, oid + 32]);
    expect(childrenOf(scenario, oid)).to.deep.equal([oid + 16, oid + 32]);
  });

  it('invariant 17: no mark fires a child while its parent is open', () => {
    const scenario = given(family(parent), sold('1')).thenFills('buy 1 @ 99.95 maker');
    scenario.when(mark('SOL', '89')).thenEvents().thenOpen('buy 1 @ 99.95');
    scenario.thenWaiting('sell 2 @ 85 for its parent', 'sell 2 @ 85 for its parent');
  });

  it('the parent fills completely: children wait for the mark', () => {
    const scenario = given(family(parent), sold('1'), sold('1'));
    scenario.thenEnds('filled').thenWaiting('sell 2 @ 85 when above 110', 'sell 2 @ 85 when below 90');
    scenario.when(mark('SOL', '90')).thenStatuses('triggered', 'siblingFilledCanceled', 'filled').thenPosition('SOL', '0');
  });

  it('edge 38: the take-profit fills completely: its sibling is canceled in the same step', () => {
    const scenario = given(family({ size: '2', limitPrice: '100' }));
    scenario.when(mark('SOL', '110')).thenStatuses('triggered', 'siblingFilledCanceled', 'filled');
    scenario.thenFills('sell 2 @ 99.9 taker').thenWaiting().thenPosition('SOL', '0');
  });

  it('the sibling ends, too, when more position is left than the child closed', () => {
    const scenario = given(long('1'), family({ size: '2', limitPrice: '100.1' }));
    scenario.when(mark('SOL', '110')).thenStatuses('triggered', 'siblingFilledCanceled', 'filled').thenPosition('SOL', '1');
  });

  it('a child fires and fills in part: the sibling stays, cut to the position', () => {
    const scenario = given(family({ size: '2', limitPrice: '100' }), book('SOL', [['89', '0.5']], [['100', '5']]));
    scenario.when(mark('SOL', '90')).thenStatuses('triggered', 'canceled', 'open').thenPosition('SOL', '1.5');
    scenario.thenWaiting('sell 1.5 @ 85 when above 110');
  });

  it('a child that rests as a limit order cancels its sibling when it fills completely, not before', () => {
    const limit: OrderFields = { size: '2', limitPrice: '110', trigger: { price: '105', tpsl: 'tp', isMarket: false } };
    const scenario = given(
      placeGroup('normalTpsl', { size: '2', limitPrice: '100' }, takeProfit('105', limit), stop('90', { size: '2' })),
    );
    scenario.when(mark('SOL', '105')).thenStatuses('triggered', 'open').thenWaiting('sell 2 @ 85 when below 90');
    scenario
      .when(trade('SOL', ['buy', '110.1', '0.5']))
      .thenWaiting('sell 1.5 @ 85 when below 90')
      .thenOpen('sell 1.5 @ 110');
    scenario
      .when(trade('SOL', ['buy', '110.1', '5']))
      .thenEnds('filled', 'siblingFilledCanceled')
      .thenWaiting();
  });

  it('edge 35: an Ioc parent without a match: an error for each, no children', () => {
    const error = 'Order could not immediately match against any resting orders. asset=2';
    const scenario = given().when(family({ size: '2', limitPrice: '99', tif: 'ioc' }));
    scenario.thenOutcomes(error, error, error).thenEnds('iocCancelRejected').thenWaiting();
  });

  it('an Ioc parent that fills in part has its children placed, cut to the position', () => {
    const scenario = given(book('SOL', [['99.9', '5']], [['100', '0.7']]));
    scenario.when(family({ size: '2', limitPrice: '100', tif: 'ioc' }));
    scenario.thenOutcomes('filled 0.7 @ 100', 'waitingForTrigger', 'waitingForTrigger');
    scenario.thenWaiting('sell 0.7 @ 85 when above 110', 'sell 0.7 @ 85 when below 90');
  });

  it('a Gtc parent that fills in part and rests answers its part, its children wait', () => {
    const scenario = given(book('SOL', [['99.9', '5']], [['100', '0.7']])).when(family({ size: '2', limitPrice: '100' }));
    scenario.thenOutcomes('filled 0.7 @ 100', 'waitingForFill', 'waitingForFill');
  });

  it('edge 36: half filled and canceled by the user: the children go with it, the half position is unprotected', () => {
    const scenario = given(family(parent), sold('1'));
    scenario.when(cancel({ target: { oid: scenario.oid() } })).thenOutcomes('success');
    scenario.thenEnds('canceled', 'canceled', 'canceled').thenWaiting().thenPosition('SOL', '1');
  });

  it('edge 89: a scheduled cancel ends a half-filled parent and its children, the position stays', () => {
    const scenario = given(family(parent), sold('1'));
    scenario.when({ type: 'scheduleCancel', dueMs: scenario.market.nowMs + 5000 }).when(wait(5000));
    scenario.thenEnds('scheduledCancel', 'scheduledCancel', 'scheduledCancel').thenWaiting().thenOpen();
    scenario.thenPosition('SOL', '1');
  });

  it('edge 37: half filled, the rest marginCanceled: the children live, cut to the position', () => {
    const scenario = givenUsd('20', family({ limitPrice: '99.95', size: '3' }, '3'), sold('1'));
    scenario.given(mark('SOL', '91')).when(sold('1'));
    scenario.thenEnds('marginCanceled').thenPosition('SOL', '1');
    scenario.thenWaiting('sell 1 @ 85 when above 110', 'sell 1 @ 85 when below 90');
  });

  it('EX-2.5: half filled, the rest marginCanceled below the stop: it fires for the half', () => {
    const scenario = givenUsd('20', family({ limitPrice: '99.95', size: '3' }, '3'), sold('1'));
    scenario.given(book('SOL', [['86', '9']], [['99.96', '9']]), mark('SOL', '90')).when(sold('1'));
    scenario.thenStatuses('marginCanceled', 'triggered', 'siblingFilledCanceled', 'filled');
    scenario.thenFills('sell 1 @ 86 taker').thenWaiting().thenPosition('SOL', '0');
  });

  it('EX-2.5: a stop that is reached when its parent fills fires in the same entry, and the take-profit ends', () => {
    const scenario = given(family(parent), book('SOL', [['89', '9']], [['99.96', '9']]), mark('SOL', '90'));
    scenario.when(sold('2')).thenStatuses('filled', 'triggered', 'siblingFilledCanceled', 'filled');
    scenario.thenFills('buy 2 @ 99.95 maker', 'sell 2 @ 89 taker').thenPosition('SOL', '0').thenWaiting();
  });

  it('one step above the stop both children wait', () => {
    const scenario = given(family(parent), book('SOL', [['89', '9']], [['99.96', '9']]), mark('SOL', '90.001'));
    scenario.when(sold('2')).thenStatuses('filled').thenPosition('SOL', '2');
    scenario.thenWaiting('sell 2 @ 85 when above 110', 'sell 2 @ 85 when below 90');
  });

  it('a book that crosses the parent does the same', () => {
    const scenario = given(family(parent), mark('SOL', '90'));
    scenario.when(book('SOL', [['99.8', '9']], [['99.9', '9']]));
    scenario.thenFills('buy 2 @ 99.95 maker', 'sell 2 @ 99.8 taker').thenPosition('SOL', '0').thenWaiting();
  });

  it('a stop that finds nothing to hit has fired all the same: the take-profit stays', () => {
    const scenario = given(family(parent), book('SOL', [['84', '9']], [['99.96', '9']]), mark('SOL', '90'));
    scenario.when(sold('2')).thenEnds('filled', 'marketOrderNoLiquidityRejected').thenPosition('SOL', '2');
    scenario.thenWaiting('sell 2 @ 85 when above 110');
  });

  it('on a market that is not fresh it waits, and fires when it is', () => {
    const scenario = given(family(parent), mark('SOL', '90'), wait(15_001));
    scenario.when(sold('2')).thenEnds('filled').thenWaiting('sell 2 @ 85 when above 110', 'sell 2 @ 85 when below 90');
    scenario.given(mark('SOL', '90')).when(book('SOL', [['89', '9']], [['99.96', '9']]));
    scenario.thenFills('sell 2 @ 89 taker').thenPosition('SOL', '0');
  });

  it('of a parent that fills as it comes a reached stop fires, too; its answer is that of one that waits', () => {
    const scenario = given(mark('SOL', '90')).when(family({ size: '2', limitPrice: '100' }));
    scenario.thenOutcomes('filled 2 @ 100', 'waitingForTrigger', 'waitingForTrigger');
    scenario.thenFills('buy 2 @ 100 taker', 'sell 2 @ 99.9 taker').thenPosition('SOL', '0').thenWaiting();
  });

  it('of a short: the stop above', () => {
    const short: OrderFields = { side: 'sell', size: '2', limitPrice: '100.05' };
    const buyBack = stop('101', { side: 'buy', size: '2', limitPrice: '110' });
    const scenario = given(placeGroup('normalTpsl', short, buyBack), mark('SOL', '101'));
    scenario.when(trade('SOL', ['buy', '100.05', '2'])).thenFills('sell 2 @ 100.05 maker', 'buy 2 @ 100 taker');
  });

  it('marginCanceled before any fill: no position, so no children', () => {
    const scenario = givenUsd('25', place({ asset: 1, size: '0.1', limitPrice: '2000' }), family(parent, '2'));
    scenario.given(mark('ETH', '1850')).when(sold('1')).thenEnds('marginCanceled', 'canceled', 'canceled').thenWaiting();
  });

  it('a child can be canceled before its parent', () => {
    const scenario = given(family(parent));
    scenario
      .when(cancel({ target: { oid: scenario.waitingOid() } }))
      .thenOutcomes('success')
      .thenOpen('buy 2 @ 99.95');
    scenario
      .when(cancel({ target: { oid: scenario.oid() } }))
      .thenEnds('canceled', 'canceled')
      .thenWaiting();
  });

  it('a take-profit that is reached when it is placed fires, and its stop ends', () => {
    const orders = [{ size: '2', limitPrice: '100' }, takeProfit('99', { size: '2' }), stop('90', { size: '2' })];
    const scenario = given().when(placeGroup('normalTpsl', ...orders));
    scenario
      .thenOutcomes('filled 2 @ 100', 'waitingForTrigger', 'waitingForTrigger')
      .thenEnds('filled', 'siblingFilledCanceled', 'filled');
    scenario.thenFills('buy 2 @ 100 taker', 'sell 2 @ 99.9 taker').thenPosition('SOL', '0').thenWaiting();
  });

  it('a take-profit of a resting parent that is reached when this has filled fires', () => {
    const orders = [parent, takeProfit('99.99', { size: '2' }), stop('90', { size: '2' })];
    const scenario = given()
      .when(placeGroup('normalTpsl', ...orders))
      .thenOutcomes('resting', 'waitingForFill', 'waitingForFill');
    scenario.when(sold('2')).thenStatuses('filled', 'triggered', 'siblingFilledCanceled', 'filled');
    scenario.thenFills('buy 2 @ 99.95 maker', 'sell 2 @ 99.9 taker').thenWaiting();
  });

  it('a parent that closed a short leaves nothing to reduce: its children end', () => {
    const scenario = given(place({ side: 'sell', size: '2', limitPrice: '99.9' }), family(parent), sold('2'));
    scenario.thenEnds('filled', 'reduceOnlyCanceled', 'reduceOnlyCanceled').thenPosition('SOL', '0').thenWaiting();
  });

  it('edge 39: a manual close cancels both', () => {
    const scenario = given(family({ size: '2', limitPrice: '100' }));
    scenario.when(place({ side: 'sell', size: '2', limitPrice: '99' }));
    scenario.thenEnds('reduceOnlyCanceled', 'reduceOnlyCanceled', 'filled').thenWaiting().thenPosition('SOL', '0');
  });

  it('a manual close of a part cuts both, and they do not grow back', () => {
    const scenario = given(family({ size: '2', limitPrice: '100' }), place({ side: 'sell', size: '1.5', limitPrice: '99' }));
    scenario.thenWaiting('sell 0.5 @ 85 when above 110', 'sell 0.5 @ 85 when below 90');
    scenario.given(long('3')).thenWaiting('sell 0.5 @ 85 when above 110', 'sell 0.5 @ 85 when below 90');
  });

  it('children that repeat the cloid of their parent go without one', () => {
    const cloid = '0x000000000000000000000000000000c1';
    const children = [takeProfit('110', { size: '2', cloid }), stop('90', { size: '2', cloid })];
    const scenario = given(placeGroup('normalTpsl', { ...parent, cloid }, ...children));
    scenario.thenOutcomes('resting', 'waitingForFill', 'waitingForFill');
    scenario
      .when(cancel({ target: { cloid } }))
      .thenEnds('canceled', 'canceled', 'canceled')
      .thenWaiting();
  });

  it('edge 19, 20: a child is canceled by oid on its own asset, once', () => {
    const scenario = given(family(parent));
    const target = { oid: scenario.waitingOid() };
    const missing = (asset: number) => `Order was never placed, already canceled, or filled. asset=${asset}`;
    scenario.when(cancel({ asset: 1, target })).thenOutcomes(missing(1));
    scenario.when(cancel({ target }, { target })).thenOutcomes('success', missing(2));
  });
});

describe('positionTpsl: as long as the position', () => {
  const whole = { size: '0' };

  it('edge 40: for the whole position it grows with it', () => {
    const scenario = given(long('1'), placeGroup('positionTpsl', stop('90', whole))).thenOutcomes('waitingForTrigger');
    scenario.given(long('2')).thenPosition('SOL', '3').thenWaiting('sell 0 @ 85 when below 90');
    scenario
      .when(mark('SOL', '90'))
      .thenStatuses('triggered', 'filled')
      .thenFills('sell 3 @ 99.9 taker')
      .thenPosition('SOL', '0');
  });

  it('edge 40: with a size of its own it closes that', () => {
    const scenario = given(long('1'), placeGroup('positionTpsl', stop('90', { size: '1' })), long('2'));
    scenario.when(mark('SOL', '90')).thenFills('sell 1 @ 99.9 taker').thenPosition('SOL', '2');
  });

  it('the one that closes the position cancels the other as its sibling', () => {
    const scenario = given(long('1'), placeGroup('positionTpsl', takeProfit('110', whole), stop('90', whole)));
    scenario.when(mark('SOL', '110')).thenStatuses('triggered', 'siblingFilledCanceled', 'filled').thenWaiting();
  });

  it('edge 28: a flip by a plain order cancels them with the reduce-only orders of the old side', () => {
    const scenario = given(
      long('1'),
      placeGroup('positionTpsl', takeProfit('110', whole), stop('90', whole)),
      place({ side: 'sell', reduceOnly: true, limitPrice: '105' }),
      place(stop('95')),
    );
    scenario
      .when(place({ side: 'sell', size: '2', limitPrice: '99' }))
      .thenPosition('SOL', '-1')
      .thenOpen()
      .thenWaiting();
    scenario.thenEnds('reduceOnlyCanceled', 'reduceOnlyCanceled', 'reduceOnlyCanceled', 'reduceOnlyCanceled', 'filled');
  });

  it('edge 28: a plain stop entry of the other side stays', () => {
    const entry = stop('95', { reduceOnly: false });
    const scenario = given(long('1'), place(entry), place({ side: 'sell', size: '2', limitPrice: '99' }));
    scenario.thenWaiting('sell 1 @ 85 when below 95');
  });

  it('a second stop waits beside the first and the take-profit', () => {
    const scenario = given(long('1'), placeGroup('positionTpsl', takeProfit('110', whole), stop('90', whole)));
    scenario
      .when(placeGroup('positionTpsl', stop('92', whole)))
      .thenOutcomes('waitingForTrigger')
      .thenEnds();
    scenario.thenWaiting('sell 0 @ 85 when above 110', 'sell 0 @ 85 when below 90', 'sell 0 @ 85 when below 92');
    scenario.when(mark('SOL', '92')).thenStatuses('triggered', 'siblingFilledCanceled', 'siblingFilledCanceled', 'filled');
    scenario.thenFills('sell 1 @ 99.9 taker').thenWaiting();
  });

  it('a refused one leaves the others', () => {
    const scenario = given(long('1'), placeGroup('positionTpsl', stop('90', whole)));
    scenario.when(placeGroup('positionTpsl', stop('101', whole))).thenOutcomes('Invalid TP/SL price. asset=2');
    scenario.thenWaiting('sell 0 @ 85 when below 90');
  });

  /** A ladder for a long of 4: two take-profits of 1, a stop of 2, and one for the whole position. */
  const rungs = [
    takeProfit('110', { size: '1' }),
    takeProfit('120', { size: '1' }),
    stop('95', { size: '2' }),
    stop('90', whole),
  ];
  const ladder = () => given(long('4')).given(placeGroup('positionTpsl', ...rungs));

  it('EX-2.5b: several of each kind come in one action, each closes its own size, and the last for the whole position all that is left', () => {
    const scenario = ladder().thenOutcomes(...rungs.map(() => 'waitingForTrigger'));
    scenario.when(mark('SOL', '110')).thenStatuses('triggered', 'filled').thenPosition('SOL', '3');
    scenario.when(mark('SOL', '95')).thenStatuses('triggered', 'filled').thenPosition('SOL', '1');
    scenario.thenWaiting('sell 1 @ 85 when above 120', 'sell 0 @ 85 when below 90');
    scenario
      .when(mark('SOL', '90'))
      .thenStatuses('triggered', 'siblingFilledCanceled', 'filled')
      .thenPosition('SOL', '0')
      .thenWaiting();
  });

  it('EX-2.5b: one mark that reaches both stops fires the nearer first, and the other closes what is left', () => {
    ladder()
      .when(mark('SOL', '90'))
      .thenFills('sell 2 @ 99.9 taker', 'sell 2 @ 99.9 taker')
      .thenPosition('SOL', '0')
      .thenWaiting();
  });

  it('each is cut to the position on its own, one for the whole position is not; none grows back', () => {
    const scenario = ladder().when(place({ side: 'sell', size: '3', limitPrice: '99', tif: 'ioc' }));
    const cut = [
      'sell 1 @ 85 when above 110',
      'sell 1 @ 85 when above 120',
      'sell 1 @ 85 when below 95',
      'sell 0 @ 85 when below 90',
    ];
    scenario.thenWaiting(...cut);
    scenario.given(long('3')).thenWaiting(...cut);
  });

  it('a larger one than the position is cut to it when it is placed, whatever else waits', () => {
    const scenario = ladder().when(placeGroup('positionTpsl', takeProfit('130', { size: '9' })));
    expect([...scenario.account.triggers.values()].at(-1)?.size).to.equal('4');
  });

  it('they end together: canceled one by one, closed by hand, turned', () => {
    const canceled = ladder().when(cancel({ target: { oid: ladder().waitingOid(1) } }));
    canceled.thenOutcomes('success').thenEnds('canceled');
    expect(canceled.account.triggers.size).to.equal(3);
    for (const size of ['4', '5']) {
      const closed = ladder().when(place({ side: 'sell', size, limitPrice: '99', tif: 'ioc' }));
      closed.thenEnds(...rungs.map(() => 'reduceOnlyCanceled'), 'filled').thenWaiting();
    }
  });

  it('three of one kind, but for one that is not reduce-only, or of another side or coin: the whole action is refused', () => {
    const three = ['90', '91', '92'].map((price) => stop(price, whole));
    given(long('1'))
      .when(placeGroup('positionTpsl', ...three))
      .thenOutcomes(...three.map(() => 'waitingForTrigger'));
    for (const [other, text] of [
      [{ reduceOnly: false }, 'Trigger order is not reduce only.'],
      [{ asset: 1 }, 'Trigger order has unexpected type.'],
      [{ side: 'buy' }, 'Trigger order has unexpected side.'],
    ] as const) {
      given(long('1'))
        .when(placeGroup('positionTpsl', ...three, stop('93', other)))
        .thenOutcomes(text)
        .thenEvents();
    }
  });

  it('needs a position to close', () => {
    const scenario = given().when(placeGroup('positionTpsl', stop('90', whole)));
    scenario.thenOutcomes('Reduce only order would increase position. asset=2').thenEnds('reduceOnlyRejected');
  });
});

describe('modifyOrders: trigger orders and groups', () => {
  it('a waiting stop gets a new trigger under a new oid', () => {
    const scenario = given(long('1'), place(stop('90')));
    const oid = scenario.waitingOid();
    scenario
      .when(modifyAlways({ target: { oid }, order: stop('92') }))
      .thenOutcomes('resting')
      .thenEnds('canceled');
    scenario.thenWaiting('sell 1 @ 85 when below 92');
    expect(scenario.waitingOid()).to.be.greaterThan(oid);
  });

  it('edge 22: a trigger that is reached already: the old one is gone', () => {
    const scenario = given(long('1'), place(stop('90')));
    scenario.when(modifyAlways({ target: { oid: scenario.waitingOid() }, order: stop('101') }));
    scenario.thenOutcomes('Error placing new order during modify: Invalid TP/SL price. asset=2').thenWaiting();
  });

  it('a child stays a child, waiting for what it waited for', () => {
    const scenario = given(family(parent));
    scenario
      .when(modifyAlways({ target: { oid: scenario.waitingOid(1) }, order: stop('92', { size: '2' }) }))
      .thenOutcomes('resting');
    scenario.thenWaiting('sell 2 @ 85 for its parent', 'sell 2 @ 85 for its parent');
    scenario.given(sold('2')).when(mark('SOL', '92')).thenStatuses('triggered', 'siblingFilledCanceled', 'filled');
  });

  it('a position stop stays one, with size 0', () => {
    const scenario = given(long('1'), placeGroup('positionTpsl', stop('90', { size: '0' })));
    scenario
      .when(modifyAlways({ target: { oid: scenario.waitingOid() }, order: stop('92', { size: '0' }) }))
      .thenOutcomes('resting');
    scenario.given(long('1')).when(mark('SOL', '92')).thenFills('sell 2 @ 99.9 taker');
  });

  it('a stop becomes a limit order', () => {
    const scenario = given(long('1'), place(stop('90')));
    const order = { side: 'sell', limitPrice: '101', reduceOnly: true } as const;
    scenario
      .when(modify({ target: { oid: scenario.waitingOid() }, order }))
      .thenOutcomes('resting')
      .thenWaiting()
      .thenOpen('sell 1 @ 101');
  });

  it('a parent of another price keeps its children, as they are', () => {
    const scenario = given(family(parent));
    const children = [scenario.waitingOid(0), scenario.waitingOid(1)];
    scenario
      .when(modify({ target: { oid: scenario.oid() }, order: { ...parent, size: '1', limitPrice: '99.95' } }))
      .thenEnds('canceled');
    expect(childrenOf(scenario, scenario.oid())).to.deep.equal(children);
    scenario.when(sold('1')).thenEnds('filled').thenWaiting('sell 1 @ 85 when above 110', 'sell 1 @ 85 when below 90');
  });

  it('a parent that fills when it is modified has its children placed', () => {
    const scenario = given(family(parent));
    scenario
      .when(modifyAlways({ target: { oid: scenario.oid() }, order: { ...parent, limitPrice: '100' } }))
      .thenOutcomes('filled 2 @ 100');
    scenario.thenWaiting('sell 2 @ 85 when above 110', 'sell 2 @ 85 when below 90');
  });

  it('a parent whose new order is refused by the market takes its children along', () => {
    const scenario = given(family(parent));
    scenario.when(modify({ target: { oid: scenario.oid() }, order: { ...parent, limitPrice: '100' } }));
    scenario.thenEnds('canceled', 'badAloPxRejected', 'canceled', 'canceled').thenOpen().thenWaiting();
  });

  it('a parent whose new order is malformed stays, and so do its children', () => {
    const scenario = given(family(parent));
    const [target, children] = [{ oid: scenario.oid() }, [scenario.waitingOid(0), scenario.waitingOid(1)]];
    scenario.when(modify({ target, order: { ...parent, limitPrice: '99.9501' } }));
    scenario.thenOutcomes('Price must be divisible by tick size. asset=2').thenEvents();
    expect(childrenOf(scenario, scenario.oid())).to.deep.equal(children);
  });

  it('a parent that has become a stop places its children when it has fired and filled', () => {
    const order = stop('105', { side: 'buy', size: '2', limitPrice: '110', reduceOnly: false });
    const scenario = given(family(parent));
    scenario.when(modifyAlways({ target: { oid: scenario.oid() }, order })).thenOutcomes('resting');
    scenario.when(book('SOL', [['104.9', '5']], [['105.1', '5']])).when(mark('SOL', '105'));
    scenario.thenFills('buy 2 @ 105.1 taker').thenWaiting('sell 2 @ 85 when above 110', 'sell 2 @ 85 when below 90');
  });

  it('a parent that has become a stop and finds nothing to hit takes its children along', () => {
    const order = stop('105', { side: 'buy', size: '2', limitPrice: '110', reduceOnly: false });
    const scenario = given(family(parent));
    scenario.when(modifyAlways({ target: { oid: scenario.oid() }, order })).thenOutcomes('resting');
    scenario.when(book('SOL', [['104.9', '5']], [['200', '5']])).when(mark('SOL', '105'));
    scenario.thenFills().thenWaiting().thenOpen();
  });

  it('always place: a new order, although there is none to replace', () => {
    given()
      .when(modifyAlways({ target: { oid: 4711 }, order: { limitPrice: '99' } }))
      .thenOutcomes('resting')
      .thenOpen('buy 1 @ 99');
  });
});
