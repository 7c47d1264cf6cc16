import { expect } from 'chai';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { sliceTimeMs, type Twap } from '../../../src/actors/core/account/twap.ts';
import { Draft } from '../../../src/actors/core/fold/draft.ts';
import { rowsOf } from '../../../src/actors/core/history/rowsOfEvents.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { endTwaps } from '../../../src/actors/core/orders/endOrders.ts';
import { nextDueMs, PIPELINE } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { type Levels, START_MS } from '../../support/fixtureMarket.ts';
import { book, given, givenUsd, leverage, mark, place, type Scenario, wait } from '../../support/scenario.ts';

const BTC = 0;
const ETH = 1;
const SOL = 2;
const DEEP = [['100', '1000']] as const;
const BIDS = [['99.9', '1000']] as const;
const NOT_RUNNING = 'TWAP was never placed, already canceled, or filled.';

type StartTwap = Extract<AccountCommand, { type: 'startTwap' }>;

/** Buys 11 SOL in 11 slices of 1 over five minutes, unless a field says otherwise. */
function twap(fields: Partial<Omit<StartTwap, 'type'>> = {}): StartTwap {
  return { type: 'startTwap', asset: SOL, side: 'buy', size: '11', minutes: 5, reduceOnly: false, randomize: false, ...fields };
}

const outcome = ({ outcome: is }: Scenario): string => (is && 'text' in is ? is.text : (is?.type ?? ''));

/** The market is fresh at this time after the start of the first TWAP, and the account is woken. */
function at(scenario: Scenario, offsetMs: number, asks: Levels = DEEP, bids: Levels = BIDS): Scenario {
  const startedMs = scenario.entries.flatMap(({ events }) => events).find((event) => event.type === 'twapStarted');
  const fromMs = startedMs?.type === 'twapStarted' ? startedMs.twap.startedAtMs : START_MS;
  const { market } = scenario;
  market.nowMs = fromMs + offsetMs - 1;
  market.setBook('SOL', { bids, asks });
  market.setPrices('SOL', { mark: '100' });
  return scenario.when(wait(0));
}

const running = ({ account }: Scenario): Twap => {
  const [first] = account.twaps.values();
  if (!first) throw new Error('no TWAP is running');
  return first;
};

const ends = (scenario: Scenario): string[] =>
  scenario.entries.flatMap(({ events }) =>
    events.flatMap((event) =>
      event.type === 'twapEnded' ? [`${event.end.status} ${event.twap.executedSize} ${event.twap.executedUsd}`] : [],
    ),
  );

/** All slices that were sent, as `slice size`. */
const sent = (scenario: Scenario): string[] =>
  scenario.entries.flatMap(({ events }) => {
    const slices = events.flatMap((event) => (event.type === 'twapSliced' ? [event.slice] : []));
    const orders = events.flatMap((event) =>
      event.type === 'orderEnded' && event.order.twapId !== undefined ? [event.order.originalSize] : [],
    );
    return slices.map((slice, i) => `${slice}: ${orders[i] ?? '-'}`);
  });

