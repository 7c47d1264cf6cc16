// Fills of a mirrored address beside what the rules have filled here, on lives with numbers computed by hand. SOL: 100 is the mark and the
// best ask, 99.9 the best bid; a taker pays 0.045 %, a maker 0.015 %.
import { expect } from 'chai';
import fc from 'fast-check';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import type { SourceFill, SourceOpening, SourceOrder } from '../../../src/actors/core/messages/importReport.ts';
import { toDivergenceSums } from '../../../src/features/copies/divergenceSchema.ts';
import { CAUSES, causesOf, gotOf, Sum, scaledUsdOf, stateOf, unfilledOf } from '../../../src/features/copies/rules/causes.ts';
import { FollowedAddress } from '../../../src/features/copies/rules/followed.ts';
import { Decimal, ZERO } from '../../../src/shared/domain/decimal.ts';
import { FixtureMarket } from '../../support/fixtureMarket.ts';
import { book, deposit, mark, Scenario, type Step, trade } from '../../support/scenario.ts';

const SOURCE = `0x${'cd'.repeat(20)}`;
const SINCE_MS = 1_700_000_000_000;

type Told = Extract<AccountCommand, { type: 'followSource' }>;

const told = (fields: Partial<Told>): Told => ({
  ...{ type: 'followSource', id: 'mir_1', term: 1, fills: [], ended: [], opened: [], ...fields },
});
let tids = 0;
const fill = (fields: Partial<SourceFill> = {}): Told => {
  tids += 1;
  const usual = { tid: tids, oid: 50, coin: 'SOL', side: 'buy', price: '99.5', size: '4', fee: '0.1791' } as const;
  return told({ fills: [{ ...usual, timeMs: SINCE_MS + tids, liquidity: 'taker', ...fields }] });
};
/** Order 60 of the address: it buys 6 at 95. */
const opening = (order: Partial<SourceOrder> = {}): SourceOpening => {
  const resting: SourceOrder = {
    ...{ oid: 60, coin: 'SOL', side: 'buy', limitPrice: '95', size: '6', reduceOnly: false, timeInForce: 'gtc', ...order },
  };
  return { order: resting, originalSize: resting.size, placedAtMs: SINCE_MS + 1 };
};
/** 2 of it, which is 1 here; the fee is what a maker pays. */
const makerFill = (fields: Partial<SourceFill> = {}): Told =>
  fill({ oid: 60, price: '95', size: '2', fee: '0.0285', liquidity: 'maker', ...fields });
const FOLLOW = { type: 'followAddress', id: 'mir_1', source: SOURCE, sinceMs: SINCE_MS, orders: [] } as const;
/** A trade that goes through all orders at 95. */
const THROUGH = trade('SOL', ['sell', '94', '1000']);

/** An account of 100,000 USD times the scale, without positions or orders. */
const begun = (scale = '0.5'): Scenario => {
  const empty = { takenAtMs: SINCE_MS, accountValue: '100000', positions: [], orders: [], left: [] };
  return new Scenario(new FixtureMarket()).given(
    deposit('0'),
    { type: 'importAccount', source: SOURCE, scale, ...empty },
    FOLLOW,
  );
};

function read({ entries }: Scenario, scale = '0.5', from = 0): FollowedAddress {
  const followed = new FollowedAddress(new Decimal(scale));
  for (const entry of entries.slice(from)) followed.add(entry);
  return followed;
}

/** State and size here of each fill, then the causes that are not 0. */
const shown = (followed: FollowedAddress): string[] =>
  followed.fills.map((each) => {
    const compared = followed.compared(each);
    const { difference, ...causes } = causesOf(compared);
    const named = CAUSES.filter((cause) => !causes[cause].isZero()).map((cause) => `${cause} ${causes[cause]}`);
    return `${stateOf(compared)} ${gotOf(compared).size}: ${[...named, `all ${difference}`].join(', ')}`;
  });

