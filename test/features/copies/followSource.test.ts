// An account repeats the orders, ends and fills of its address, whether they come once, twice, late, or in another order.
import { expect } from 'chai';
import fc from 'fast-check';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import type { AccountEntry } from '../../../src/actors/core/messages/entry.ts';
import type { SourceFill, SourceOpening, SourceOrder } from '../../../src/actors/core/messages/importReport.ts';
import type { Terms } from '../../../src/actors/core/messages/terms.ts';
import { applyEntry } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../../src/shared/stateHash.ts';
import { FixtureMarket } from '../../support/fixtureMarket.ts';
import { book, deposit, type MarketMove, mark, Scenario, trade, wait } from '../../support/scenario.ts';
import { figures, Pair } from '../../support/whatIfPair.ts';

const SOURCE = `0x${'cd'.repeat(20)}`;
const SINCE_MS = 1_700_000_000_000;
const ID = 'mir_1';

type Told = Extract<AccountCommand, { type: 'followSource' }>;

const told = (fields: Partial<Told>): Told => ({
  ...{ type: 'followSource', id: ID, term: 1, fills: [], ended: [], opened: [], ...fields },
});
const fill = (fields: Partial<SourceFill> = {}): SourceFill => ({
  ...{ tid: 1, oid: 50, coin: 'SOL', side: 'buy', price: '99.5', size: '4', fee: '0.1791', timeMs: SINCE_MS + 1 },
  ...{ liquidity: 'taker', ...fields },
});
const opening = (order: Partial<SourceOrder> = {}, fields: Partial<SourceOpening> = {}): SourceOpening => {
  const resting: SourceOrder = {
    ...{ oid: 60, coin: 'SOL', side: 'buy', limitPrice: '95', size: '6', reduceOnly: false, timeInForce: 'gtc', ...order },
  };
  return { order: resting, originalSize: resting.size, placedAtMs: SINCE_MS + 1, ...fields };
};

/** It began with an order of the address, 7, for 2 SOL, at half of its size. */
const imported = (scale = '0.5'): { scenario: Scenario; oid: number } => {
  const orders = [opening({ oid: 7, size: '4' }).order];
  const scenario = new Scenario(new FixtureMarket()).given(deposit('0'), {
    ...{
      type: 'importAccount',
      source: SOURCE,
      scale,
      takenAtMs: SINCE_MS,
      accountValue: '20000',
      positions: [],
      orders,
      left: [],
    },
  });
  const [oid = 0] = scenario.account.orders.keys();
  return { scenario, oid };
};

/** It follows an address of 2,000,000,000 USD at half of its size. */
const rich = (scenario: Scenario): Scenario =>
  scenario.given(
    deposit('0'),
    { ...{ type: 'importAccount', source: SOURCE, scale: '0.5', takenAtMs: SINCE_MS, accountValue: '2000000000' }, ...EMPTY },
    { type: 'followAddress', id: ID, source: SOURCE, sinceMs: SINCE_MS, orders: [] },
  );
const EMPTY = { positions: [], orders: [], left: [] };

/** The same, and it follows. */
const begun = (scale = '0.5'): Scenario => {
  const { scenario, oid } = imported(scale);
  return scenario.given({ type: 'followAddress', id: ID, source: SOURCE, sinceMs: SINCE_MS, orders: [[oid, 7]] });
};

const positionOf = ({ account }: Scenario): string => account.positions.get(2)?.signedSize.toString() ?? '0';
/** Open orders: side, size and price. */
const openOf = ({ account }: Scenario): string[] =>
  [...account.orders.values()].map(({ side, size, limitPrice }) => `${side} ${size} at ${limitPrice}`);
const textsOf = ({ events }: Scenario): string[] =>
  events.flatMap((event) => ('text' in event && event.text ? [event.text] : []));