describe('twapOrder: the first check that fails answers', () => {
  const cases: { name: string; order: Partial<StartTwap>; want: string }[] = [
    { name: 'an unknown asset wins over all others', order: { asset: 99, minutes: 1 }, want: 'Unknown asset. asset=99' },
    { name: 'a delisted asset', order: { asset: 5, minutes: 1 }, want: 'Trading is halted. asset=5' },
    { name: 'edge 81: 4 minutes', order: { minutes: 4, size: '0' }, want: 'Invalid TWAP duration: 4 min(s)' },
    { name: 'edge 81: 10,081 minutes', order: { minutes: 10_081 }, want: 'Invalid TWAP duration: 10081 min(s)' },
    { name: 'a fraction of a minute', order: { minutes: 5.5 }, want: 'Invalid TWAP duration: 5.5 min(s)' },
    { name: '5 minutes', order: { minutes: 5 }, want: 'twapRunning' },
    { name: '10,080 minutes', order: { minutes: 10_080 }, want: 'twapRunning' },
    { name: 'a size that cannot be read', order: { size: '1e3' }, want: 'Order has invalid size.' },
    { name: 'size zero', order: { size: '0', reduceOnly: true }, want: 'Order has zero size.' },
    { name: 'a part of a lot', order: { size: '11.001', reduceOnly: true }, want: 'Order has invalid size.' },
    {
      name: 'reduce-only without a position',
      order: { reduceOnly: true },
      want: 'Reduce-only TWAP order would increase position.',
    },
    { name: 'edge 81: 99 USD at the mid', order: { size: '0.99' }, want: 'TWAP order value too small. Min is $100.' },
    { name: 'edge 81: 100 USD at the mid', order: { size: '1' }, want: 'twapRunning' },
  ];
  for (const { name, order, want } of cases) {
    it(`${name}: ${want}`, () => expect(outcome(given().when(twap(order)))).to.equal(want));
  }

  it('stale market data', () => {
    const scenario = given(wait(20_000)).when(twap());
    expect(outcome(scenario)).to.equal('Market data is stale (20 s). asset=2');
    scenario.thenEvents();
  });

  it('reduce-only on the same side is refused, on the other accepted', () => {
    const long = () => given(place({ tif: 'ioc', size: '5' }));
    expect(outcome(long().when(twap({ reduceOnly: true })))).to.equal('Reduce-only TWAP order would increase position.');
    expect(outcome(long().when(twap({ reduceOnly: true, side: 'sell' })))).to.equal('twapRunning');
  });

  it('100 run at most', () => {
    const scenario = given();
    for (let i = 0; i < 100; i++) expect(outcome(scenario.when(twap({ size: '1' })))).to.equal('twapRunning');
    expect(outcome(scenario.when(twap()))).to.equal('Exceeded max number of active TWAP orders.');
  });

  it('EX-2.8a: 10,000 USD over an hour go in 121 slices, over four days in 1000', () => {
    const slices = (minutes: number) => running(given(mark('SOL', '100')).when(twap({ size: '100', minutes }))).slices;
    expect([slices(60), slices(5760)]).to.deep.equal([121, 1000]);
    const scenario = givenUsd('100000', twap({ size: '10000', minutes: 10_080 }));
    const { slices: all, startedAtMs } = running(scenario);
    expect(all).to.equal(20_161);
    expect(sliceTimeMs(running(scenario), all - 1) - startedAtMs).to.equal(7 * 24 * 3_600_000);
  });

  it('a start holds no margin, makes no order and counts as one request', () => {
    const scenario = given().when(twap());
    scenario.thenEvents({ type: 'twapStarted', slices: 11 }).thenOpen();
    expect(scenario.account.totals.requestsUsed).to.equal(1);
    expect(nextDueMs(scenario.account)).to.equal(running(scenario).startedAtMs);
  });
});