const cases: [name: string, steps: readonly Step[], want: string[]][] = [
  // 2 at 100 in place of 99.5: 1 USD. 0.09 of fees in place of 0.08955.
  ['delay: the touch is worse than the price there', [fill()], ['filled 2: delay 1, fees 0.00045, all 1.00045']],
  // A sell at 99.9 in place of 100.4. 0.08991 of fees in place of 0.09036.
  [
    'delay of a sell',
    [fill({ side: 'sell', price: '100.4', fee: '0.18072' })],
    ['filled 2: delay 1, fees -0.00045, all 0.99955'],
  ],
  ['a better price here is negative', [fill({ price: '101', fee: '0.18' })], ['filled 2: delay -2, all -2']],
  // 5 at 100 and 3 at 100.1. 0.360135 of fees in place of 0.36.
  [
    'price: the order goes through the touch',
    [fill({ size: '16', price: '100', fee: '0.72' })],
    ['filled 8: price 0.3, fees 0.000135, all 0.300135'],
  ],
  // 3 of 5 are there. 0.135 of fees in place of 0.22275.
  [
    'partial: what is not filled is missing at the mark',
    [book('SOL', [['99.9', '5']], [['100', '3']]), fill({ size: '10', price: '99', fee: '0.4455' })],
    ['partial 3: delay 3, partial 2, fees -0.08775, all 4.91225'],
  ],
  // 0.05 at 100 are 5 USD.
  [
    'missed: the rules refuse the order',
    [fill({ size: '0.1', fee: '0.004' })],
    ['missed 0: missed 0.025, fees -0.002, all 0.023'],
  ],
  [
    'what was refused is not had later: an order is for coins of its own',
    [book('SOL', [['99.9', '5']], []), fill({ fee: '0' }), book('SOL', [['99.9', '5']], [['100', '5']]), fill({ fee: '0.18' })],
    ['missed 0: missed 1, all 1', 'filled 2: delay 1, all 1'],
  ],
  // One order of 2.05 at 100 for both: its fee is 0.09225, of which 0.05 have 0.00225.
  [
    'what was worth too little for an order is had with a later one',
    [fill({ size: '0.1', fee: '0' }), fill({ fee: '0.18' })],
    ['filled 0.05: delay 0.025, fees 0.00225, all 0.02725', 'filled 2: delay 1, all 1'],
  ],
  // The copy has 3; each coin has a third of 0.04275 of fees.
  ['a copy that fills after the address', [told({ opened: [opening()] }), makerFill(), THROUGH], ['filled 1: all 0']],
  ['a copy that has filled before the address', [told({ opened: [opening()] }), THROUGH, makerFill()], ['filled 1: all 0']],
  ['a copy that has not filled yet waits', [told({ opened: [opening()] }), makerFill()], ['waits 0: all 0']],
  [
    'a copy that ends without a fill: missed, at the mark of when it was heard',
    [told({ opened: [opening()] }), mark('SOL', '97'), makerFill(), mark('SOL', '110'), told({ ended: [60] })],
    ['missed 0: missed 2, fees -0.01425, all 1.98575'],
  ],
  [
    'so does one whose mirror has ended',
    [told({ opened: [opening()] }), makerFill(), { type: 'unfollowAddress', id: 'mir_1' }, THROUGH],
    ['missed 0: missed 5, fees -0.01425, all 4.98575'],
  ],
  // The copy of 3 is for the first 6 coins: the first fill of 4 has 2 of them, the second of 2 has 1.
  [
    'a copy’s fills go to the fills of the address in their order',
    [told({ opened: [opening()] }), makerFill({ size: '4', fee: '0.057' }), makerFill(), THROUGH],
    ['filled 2: all 0', 'filled 1: all 0'],
  ],
  // The copy is for 3 of the order's 5; the crossing size was 4, which is 2 here.
  [
    'an order that crossed before it rested: in part an order at the market, in part its copy',
    [told({ opened: [{ ...opening(), originalSize: '10' }] }), fill({ oid: 60, size: '10', price: '95', fee: '0' }), THROUGH],
    ['filled 5: delay 10, fees 0.13275, all 10.13275'],
  ],
  [
    'a coin that is not listed here has no price, and counts nothing but its fee',
    [fill({ coin: 'NOPE' })],
    ['missed 0: fees -0.08955, all -0.08955'],
  ],
];

