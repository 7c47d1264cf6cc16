import { expect } from 'chai';
import fc from 'fast-check';
import type { OrderView } from '../../../../src/actors/core/messages/order.ts';
import {
  book,
  cancel,
  given,
  mark,
  modify,
  type OrderFields,
  place,
  placeGroup,
  type Scenario,
  stop,
  takeProfit,
  trade,
} from '../../../support/scenario.ts';

/** SOL is 99.9 / 100 with enough behind; the long of 10 that the orders reduce. */
const long = place({ size: '10', limitPrice: '100.2', tif: 'ioc' });
const exit = (size: string, limitPrice: string, fields: OrderFields = {}): OrderFields => ({
  side: 'sell',
  size,
  limitPrice,
  reduceOnly: true,
  ...fields,
});
const sell = (size: string, fields: OrderFields = {}) => place({ side: 'sell', size, limitPrice: '95', tif: 'ioc', ...fields });
/** Two that hold the whole position. */
const twoExits = [place(exit('5', '110')), place(exit('5', '111'))] as const;

/** The newer order that each order of the last step gave way to. */
const gaveWay = ({ events }: Scenario) =>
  events.flatMap((event) => (event.type === 'orderEnded' && event.status === 'reduceOnlyCanceled' ? [event.gaveWayTo] : []));

describe('fitReducing: a new reduce-only order pushes out the oldest (rule 2.3)', () => {
  const cases: { name: string; size: string; ends: string[]; open: string[] }[] = [
    { name: 'EX-2.3b: the third of 5 ends the first', size: '5', ends: ['reduceOnlyCanceled'], open: ['5 @ 111', '5 @ 112'] },
    { name: 'EX-2.3b: one of 4 cuts the first to 1', size: '4', ends: [], open: ['1 @ 110', '5 @ 111', '4 @ 112'] },
    { name: 'one lot less than the first', size: '4.99', ends: [], open: ['0.01 @ 110', '5 @ 111', '4.99 @ 112'] },
    {
      name: 'one lot more than the first cuts the second, too',
      size: '5.01',
      ends: ['reduceOnlyCanceled'],
      open: ['4.99 @ 111', '5.01 @ 112'],
    },
    { name: 'all of the position', size: '10', ends: ['reduceOnlyCanceled', 'reduceOnlyCanceled'], open: ['10 @ 112'] },
    {
      name: 'more than the position is cut to it',
      size: '11',
      ends: ['reduceOnlyCanceled', 'reduceOnlyCanceled'],
      open: ['10 @ 112'],
    },
  ];
  for (const { name, size, ends, open } of cases) {
    it(name, () => {
      const scenario = given(long, ...twoExits).when(place(exit(size, '112')));
      scenario.thenOutcomes('resting').thenEnds(...ends);
      scenario.thenOpen(...open.map((order) => `sell ${order}`));
      expect(gaveWay(scenario)).to.deep.equal(ends.map(() => [...scenario.account.orders.keys()].at(-1)));
    });
  }

  it('two that together hold the position both rest; so do three in one action that fit', () => {
    given(long, ...twoExits).thenOpen('sell 5 @ 110', 'sell 5 @ 111');
    given(long)
      .when(place(exit('3', '110'), exit('3', '111'), exit('4', '112')))
      .thenEnds()
      .thenOpen('sell 3 @ 110', 'sell 3 @ 111', 'sell 4 @ 112');
  });

  it('three of 5 in one action: all are answered as resting, and the first is gone', () => {
    const scenario = given(long).when(place(exit('5', '110'), exit('5', '111'), exit('5', '112')));
    scenario.thenOutcomes('resting', 'resting', 'resting').thenStatuses('open', 'open', 'reduceOnlyCanceled', 'open');
    scenario.thenOpen('sell 5 @ 111', 'sell 5 @ 112');
  });

  it('age counts, not the price; an Alo pushes like a Gtc', () => {
    given(long, place(exit('5', '111')), place(exit('5', '110')))
      .when(place(exit('5', '120', { tif: 'alo' })))
      .thenOpen('sell 5 @ 110', 'sell 5 @ 120');
  });

  it('plain orders are not counted, and push nothing out', () => {
    given(long, ...twoExits)
      .when(place({ side: 'sell', size: '7', limitPrice: '112' }))
      .thenEnds()
      .thenOpen('sell 5 @ 110', 'sell 5 @ 111', 'sell 7 @ 112');
  });

  it('a refused one pushes nothing out: an Alo that would match', () => {
    given(long, ...twoExits)
      .when(place(exit('5', '99', { tif: 'alo' })))
      .thenEnds('badAloPxRejected')
      .thenOpen('sell 5 @ 110', 'sell 5 @ 111');
  });

  it('a canceled one makes room: the next pushes nothing out', () => {
    const scenario = given(long, ...twoExits);
    scenario.given(cancel({ target: { oid: scenario.oid(0) } })).when(place(exit('5', '112')));
    scenario.thenEnds().thenOpen('sell 5 @ 111', 'sell 5 @ 112');
  });

  it('a modified one is the newest: made larger, it takes from the other', () => {
    const scenario = given(long, ...twoExits);
    scenario.when(modify({ target: { oid: scenario.oid(0) }, order: exit('6', '109') }));
    scenario.thenOpen('sell 4 @ 111', 'sell 6 @ 109').thenEnds('canceled');
  });

  it('one that fills a part at once keeps what is left of it', () => {
    const scenario = given(long, ...twoExits, book('SOL', [['109', '2']], [['115', '9']]));
    scenario
      .when(place(exit('6', '109')))
      .thenOutcomes('filled 2 @ 109')
      .thenPosition('SOL', '8');
    scenario.thenOpen('sell 4 @ 111', 'sell 4 @ 109').thenEnds('reduceOnlyCanceled');
  });

  it('other coins and the margin are left alone: reduce-only orders hold none', () => {
    const scenario = given(long, place({ asset: 1, size: '1', limitPrice: '2010', tif: 'ioc' }));
    scenario.given(place({ asset: 1, side: 'sell', size: '1', limitPrice: '2200', reduceOnly: true }), ...twoExits);
    const { withdrawable } = scenario.state();
    scenario.when(place(exit('10', '112'))).thenOpen('sell 1 @ 2200', 'sell 10 @ 112');
    expect(scenario.state().withdrawable).to.equal(withdrawable);
  });
});