describe('twapOrder: its slices', () => {
  it('the first at once, then every 30 s, each an order and a taker fill of its own; all done is finished', () => {
    const scenario = at(given(twap()), 0);
    scenario.thenFills('buy 1 @ 100 taker').thenEnds('filled');
    const { twapId } = running(scenario);
    scenario.thenEvents(
      { type: 'twapSliced', slice: 0 },
      { type: 'orderFilled', twapId, fee: '0.045' },
      { type: 'consumptionSet' },
      {
        type: 'orderEnded',
      },
    );
    at(scenario, 29_999).thenEvents();
    for (let slice = 1; slice < 11; slice++) at(scenario, slice * 30_000).thenFills('buy 1 @ 100 taker');
    scenario.thenPosition('SOL', '11');
    expect(ends(scenario)).to.deep.equal(['finished 11 1100']);
    expect(nextDueMs(scenario.account)).to.equal(undefined);
    const oids = scenario.entries.flatMap(({ events }) => events.flatMap((e) => (e.type === 'orderFilled' ? [e.oid] : [])));
    expect(new Set(oids).size).to.equal(11);
  });

  it('EX-2.8b: a slice of 0.02066 BTC at 64597 costs 0.600558', () => {
    const scenario = given(book('BTC', [['64590', '5']], [['64597', '5']]));
    scenario.given(twap({ asset: BTC, size: '1.2602', minutes: 30 })).when(wait(0));
    const fill = scenario.events.find((event) => event.type === 'orderFilled');
    expect(fill).to.include({ size: '0.02065', price: '64597', liquidity: 'taker', fee: '0.600267' });
    scenario.given(book('BTC', [['64590', '5']], [['64597', '5']]));
    scenario.market.advance(29_000);
    scenario.given(book('BTC', [['64590', '5']], [['64597', '5']]));
    scenario.market.setPrices('BTC', { mark: '64600' });
    scenario.when(wait(1000));
    const next = scenario.events.find((event) => event.type === 'orderFilled');
    expect(next).to.include({ size: '0.02066', price: '64597', fee: '0.600558' });
  });

  it('goes 3 % beyond the mid and no farther', () => {
    const scenario = at(given(twap()), 0, [
      ['102.9', '0.25'],
      ['103', '0.25'],
      ['103.1', '100'],
    ]);
    scenario.thenFills('buy 0.25 @ 102.9 taker', 'buy 0.25 @ 103 taker').thenEnds('canceled');
    const sell = at(given(twap({ side: 'sell' })), 0, DEEP, [
      ['97', '0.5'],
      ['96.9', '100'],
    ]);
    sell.thenFills('sell 0.5 @ 97 taker').thenEnds('canceled');
  });

  it('are free of the minimum value', () => {
    const scenario = at(given(twap({ size: '1', minutes: 30 })), 0);
    expect(running(scenario).slices).to.equal(10);
    at(scenario, 180_000, [['90', '1000']], [['89', '5']]).thenFills('buy 0.1 @ 90 taker');
  });

  it('EX-2.8d: without liquidity they find nothing, then make up for it three slices at a time', () => {
    const scenario = given(twap());
    for (let slice = 0; slice < 5; slice++) at(scenario, slice * 30_000, [['110', '5']]).thenEnds('iocCancelRejected');
    for (let slice = 5; slice < 11; slice++) at(scenario, slice * 30_000);
    expect(sent(scenario).slice(4)).to.deep.equal(['4: 3', '5: 3', '6: 3', '7: 2', '8: 1', '9: 1', '10: 1']);
    expect(ends(scenario)).to.deep.equal(['finished 11 1100']);
  });

  it('with a stale market send nothing and catch up', () => {
    const scenario = at(given(twap()), 0);
    scenario.when(wait(30_000)).thenEvents({ type: 'twapSliced', slice: 1 });
    at(scenario, 60_000).thenFills('buy 2 @ 100 taker');
  });

  it('edge 84: ten minutes without a process are not sent in a burst, the next slice is three normal ones', () => {
    const scenario = at(given(twap({ size: '61', minutes: 30 })), 0);
    at(scenario, 30_000 + 600_000).thenFills('buy 3 @ 100 taker');
    expect(scenario.events.filter(({ type }) => type === 'twapSliced')).to.have.length(1);
    expect(running(scenario).nextSlice).to.equal(22);
    at(scenario, 659_999).thenEvents();
    at(scenario, 660_000).thenFills('buy 3 @ 100 taker');
  });

  it('a process that comes back after the end sends one last slice and is finished, incomplete', () => {
    const scenario = at(given(twap()), 0);
    at(scenario, 86_400_000).thenFills('buy 3 @ 100 taker');
    expect(ends(scenario)).to.deep.equal(['finished 4 400']);
  });

  it('that end incomplete are no error', () => {
    const scenario = given(twap());
    for (let slice = 0; slice < 11; slice++) at(scenario, slice * 30_000, [['110', '5']]);
    expect(ends(scenario)).to.deep.equal(['finished 0 0']);
  });

  it('without the margin end the TWAP with an error that says so', () => {
    const scenario = at(givenUsd('150', leverage(SOL, 1), twap()), 0).thenFills('buy 1 @ 100 taker');
    at(scenario, 30_000).thenEnds('perpMarginRejected');
    expect(ends(scenario)).to.deep.equal(['error 1 100']);
    expect(scenario.events.at(-1)).to.deep.include({
      end: { status: 'error', text: 'Insufficient margin to place order. asset=2' },
    });
  });

  it('do not trade with the account itself', () => {
    const scenario = given(book('SOL', BIDS, [['100.1', '50']]), place({ side: 'sell', limitPrice: '100.1', size: '4' }));
    at(scenario.given(place({ side: 'sell', limitPrice: '100.05', size: '4' }), twap()), 0, [['100.1', '50']])
      .thenEnds('selfTradeCanceled', 'filled')
      .thenFills('buy 1 @ 100.1 taker');
  });

  it('of two TWAPs run in the order of their times, and none is lost', () => {
    const scenario = at(given(twap()), 0);
    scenario.market.advance(9999);
    scenario.given(book('SOL', BIDS, DEEP)).market.setPrices('SOL', { mark: '100' });
    scenario.given(twap({ side: 'sell', size: '22' }), wait(0)).thenFills('sell 2 @ 99.9 taker');
    at(scenario, 70_000);
    const slices = scenario.events.flatMap((event) => (event.type === 'twapSliced' ? [[event.twapId, event.slice]] : []));
    const [first, second] = [...scenario.account.twaps.keys()];
    expect(slices).to.deep.equal([
      [first, 2],
      [second, 2],
    ]);
  });

  it('of TWAPs that were started in the same millisecond all have their turns', () => {
    const scenario = at(given(twap(), twap({ size: '22' }), twap({ size: '33' })), 0);
    at(scenario, 30_000).thenFills('buy 1 @ 100 taker', 'buy 2 @ 100 taker', 'buy 3 @ 100 taker');
  });

  it('random sizes come from a seed in the state: another owner sends the same', () => {
    const scenario = at(given(twap({ randomize: true })), 0);
    const other = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
    expect([...other.twaps.values()]).to.deep.equal([...scenario.account.twaps.values()]);
    for (let slice = 1; slice < 11; slice++) at(scenario, slice * 30_000);
    expect(ends(scenario)).to.deep.equal(['finished 11 1100']);
    const sizes = sent(scenario).map((text) => Number(text.split(': ')[1]));
    for (const size of sizes) expect(size).to.be.within(0.79, 1.21);
    expect(new Set(sizes).size).to.be.above(5);
  });
});