describe('followSource: what an address does is done here, once', () => {
  it('an order that rests there rests here, scaled and without its client id; one that is over there is cancelled here', () => {
    const scenario = begun().given(told({ opened: [opening({ cloid: `0x${'07'.repeat(16)}` })] }));
    expect(openOf(scenario)).to.deep.equal(['buy 2 at 95', 'buy 3 at 95']);
    expect([...scenario.account.orders.values()].map(({ cloid }) => cloid)).to.deep.equal([undefined, undefined]);
    scenario.given(told({ ended: [60] }));
    expect(openOf(scenario)).to.deep.equal(['buy 2 at 95']);
    scenario.given(told({ ended: [7] }));
    expect(openOf(scenario), 'the order of the import is one of the copies').to.deep.equal([]);
  });

  it('a fill of an order without a copy is an Ioc order at the market, of the scaled size', () => {
    const scenario = begun()
      .given(told({}))
      .when(told({ fills: [fill()] }));
    expect(positionOf(scenario)).to.equal('2');
    const [real, ours] = scenario.events;
    expect(real).to.include({ type: 'sourceFilled', sourceOid: 50, tid: 1, price: '99.5', taken: '4' });
    expect(real, 'the prices here').to.include({ touchPrice: '100', markPrice: '100' });
    expect(ours).to.include({ type: 'orderFilled', price: '100', size: '2', liquidity: 'taker' });
    expect(scenario.events.at(-1)).to.include({ type: 'sourceTaken', sourceOid: 50, size: '2' });
  });

  it('fills of one order that come together are one order; what is cut off to lots is made up for by later ones', () => {
    const scenario = begun('0.01').given(
      told({ fills: [fill({ size: '19.5' }), fill({ tid: 2, size: '20.4', timeMs: SINCE_MS + 1 })] }),
    );
    expect(positionOf(scenario), '0.399').to.equal('0.39');
    scenario.given(told({ fills: [fill({ tid: 3, size: '20.1', timeMs: SINCE_MS + 2 })] }));
    expect(positionOf(scenario), '0.6').to.equal('0.6');
  });

  it('what is worth less than an order may be is made up for by later fills of the order, too', () => {
    const scenario = begun('0.01').when(told({ fills: [fill({ size: '5' })] }));
    expect([positionOf(scenario), textsOf(scenario)]).to.deep.equal(['0', ['Order must have minimum value of $10. asset=2']]);
    expect(scenario.events.at(-1)).to.include({ type: 'sourceTaken', size: '0' });
    scenario.when(told({ fills: [fill({ tid: 2, size: '4', timeMs: SINCE_MS + 2 })] }));
    expect(positionOf(scenario), '9 USD').to.equal('0');
    const kept = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
    scenario.when(told({ fills: [fill({ tid: 3, size: '3', timeMs: SINCE_MS + 3 })] }));
    expect(positionOf(scenario)).to.equal('0.12');
    expect(stateHashOf(applyEntry(kept, scenario.entries.at(-1) as AccountEntry))).to.equal(stateHashOf(scenario.account));
    scenario.when(told({ fills: [fill({ tid: 4, oid: 51, size: '9', timeMs: SINCE_MS + 4 })] }));
    expect(positionOf(scenario), 'another order has nothing of it').to.equal('0.12');
  });

  describe('fills that are worth more than one order may be', () => {
    /** Of 100 USD, with a largest order at the market of 5,000,000 USD at the limit of 108 USD: 46,296.29 SOL. */
    const MOST = '46296.29';
    const large = (size: string, asks: string): Scenario =>
      rich(new Scenario(new FixtureMarket()))
        .given(book('SOL', [['99.9', '10']], [['100', asks]]))
        .when(told({ fills: [fill({ size })] }));
    const ordersOf = ({ events }: Scenario) =>
      events.flatMap((event) => (event.type === 'sourceTaken' ? [[event.size, 'oid' in event, event.text]] : []));

    it('become as many orders as it takes', () => {
      const scenario = large('200000', '1000000');
      expect(ordersOf(scenario)).to.deep.equal([
        [MOST, true, undefined],
        [MOST, true, undefined],
        ['7407.42', true, undefined],
      ]);
      expect(positionOf(scenario), '200,000 x 0.5').to.equal('100000');
    });

    it('end with the book: what it does not have is ordered no more', () => {
      const scenario = large('200000', '50000');
      const [first, second, third] = ordersOf(scenario);
      expect([first, second]).to.deep.equal([
        [MOST, true, undefined],
        [MOST, true, undefined],
      ]);
      expect(third?.[2]).to.match(/^Order could not immediately match/);
      expect(positionOf(scenario)).to.equal('50000');
    });

    it('so do those of an order whose copy would be worth too much', () => {
      const scenario = rich(new Scenario(new FixtureMarket())).given(book('SOL', [['94', '10']], [['95', '1000000']]));
      scenario.when(told({ opened: [opening({ size: '2000000' })] }));
      expect(scenario.events.at(-1)).to.include({ type: 'sourceOrderSeen', text: 'Order value too large. Max is $50000000.' });
      scenario.when(told({ fills: [fill({ oid: 60, size: '190000', price: '95', liquidity: 'maker' })] }));
      expect(ordersOf(scenario).map(([size]) => size)).to.deep.equal([MOST, MOST, '2407.42']);
      expect(positionOf(scenario)).to.equal('95000');
    });

    it('are at most ten', () => {
      const scenario = large('2000000', '3000000');
      const orders = ordersOf(scenario);
      expect(orders).to.have.length(11);
      expect(orders.at(-1)).to.deep.equal(['537037.1', false, 'Order value too large. Max is $5000000.']);
      expect(positionOf(scenario)).to.equal('462962.9');
    });
  });

  it('a fill that is told after newer ones has its effect, once, as long as 200 are remembered', () => {
    const scenario = begun('1');
    const at = (tid: number, ms: number) => fill({ tid, oid: 100 + tid, size: '1', timeMs: SINCE_MS + ms });
    scenario.given(told({ fills: [at(3, 30)] }), told({ fills: [at(1, 10)] }), told({ fills: [at(3, 30), at(2, 10)] }));
    expect(positionOf(scenario)).to.equal('3');
    scenario.given(told({ fills: [at(1, 10), at(2, 10), at(3, 30)] }));
    expect([positionOf(scenario), scenario.account.following?.cursorMs]).to.deep.equal(['3', SINCE_MS + 30]);
    const many = Array.from({ length: 200 }, (_, tid) =>
      fill({ tid: 10 + tid, oid: 1000 + tid, size: '0.001', timeMs: SINCE_MS + 100 + tid }),
    );
    scenario.given(told({ fills: many }));
    const { floorMs, heard } = scenario.account.following ?? {};
    expect([floorMs, heard?.length]).to.deep.equal([SINCE_MS + 30, 200]);
    scenario.given(told({ fills: [at(1, 10), at(4, 30)] }));
    expect(positionOf(scenario), 'they are not known from those that were heard').to.equal('3');
    const sweep = Array.from({ length: 300 }, (_, tid) =>
      fill({ tid: 1000 + tid, oid: 5000, size: '0.001', timeMs: SINCE_MS + 400 }),
    );
    for (const half of [sweep.slice(0, 250), sweep]) scenario.given(told({ fills: half }));
    expect(scenario.account.following?.orders.get(5000)?.taken, 'all of one millisecond').to.equal('0.3');
  });

  it('a fill of an order that has a copy is the copy’s own matter, also when its end is told first', () => {
    const scenario = begun().given(told({ opened: [opening()] }));
    scenario.when(told({ fills: [fill({ oid: 60, size: '2', liquidity: 'maker' })] }));
    expect([scenario.events.map(({ type }) => type), positionOf(scenario)]).to.deep.equal([['sourceFilled'], '0']);
    scenario.given(told({ ended: [60] }), told({ fills: [fill({ tid: 2, oid: 60, timeMs: SINCE_MS + 2 })] }));
    expect(positionOf(scenario)).to.equal('0');
  });

  for (const isFillFirst of [true, false])
    it(`of an order that crossed before it rested, the part that crossed is an Ioc order, ${isFillFirst ? 'told first' : 'told last'}`, () => {
      const crossed = told({ fills: [fill({ oid: 60, size: '4' })] });
      const rests = told({ opened: [opening({ size: '6' }, { originalSize: '10' })] });
      const scenario = begun().given(...(isFillFirst ? [crossed, rests] : [rests, crossed]));
      expect([positionOf(scenario), openOf(scenario)]).to.deep.equal(['2', ['buy 2 at 95', 'buy 3 at 95']]);
      scenario.given(told({ fills: [fill({ tid: 9, oid: 60, size: '6', timeMs: SINCE_MS + 5, liquidity: 'maker' })] }));
      expect(positionOf(scenario), 'what rested').to.equal('2');
    });

  it('a copy of the import that is gone before the account follows is not made up for; a mirror that begins later makes another one', () => {
    const follow = (sinceMs: (importedMs: number) => number): Scenario => {
      const { scenario, oid } = imported();
      scenario.given({ type: 'cancelOrders', cancels: [{ asset: 2, target: { oid } }] });
      const since = sinceMs(scenario.account.imported?.timeMs ?? 0);
      scenario.given({ type: 'followAddress', id: ID, source: SOURCE, sinceMs: since, orders: [[oid, 7]] });
      const order = opening({ oid: 7, size: '2' }, { originalSize: '4', placedAtMs: SINCE_MS - 1 });
      return scenario.given(told({ fills: [fill({ oid: 7, size: '2', timeMs: since + 1 })], opened: [order] }));
    };
    const gone = follow(() => SINCE_MS);
    expect([positionOf(gone), openOf(gone)]).to.deep.equal(['0', []]);
    const later = follow((importedMs) => importedMs + 1);
    expect([positionOf(later), openOf(later)]).to.deep.equal(['1', ['buy 1 at 95']]);
  });

  it('an order that is told as it was before its fills, which were told first, rests with what they have left of it', () => {
    const scenario = begun().given(told({ fills: [fill({ oid: 60, size: '4' })] }));
    scenario.given(told({ opened: [opening({ size: '10' })] }));
    expect([positionOf(scenario), openOf(scenario)]).to.deep.equal(['2', ['buy 2 at 95', 'buy 3 at 95']]);
    scenario.given(told({ fills: [fill({ tid: 2, oid: 60, size: '6', timeMs: SINCE_MS + 5, liquidity: 'maker' })] }));
    expect(positionOf(scenario), 'what rested is its copy’s matter').to.equal('2');
    scenario.given(told({ fills: [fill({ tid: 3, oid: 61, size: '2', timeMs: SINCE_MS + 6 })] }));
    scenario.given(told({ opened: [opening({ oid: 61, size: '2' })] }));
    expect([positionOf(scenario), openOf(scenario)], 'nothing is left').to.deep.equal(['3', ['buy 2 at 95', 'buy 3 at 95']]);
  });

  it('of an order from before the mirror began, fills of before are none of it', () => {
    const scenario = begun().given(told({ opened: [opening({ size: '6' }, { originalSize: '10', placedAtMs: SINCE_MS })] }));
    scenario.given(
      told({ fills: [fill({ oid: 60, timeMs: SINCE_MS }), fill({ tid: 2, oid: 60, size: '6', liquidity: 'maker' })] }),
    );
    expect(positionOf(scenario)).to.equal('0');
  });

  it('one that closes closes here at most what there is, and never opens the other side', () => {
    const scenario = begun().given(told({ fills: [fill()] }));
    scenario.given(told({ fills: [fill({ tid: 2, oid: 51, side: 'sell', size: '10', closes: true, timeMs: SINCE_MS + 2 })] }));
    expect(positionOf(scenario)).to.equal('0');
    scenario.when(told({ fills: [fill({ tid: 3, oid: 52, side: 'sell', size: '10', closes: true, timeMs: SINCE_MS + 3 })] }));
    expect(textsOf(scenario)[0]).to.match(/^Reduce only order/);
  });

  it('after a gap all that is open there is open here, and nothing else of it', () => {
    const stop = opening({
      ...{ oid: 62, side: 'sell', limitPrice: '80', reduceOnly: true, timeInForce: 'never' },
      trigger: { price: '85', tpsl: 'sl', isMarket: true, isPosition: true },
    });
    const scenario = begun().given(
      told({ opened: [opening(), opening({ oid: 61, limitPrice: '94' })] }),
      told({ fills: [fill()], open: [61, 62, 63], opened: [opening({ oid: 61 }), stop, opening({ oid: 63, limitPrice: '93' })] }),
    );
    expect(openOf(scenario)).to.deep.equal(['buy 3 at 94', 'buy 3 at 93']);
    expect([...scenario.account.triggers.values()].map(({ trigger }) => trigger.price)).to.deep.equal(['85']);
  });

  for (const isFillFirst of [true, false])
    it(`a stop of the whole position fires here at the mark here; its fill there is told ${isFillFirst ? 'before' : 'after'}`, () => {
      const stop = opening({
        ...{ oid: 62, side: 'sell', limitPrice: '80', size: '0', reduceOnly: true, timeInForce: 'never' },
        trigger: { price: '85', tpsl: 'sl', isMarket: true, isPosition: true },
      });
      const scenario = begun().given(told({ fills: [fill()] }), told({ opened: [stop] }));
      const filled = told({ fills: [fill({ tid: 2, oid: 62, side: 'sell', size: '4', closes: true, timeMs: SINCE_MS + 2 })] });
      const fires = [book('SOL', [['84', '10']], [['85', '10']]), mark('SOL', '84.5')];
      scenario.given(...(isFillFirst ? [filled, ...fires] : [...fires, filled]));
      expect([positionOf(scenario), scenario.account.triggers.size]).to.deep.equal(['0', 0]);
      scenario.given(told({ ended: [62] }), filled);
      expect(positionOf(scenario), 'once').to.equal('0');
    });

  it('a coin that is delisted while it is mirrored: its fills are left out with the reason, those of others go on', () => {
    const gone: MarketMove = (market) => {
      market.delist('SOL', '100');
      return 'delisted';
    };
    const scenario = begun().given(told({ fills: [fill()] }), told({ opened: [opening()] }), gone);
    expect([positionOf(scenario), openOf(scenario)], 'settled here').to.deep.equal(['0', []]);
    scenario.when(
      told({
        fills: [
          fill({ tid: 2, oid: 60, side: 'sell', closes: true, timeMs: SINCE_MS + 2 }),
          fill({ tid: 3, oid: 61, side: 'sell', closes: true, timeMs: SINCE_MS + 3 }),
          fill({ tid: 4, oid: 63, coin: 'xyz:GOLD', timeMs: SINCE_MS + 4 }),
          fill({ tid: 5, oid: 64, coin: 'ETH', size: '2', price: '2000', timeMs: SINCE_MS + 5 }),
        ],
        ended: [60],
        opened: [opening({ oid: 70 }), opening({ oid: 71, coin: 'xyz:GOLD' })],
      }),
    );
    expect([...new Set(textsOf(scenario))]).to.deep.equal([
      'Trading is halted. asset=2',
      'The coin is no perpetual of the main list.',
    ]);
    expect([...scenario.account.positions.values()].map(({ coin, signedSize }) => `${coin} ${signedSize}`)).to.deep.equal([
      'ETH 1',
    ]);
  });

  const leftOut: [name: string, facts: Partial<Told>, want: string][] = [
    [
      'an order of a coin that is not listed',
      { opened: [opening({ coin: 'NOPE' })] },
      'The coin is no perpetual of the main list.',
    ],
    ['one of less than a lot', { opened: [opening({ size: '0.01' })] }, 'Less than a lot.'],
    ['one that never rests', { opened: [opening({ timeInForce: 'never' })] }, 'Orders of this kind do not rest.'],
    [
      'one that the rules refuse',
      { opened: [opening({ limitPrice: '95.0001' })] },
      'Price must be divisible by tick size. asset=2',
    ],
    ['a fill of a coin that is not listed', { fills: [fill({ coin: 'NOPE' })] }, 'The coin is no perpetual of the main list.'],
    ['a fill of less than a lot', { fills: [fill({ size: '0.01' })] }, 'Less than a lot.'],
    ['one that the rules refuse', { fills: [fill({ size: '0.1' })] }, 'Order must have minimum value of $10. asset=2'],
  ];
  for (const [name, facts, want] of leftOut)
    it(`left out with the reason: ${name}`, () => {
      const scenario = begun().when(told(facts));
      expect(textsOf(scenario)).to.deep.equal([want]);
      const before = stateHashOf(scenario.account);
      expect(stateHashOf(scenario.given(told(facts)).account), 'it is not tried again').to.equal(before);
    });

  it('a process with an older term is not heard any more, nor one of another mirror', () => {
    const scenario = begun().given(told({ term: 5 }));
    const before = stateHashOf(scenario.account);
    expect(scenario.when(told({ term: 4, fills: [fill()] })).outcome).to.include({ type: 'refused' });
    expect(scenario.when(told({ term: 6, id: 'mir_0', fills: [fill()] })).outcome).to.include({ type: 'refused' });
    expect(stateHashOf(scenario.account)).to.equal(before);
  });

  it('it begins once, with the address of the import alone; it ends once, and what is open stays', () => {
    const scenario = begun();
    const follow = { type: 'followAddress', id: ID, source: SOURCE, sinceMs: 5, orders: [] } as const;
    const { length } = scenario.entries;
    expect(scenario.when(follow).outcome).to.deep.equal({ type: 'done' });
    expect(scenario.when({ ...follow, id: 'mir_2' }).outcome).to.include({ type: 'refused' });
    expect(scenario.when({ type: 'unfollowAddress', id: 'mir_2' }).outcome).to.deep.equal({ type: 'done' });
    expect(scenario.entries).to.have.length(length);
    scenario.given({ type: 'unfollowAddress', id: ID });
    expect([scenario.account.following, openOf(scenario)]).to.deep.equal([undefined, ['buy 2 at 95']]);
    expect(scenario.when({ ...follow, source: `0x${'00'.repeat(20)}` }).outcome).to.include({ type: 'refused' });
    expect(scenario.when(told({ fills: [fill()] })).outcome).to.include({ type: 'refused' });
    scenario.given(follow, { type: 'resetAccount', plan: 'basic', balanceUsd: '0' });
    expect(scenario.account.following, 'a reset ends it').to.equal(undefined);
  });

  it('remembers 200 orders that are over', () => {
    const scenario = begun();
    const fills = Array.from({ length: 250 }, (_, at) =>
      fill({ tid: at, oid: 1000 + at, size: '0.001', timeMs: SINCE_MS + 1 + at }),
    );
    scenario.given(told({ fills }));
    expect([...(scenario.account.following?.orders.keys() ?? [])].slice(0, 2)).to.deep.equal([7, 1050]);
    expect(scenario.account.following?.orders.size).to.equal(201);
  });

  it('which of them is forgotten next is the same after a snapshot', () => {
    const scenario = begun();
    const fills = Array.from({ length: 200 }, (_, at) =>
      fill({ tid: at, oid: 2000 - at, size: '0.001', timeMs: SINCE_MS + 1 + at }),
    );
    scenario.given(told({ fills }));
    const kept = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
    scenario.given(told({ fills: [fill({ tid: 200, oid: 3000, size: '0.001', timeMs: SINCE_MS + 201 })] }));
    const last = scenario.entries.at(-1) as AccountEntry;
    expect(stateHashOf(applyEntry(kept, last))).to.equal(stateHashOf(scenario.account));
    expect(scenario.account.following?.orders.has(2000), 'the first that was over').to.equal(false);
  });

  describe('what-ifs of the account get the orders and cancels that it makes of the facts', () => {
    /** A mirror of half of the address, which has placed order 60, and a what-if of it. */
    const pairOf = (terms: Terms): Pair => {
      const begins = { takenAtMs: SINCE_MS, accountValue: '20000', positions: [], orders: [], left: [] };
      return new Pair(
        terms,
        { type: 'setBalance', balanceUsd: '0' },
        { type: 'importAccount', source: SOURCE, scale: '0.5', ...begins },
        { type: 'followAddress', id: ID, source: SOURCE, sinceMs: SINCE_MS, orders: [] },
      );
    };
    const sides = ({ source, whatIf }: Pair) => [source, whatIf];

    it('the same orders with the same numbers, and the same fills', () => {
      const pair = pairOf({});
      const stop = { price: '90', tpsl: 'sl', isMarket: true } as const;
      const child = opening({ oid: 61, side: 'sell', limitPrice: '80', reduceOnly: true, trigger: stop }).order;
      pair.given(
        told({ opened: [opening(), opening({ oid: 62, limitPrice: '94', children: [child] })] }),
        told({ fills: [fill(), fill({ tid: 2, oid: 51, side: 'sell', size: '2', closes: true, timeMs: SINCE_MS + 2 })] }),
        told({ ended: [60], open: [61, 62] }),
      );
      const [source, whatIf] = sides(pair).map(({ account }) => figures(account));
      expect(whatIf).to.deep.equal(source);
      expect(sides(pair).map(positionOf)).to.deep.equal(['1', '1']);
      expect(pair.whatIf.account.following, 'the facts are the source’s').to.equal(undefined);
    });

    it('a copy that has filled here alone is cancelled in the what-if when the order is over there', () => {
      const pair = pairOf({ fillModel: 'pessimistic' }).given(book('SOL', [['95', '40']], [['100', '50']]));
      pair.given(told({ opened: [opening()] }), wait(10), trade('SOL', ['sell', '95', '43']));
      expect(sides(pair).map(openOf)).to.deep.equal([[], ['buy 3 at 95']]);
      pair.given(told({ ended: [60] }));
      expect(sides(pair).map((side) => [positionOf(side), ...openOf(side)])).to.deep.equal([['3'], ['0']]);
    });

    it('as many commands as there are orders, of which none is too many for a what-if that keeps up', () => {
      const pair = pairOf({});
      const fills = Array.from({ length: 50 }, (_, at) => fill({ tid: at, oid: 100 + at, size: '1', timeMs: SINCE_MS + at }));
      pair.given(told({ fills, open: [] }));
      expect(pair.whatIf.account.fork?.received).to.equal(50);
      expect(sides(pair).map(positionOf)).to.deep.equal(['25', '25']);
    });
  });

  it('whatever is told, in whatever pieces and however often: nothing throws, and each fill counts once', () => {
    const facts = fc.array(
      fc.record({ oid: fc.nat(5), tid: fc.nat(9), at: fc.nat(3), size: fc.nat(9), what: fc.constantFrom('fill', 'open', 'end') }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(facts, (steps) => {
        const scenario = begun('1');
        for (const { oid, tid, at, size, what } of steps) {
          const fact = {
            fill: { fills: [fill({ oid, tid, size: String(size + 1), timeMs: SINCE_MS + at })] },
            open: { opened: [opening({ oid, size: String(size + 1) }, { originalSize: String(size + 1 + at) })] },
            end: { ended: [oid] },
          }[what];
          const command = told(fact);
          scenario.given(command);
          const before = stateHashOf(scenario.account);
          scenario.given(command);
          expect(stateHashOf(scenario.account)).to.equal(before);
        }
      }),
      { numRuns: 150 },
    );
  });
});