describe('fills of an address beside ours', () => {
  for (const [name, steps, want] of cases) it(name, () => expect(shown(read(begun().given(...steps)))).to.deep.equal(want));

  it('what is cut off to lots is had with a later fill of the order', () => {
    const sizes = ['19.5', '20.4', '20.1'];
    const scenario = begun('0.01').given(...sizes.slice(0, 2).map((size) => fill({ size, price: '100', fee: '0' })));
    // Orders are for 0.19, 0.2 and 0.21: of 0.195, 0.399 and 0.6, cut to lots of 0.01.
    const had = () => {
      const followed = read(scenario, '0.01');
      return followed.fills.map((each) => gotOf(followed.compared(each)).size.toString());
    };
    expect(had()).to.deep.equal(['0.195', '0.195']);
    scenario.given(fill({ size: '20.1', price: '100', fee: '0' }));
    expect(had()).to.deep.equal(['0.195', '0.204', '0.201']);
  });

  it('a fill that took several orders has what all of them got, and why the last got nothing', () => {
    const rich = new Scenario(new FixtureMarket()).given(
      deposit('0'),
      {
        ...{ type: 'importAccount', source: SOURCE, scale: '0.5', takenAtMs: SINCE_MS, accountValue: '2000000000' },
        ...{ positions: [], orders: [], left: [] },
      },
      FOLLOW,
    );
    rich.given(book('SOL', [['99.9', '5']], [['100', '50000']]), fill({ size: '200000', fee: '8955' }));
    const followed = read(rich);
    // 50,000 of 100,000, in orders of 46,296.29 and 3,703.71; 2250 of fees in place of 4477.5.
    expect(shown(followed)).to.deep.equal(['partial 50000: delay 25000, partial 25000, fees -2227.5, all 47772.5']);
    expect(followed.fills[0]?.text).to.match(/^Order could not immediately match/);
  });

  it('the text of what was put off goes with the order that makes up for it', () => {
    const scenario = begun().given(fill({ size: '0.1' }));
    expect(read(scenario).fills.map(({ text }) => text)).to.deep.equal(['Order must have minimum value of $10. asset=2']);
    scenario.given(fill());
    expect(read(scenario).fills.map(({ text }) => text)).to.deep.equal([undefined, undefined]);
  });

  it('fills of copies without one of the address are told apart; so are fills whose copy was not read', () => {
    const scenario = begun().given(told({ opened: [opening()] }), THROUGH, makerFill());
    expect(read(scenario).unclaimedUsd.toString(), '2 of 3 at 95').to.equal('190');
    const [only] = read(scenario, '0.5', scenario.entries.length - 1).fills;
    expect(only?.copied).to.equal('unread');
  });

  it('the text says why an order did nothing; a reset begins anew', () => {
    const scenario = begun().given(fill({ size: '0.1' }), fill({ oid: 51 }));
    expect(read(scenario).fills.map(({ text }) => text)).to.deep.equal([
      'Order must have minimum value of $10. asset=2',
      undefined,
    ]);
    scenario.given({ type: 'resetAccount', plan: 'basic', balanceUsd: '0' });
    expect(read(scenario).fills).to.deep.equal([]);
  });

  it('a life with every cause at a scale of 0.3, and its sums in USD and basis points', () => {
    const scenario = begun('0.3').given(
      // 6 here: 5 at 100, 1 at 100.1. Fees 0.270045 in place of 0.26865.
      fill({ size: '20', fee: '0.8955' }),
      // 3 here, of which 1 is there, at 99.9. Fees 0.044955 in place of 0.13527.
      book('SOL', [['99.9', '1']], [['100', '5']]),
      fill({ oid: 51, side: 'sell', size: '10', price: '100.2', fee: '0.4509' }),
      // 0.6 of the copy's 1.8, which pay a third of its 0.02565.
      told({ opened: [opening()] }),
      makerFill(),
      THROUGH,
      // 1.2 here, which nobody buys.
      book('SOL', [], [['100', '5']]),
      fill({ oid: 52, side: 'sell', size: '4', price: '101', fee: '0.1818' }),
    );
    const followed = read(scenario, '0.3');
    expect(shown(followed)).to.deep.equal([
      'filled 6: delay 3, price 0.1, fees 0.001395, all 3.101395',
      'partial 1: delay 0.3, partial 0.4, fees -0.090315, all 0.609685',
      'filled 0.6: all 0',
      'missed 0: missed 1.2, fees -0.05454, all 1.14546',
    ]);
    const sum = new Sum();
    for (const each of followed.fills) sum.add(followed.compared(each));
    const amount = (usd: string, bps: string) => ({ usd, bps });
    // Of 20 x 99.5, 10 x 100.2, 2 x 95 and 4 x 101, times 0.3.
    expect(toDivergenceSums(sum)).to.deep.equal({
      ...{ fills: 4, states: { filled: 2, partial: 1, missed: 1, waits: 0, unread: 0 }, usd: '1075.8' },
      causes: {
        ...{ delay: amount('3.3', '30.6748'), price: amount('0.1', '0.9295'), missed: amount('1.2', '11.1545') },
        ...{ partial: amount('0.4', '3.7182'), fees: amount('-0.14346', '-1.3335') },
      },
      difference: amount('4.85654', '45.1435'),
    });
  });

  it('whatever happens: causes add up to the difference, sums to those of the fills, and what was filled here is told once', () => {
    const step = fc.oneof(
      fc.record({ what: fc.constant('fill'), oid: fc.integer({ min: 60, max: 63 }), size: fc.integer({ min: 1, max: 400 }) }),
      fc.record({
        what: fc.constantFrom('open', 'end', 'through', 'book'),
        oid: fc.integer({ min: 60, max: 63 }),
        size: fc.integer({ min: 1, max: 400 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), fc.constantFrom('0.5', '0.037', '1', '3'), (steps, scale) => {
        const scenario = begun(scale);
        for (const { what, oid, size } of steps) {
          const coins = String(size / 20);
          if (what === 'fill')
            scenario.given(fill({ oid, size: coins, side: size % 3 === 0 ? 'sell' : 'buy', price: String(90 + (size % 20)) }));
          else if (what === 'open')
            scenario.given(told({ opened: [{ ...opening({ oid, size: coins }), originalSize: String(size / 10) }] }));
          else if (what === 'end') scenario.given(told({ ended: [oid] }));
          else if (what === 'through') scenario.given(trade('SOL', ['sell', '94', coins]));
          else scenario.given(book('SOL', [['99.9', coins]], [['100', coins]]));
        }
        const followed = read(scenario, scale);
        const [sum, byHand] = [new Sum(), { difference: ZERO, usd: ZERO, ours: ZERO }];
        for (const each of followed.fills) {
          const compared = followed.compared(each);
          const { difference, ...causes } = causesOf(compared);
          expect(Decimal.sum(...Object.values(causes)).toString()).to.equal(difference.toString());
          expect(unfilledOf(compared).isNeg() && !unfilledOf(compared).isZero(), 'never more than there').to.equal(false);
          sum.add(compared);
          byHand.difference = byHand.difference.plus(difference);
          byHand.usd = byHand.usd.plus(scaledUsdOf(compared));
          byHand.ours = byHand.ours.plus(gotOf(compared).usd);
        }
        expect([sum.causes.difference, sum.scaledUsd].map(String)).to.deep.equal([byHand.difference, byHand.usd].map(String));
        expect(Decimal.sum(0, ...CAUSES.map((cause) => sum.causes[cause])).toString()).to.equal(byHand.difference.toString());
        expect(Object.values(sum.states).reduce((all, count) => all + count, 0)).to.equal(followed.fills.length);
        const filled = scenario.entries.flatMap(({ events }) =>
          events.flatMap((event) => (event.type === 'orderFilled' ? [new Decimal(event.price).times(event.size)] : [])),
        );
        expect(byHand.ours.plus(followed.unclaimedUsd).toString()).to.equal(Decimal.sum(0, ...filled).toString());
      }),
      { numRuns: 100 },
    );
  });
});