describe('twapOrder: reduce-only', () => {
  const long = (size: string) => given(book('SOL', BIDS, DEEP), place({ tif: 'ioc', size }));

  it('closes a position exactly, and closing with the last slice is finished', () => {
    const scenario = long('11').given(twap({ side: 'sell', reduceOnly: true }));
    for (let slice = 0; slice < 11; slice++) at(scenario, slice * 30_000);
    scenario.thenPosition('SOL', '0');
    expect(ends(scenario)).to.deep.equal(['finished 11 1098.9']);
  });

  it('is cut to the position and ends with it', () => {
    const scenario = long('2.5').given(twap({ side: 'sell', reduceOnly: true }));
    for (let slice = 0; slice < 3; slice++) at(scenario, slice * 30_000);
    scenario.thenFills('sell 0.5 @ 99.9 taker').thenPosition('SOL', '0');
    expect(ends(scenario)).to.deep.equal(['terminated 2.5 249.75']);
  });

  it('edge 83: a position closed by hand ends it at once, and no new position comes of it', () => {
    const scenario = at(long('11').given(twap({ side: 'sell', reduceOnly: true })), 0);
    scenario.when(place({ side: 'sell', limitPrice: '99', size: '10', tif: 'ioc' })).thenPosition('SOL', '0');
    expect(ends(scenario)).to.deep.equal(['terminated 1 99.9']);
    at(scenario, 30_000).thenEvents().thenPosition('SOL', '0');
  });

  it('edge 83: a position that flips ends it, one that is merely smaller does not', () => {
    const scenario = at(long('11').given(twap({ side: 'sell', reduceOnly: true })), 0);
    scenario.when(place({ side: 'sell', limitPrice: '99', size: '1', tif: 'ioc' }));
    expect(ends(scenario)).to.deep.equal([]);
    scenario.when(place({ side: 'sell', limitPrice: '99', size: '20', tif: 'ioc' }));
    expect(ends(scenario)).to.deep.equal(['terminated 1 99.9']);
  });
});