describe('fitReducing: what rests follows the position together (rule 2.3)', () => {
  const cases: { name: string; sold: string; ends: string[]; open: string[] }[] = [
    { name: 'EX-2.3c: 3 of 10 are sold: the older is cut to 2', sold: '3', ends: ['filled'], open: ['2 @ 110', '5 @ 111'] },
    { name: '5 are sold: the older ends', sold: '5', ends: ['reduceOnlyCanceled', 'filled'], open: ['5 @ 111'] },
    { name: 'EX-2.3c: 6 are sold: the newer is cut, too', sold: '6', ends: ['reduceOnlyCanceled', 'filled'], open: ['4 @ 111'] },
    {
      name: 'all is sold: both end',
      sold: '10',
      ends: ['reduceOnlyCanceled', 'reduceOnlyCanceled', 'filled'],
      open: [],
    },
    {
      name: 'the position turns: both end',
      sold: '11',
      ends: ['reduceOnlyCanceled', 'reduceOnlyCanceled', 'filled'],
      open: [],
    },
  ];
  for (const { name, sold, ends, open } of cases) {
    it(name, () => {
      const scenario = given(long, ...twoExits).when(sell(sold));
      scenario.thenEnds(...ends).thenOpen(...open.map((order) => `sell ${order}`));
      expect(gaveWay(scenario)).to.deep.equal(ends.filter((end) => end !== 'filled').map(() => undefined));
    });
  }

  it('an Ioc that only reduces is not refused for what rests: it fills, and what rests gives way', () => {
    given(long, ...twoExits)
      .when(sell('10', { reduceOnly: true }))
      .thenFills('sell 5 @ 99.9 taker', 'sell 5 @ 99.8 taker')
      .thenPosition('SOL', '0')
      .thenOpen();
  });

  it('the fill of one leaves the other as it is', () => {
    const scenario = given(long, ...twoExits).when(trade('SOL', ['buy', '110.5', '4']));
    scenario.thenFills('sell 4 @ 110 maker').thenOpen('sell 1 @ 110', 'sell 5 @ 111').thenPosition('SOL', '6');
    scenario
      .when(trade('SOL', ['buy', '112', '50']))
      .thenFills('sell 1 @ 110 maker', 'sell 5 @ 111 maker')
      .thenPosition('SOL', '0');
  });

  it('one that was cut does not grow back, and a newer one may use what came', () => {
    const scenario = given(long, ...twoExits, sell('3'), place({ size: '3', limitPrice: '100.5', tif: 'ioc' }));
    scenario.thenOpen('sell 2 @ 110', 'sell 5 @ 111').thenPosition('SOL', '10');
    scenario
      .when(place(exit('3', '112')))
      .thenEnds()
      .thenOpen('sell 2 @ 110', 'sell 5 @ 111', 'sell 3 @ 112');
  });

  it('children of one that gives way end with it', () => {
    const short = place({ side: 'sell', size: '10', limitPrice: '99', tif: 'ioc' });
    const cover = { size: '5', limitPrice: '90', reduceOnly: true };
    const scenario = given(short).given(placeGroup('normalTpsl', cover, stop('80', { size: '5', limitPrice: '75' })));
    scenario.when(place({ size: '10', limitPrice: '91', reduceOnly: true }));
    scenario.thenEnds('reduceOnlyCanceled', 'canceled').thenOpen('buy 10 @ 91').thenWaiting();
  });
});