describe('twapCancel', () => {
  const stop = (fields: { asset?: number; twapId: number }): AccountCommand => ({ type: 'cancelTwap', asset: SOL, ...fields });

  it('ends it as terminated and keeps what it has got', () => {
    const scenario = at(given(twap()), 0);
    scenario
      .when(stop({ twapId: running(scenario).twapId }))
      .thenOutcomes('done')
      .thenPosition('SOL', '1');
    expect(ends(scenario)).to.deep.equal(['terminated 1 100']);
    at(scenario, 30_000).thenEvents();
  });

  it('of another asset, of an unknown id and twice is refused', () => {
    const scenario = at(given(twap()), 0);
    const { twapId } = running(scenario);
    expect(outcome(scenario.when(stop({ asset: ETH, twapId })))).to.equal(NOT_RUNNING);
    expect(outcome(scenario.when(stop({ twapId: twapId + 1 })))).to.equal(NOT_RUNNING);
    scenario.when(stop({ twapId })).thenOutcomes('done');
    expect(outcome(scenario.when(stop({ twapId })))).to.equal(NOT_RUNNING);
  });

  it('edge 85: after the last slice there is nothing to cancel', () => {
    const scenario = given(twap());
    for (let slice = 0; slice < 11; slice++) at(scenario, slice * 30_000);
    const [{ events }] = scenario.entries.filter((entry) => entry.events.some(({ type }) => type === 'twapStarted')) as [never];
    const started = (events as Scenario['events']).find((event) => event.type === 'twapStarted');
    const twapId = started?.type === 'twapStarted' ? started.twap.twapId : 0;
    expect(outcome(scenario.when(stop({ twapId })))).to.equal(NOT_RUNNING);
  });

  it('edge 85: a cancel that comes after the last slice was due finds it finished', () => {
    const scenario = at(given(twap()), 0);
    const { twapId } = running(scenario);
    scenario.market.advance(300_000);
    expect(outcome(scenario.when(stop({ twapId })))).to.equal(NOT_RUNNING);
    expect(ends(scenario)).to.deep.equal(['finished 1 100']);
  });

  it('edge 91: what ends all of an account’s TWAPs leaves no timer behind', () => {
    const scenario = at(given(twap(), twap({ side: 'sell' })), 0);
    const draft = new Draft(scenario.account, { nowMs: scenario.market.nowMs, pipeline: PIPELINE });
    endTwaps(draft, ({ asset }) => asset === SOL, { status: 'terminated' });
    expect(draft.events.map(({ type }) => type)).to.deep.equal(['twapEnded', 'twapEnded']);
    expect(nextDueMs(draft.account)).to.equal(undefined);
  });
});

describe('twapOrder: what is kept of it', () => {
  it('rows of its own kinds: a row for start and end, its fills apart from the others', () => {
    const scenario = given(place({ tif: 'ioc' }), twap());
    for (let slice = 0; slice < 11; slice++) at(scenario, slice * 30_000);
    const rows = scenario.entries.flatMap(rowsOf);
    const count = (kind: string) => rows.filter((row) => row.kind === kind).length;
    expect(['fills', 'twapFills', 'twaps'].map(count)).to.deep.equal([1, 11, 2]);
    expect(scenario.account.rowCounts).to.include({ fills: 1, twapFills: 11, twaps: 2 });
  });

  it('a snapshot in the middle goes on where it was', () => {
    const scenario = given(twap());
    for (let slice = 0; slice < 5; slice++) at(scenario, slice * 30_000, [['100', (0.7 * (slice + 1)).toFixed(1)]]);
    const text = toSnapshot(scenario.account, NEWEST_FORMAT);
    expect(toSnapshot(fromSnapshot(text), NEWEST_FORMAT)).to.equal(text);
    expect(running(scenario)).to.include({ executedSize: '3.5', executedUsd: '350', nextSlice: 5 });
  });

  it('a scheduled cancel leaves it running', () => {
    const scenario = at(given(twap()), 0);
    scenario.given({ type: 'scheduleCancel', dueMs: scenario.market.nowMs + 5000 }, wait(5000));
    scenario.thenEvents({ type: 'scheduledCancelFired' });
    at(scenario, 30_000).thenFills('buy 1 @ 100 taker');
  });
});

describe('twapOrder: several at once', () => {
  it('two that were started in the same millisecond both have their turns', () => {
    const scenario = given(book('SOL', BIDS, DEEP))
      .when(twap())
      .when(twap({ size: '22' }));
    at(scenario, 1);
    at(scenario, 30_000).thenFills('buy 1 @ 100 taker', 'buy 2 @ 100 taker');
  });
});