describe('fitReducing: orders that wait for the mark are not counted (rule 2.3)', () => {
  const guards = place(stop('90', { size: '10' }), takeProfit('130', { size: '10' }));

  it('a stop, a take-profit and an order on the book may each be for the whole position', () => {
    const scenario = given(long, place(exit('10', '112'))).when(guards);
    scenario.thenEnds().thenOpen('sell 10 @ 112');
    scenario.thenWaiting('sell 10 @ 85 when below 90', 'sell 10 @ 85 when above 130');
  });

  it('each is cut on its own when the position shrinks', () => {
    const scenario = given(long, guards, ...twoExits).when(sell('4'));
    scenario.thenOpen('sell 1 @ 110', 'sell 5 @ 111');
    scenario.thenWaiting('sell 6 @ 85 when below 90', 'sell 6 @ 85 when above 130');
  });

  it('a limit trigger that fires and rests pushes out what rested before it', () => {
    const limit = { price: '105', tpsl: 'tp' as const, isMarket: false };
    const scenario = given(long, place(takeProfit('105', { size: '6', limitPrice: '113', trigger: limit })), ...twoExits);
    scenario.when(mark('SOL', '105')).thenStatuses('triggered', 'reduceOnlyCanceled', 'open', 'open');
    scenario.thenOpen('sell 4 @ 111', 'sell 6 @ 113');
  });

  it('a market trigger that fires takes the position from what rests', () => {
    given(long, place(stop('95', { size: '10' })), ...twoExits)
      .when(mark('SOL', '95'))
      .thenStatuses('triggered', 'reduceOnlyCanceled', 'reduceOnlyCanceled', 'filled')
      .thenOpen();
  });
});

describe('fitReducing: whatever is placed and sold, the newest keep their size', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('exit' as const),
      lots: fc.integer({ min: 10, max: 120 }),
      away: fc.integer({ min: 10, max: 15 }),
    }),
    fc.record({ kind: fc.constant('close' as const), lots: fc.integer({ min: 10, max: 40 }), away: fc.constant(0) }),
  );

  for (const side of ['sell', 'buy'] as const) {
    it(`exits that ${side}: sizes are what is left of the position for them, newest first, and never more than before`, () => {
      fc.assert(
        fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
          const [opening, closing] = side === 'sell' ? (['buy', '100.5'] as const) : (['sell', '99'] as const);
          const market = [book('SOL', [['99.9', '500']], [['100', '500']])] as const;
          const scenario = given(...market, place({ side: opening, size: '10', limitPrice: closing, tif: 'ioc' }));
          let held = 100;
          let open: { oid: number; lots: number }[] = [];
          for (const { kind, lots, away } of steps) {
            const limitPrice =
              kind === 'close' ? (side === 'sell' ? '95' : '105') : String(side === 'sell' ? 100 + away : 100 - away);
            const fields = { side, limitPrice, reduceOnly: true, tif: kind === 'close' ? 'ioc' : 'gtc' } as const;
            scenario.when(place({ ...fields, size: String(lots / 10) }));
            const [outcome] = scenario.outcome?.type === 'orders' ? scenario.outcome.orders : [];
            if (kind === 'close') held -= Math.min(held, lots);
            else if (outcome?.type === 'resting') open.push({ oid: outcome.oid, lots: Math.min(held, lots) });
            let left = held;
            open = open
              .reverse()
              .map(({ oid, lots: before }) => {
                const kept = Math.min(before, left);
                left -= kept;
                return { oid, lots: kept };
              })
              .reverse()
              .filter((order) => order.lots > 0);
            const resting = [...scenario.account.orders.values()].map(({ oid, size }: OrderView) => ({
              oid,
              lots: Number(size) * 10,
            }));
            expect(resting.map(({ oid, lots: left }) => ({ oid, lots: Math.round(left) }))).to.deep.equal(open);
          }
        }),
      );
    });
  }
});
