import { expect } from 'chai';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { rowsOf } from '../../../src/actors/core/history/rowsOfEvents.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { mustStayInMemory } from '../../../src/actors/core/mustStayInMemory.ts';
import { nextDueMs } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { book, given, mark, place, type Scenario, wait } from '../../support/scenario.ts';

const SOL = 2;

type StartTwap = Extract<AccountCommand, { type: 'startTwap' }>;

/** Buys 11 SOL in 11 slices of 1 over five minutes, unless a field says otherwise. */
function twap(fields: Partial<Omit<StartTwap, 'type'>> = {}): StartTwap {
  return { type: 'startTwap', asset: SOL, side: 'buy', size: '11', minutes: 5, reduceOnly: false, randomize: false, ...fields };
}

const above = (price: string) => ({ price, above: true });
const below = (price: string) => ({ price, above: false });
const outcome = ({ outcome: is }: Scenario): string => (is && 'text' in is ? is.text : (is?.type ?? ''));

/** All changes of TWAPs so far, in words. */
const changes = (scenario: Scenario): string[] =>
  scenario.entries.flatMap((entry) =>
    rowsOf(entry).flatMap((row) => (row.kind === 'twaps' ? [`${row.row.change.status} ${row.row.twap.executedSize}`] : [])),
  );

/** Book and mark as they were, so much later: the market is fresh. */
function later(scenario: Scenario, ms: number): Scenario {
  const { market } = scenario;
  market.advance(ms - 1);
  market.setBook('SOL', { bids: [['99.9', '1000']], asks: [['100', '1000']] });
  market.setPrices('SOL', { mark: market.prices(SOL)?.markPrice.toString() ?? '100' });
  return scenario;
}

describe('twapOrder: trigger and stop price, when it is placed (rule 2.8)', () => {
  const cases: { name: string; order: Partial<StartTwap>; want: string }[] = [
    { name: 'a trigger that cannot be read', order: { trigger: above('1e2') }, want: 'Order has invalid price.' },
    { name: 'a trigger of zero', order: { trigger: below('0') }, want: 'Order has invalid price.' },
    {
      name: 'a trigger of six figures',
      order: { trigger: above('100.001') },
      want: 'Price must be divisible by tick size. asset=2',
    },
    { name: 'a trigger of five figures', order: { trigger: above('100.01') }, want: 'twapRunning' },
    { name: 'a stop of six figures', order: { stopPrice: '110.001' }, want: 'Price must be divisible by tick size. asset=2' },
    { name: 'a stop with too many decimals', order: { side: 'sell', stopPrice: '0.00001' }, want: 'Order has invalid price.' },
    {
      name: 'a buy with its stop at the mark',
      order: { stopPrice: '100' },
      want: 'TWAP stop price would be reached at its start.',
    },
    { name: 'a buy with its stop above the mark', order: { stopPrice: '100.01' }, want: 'twapRunning' },
    {
      name: 'a sell with its stop at the mark',
      order: { side: 'sell', stopPrice: '100' },
      want: 'TWAP stop price would be reached at its start.',
    },
    { name: 'a sell with its stop below the mark', order: { side: 'sell', stopPrice: '99.99' }, want: 'twapRunning' },
    {
      name: 'a stop that its trigger reaches',
      order: { trigger: above('110'), stopPrice: '110' },
      want: 'TWAP stop price would be reached at its start.',
    },
    { name: 'a stop beyond its trigger', order: { trigger: above('110'), stopPrice: '110.1' }, want: 'twapRunning' },
    {
      name: 'a stop between its trigger below and the mark',
      order: { trigger: below('90'), stopPrice: '95' },
      want: 'twapRunning',
    },
    { name: 'too small comes first', order: { size: '0.5', stopPrice: '100' }, want: 'TWAP order value too small. Min is $100.' },
  ];
  for (const { name, order, want } of cases) {
    it(`${name}: ${want}`, () => {
      const scenario = given(mark('SOL', '100')).when(twap(order));
      expect(outcome(scenario)).to.equal(want);
      if (want !== 'twapRunning') scenario.thenEvents();
    });
  }

  it('waiting ones count among the 100', () => {
    const scenario = given();
    for (let i = 0; i < 100; i++) scenario.given(twap({ trigger: above('110') }));
    expect(outcome(scenario.when(twap()))).to.equal('Exceeded max number of active TWAP orders.');
  });
});

describe('twapOrder: a trigger price (rule 2.8)', () => {
  it('EX-2.8e: it waits, and starts at the first mark at the price', () => {
    const scenario = given(twap({ trigger: above('101') }), wait(60_000));
    expect([nextDueMs(scenario.account), mustStayInMemory(scenario.account)]).to.deep.equal([undefined, true]);
    later(scenario, 1).when(mark('SOL', '100.99')).thenEvents();
    scenario.when(mark('SOL', '101')).thenEvents({ type: 'twapTriggered', slices: 11, markPrice: '101' });
    expect(nextDueMs(scenario.account)).to.equal(scenario.market.nowMs);
    scenario.when(wait(0)).thenFills('buy 1 @ 100 taker');
    later(scenario, 29_999).when(wait(0)).thenFills();
    later(scenario, 1).when(wait(0)).thenFills('buy 1 @ 100 taker');
    expect(changes(scenario)).to.deep.equal(['waitingForTrigger 0', 'activated 0']);
  });

  it('one below waits for a mark that falls', () => {
    const scenario = given(twap({ trigger: below('99') })).when(mark('SOL', '99.01'));
    scenario.thenEvents().when(mark('SOL', '99')).thenEvents({ type: 'twapTriggered' });
  });

  it('one that the mark has reached already starts at once', () => {
    const scenario = given(mark('SOL', '100')).when(twap({ trigger: above('100') }));
    scenario.thenEvents({ type: 'twapStarted' }).when(wait(0)).thenFills('buy 1 @ 100 taker');
    expect(changes(scenario)).to.deep.equal(['activated 0']);
  });

  it('its slices are those of its value when it starts', () => {
    const scenario = given(twap({ size: '1.05', trigger: below('60') }));
    scenario.given(book('SOL', [['59.9', '9']], [['60.1', '9']])).when(mark('SOL', '60'));
    scenario.thenEvents({ type: 'twapTriggered', slices: 6 });
  });

  it('a market that is not fresh starts none; the next fresh book does', () => {
    const scenario = given(twap({ trigger: above('101') }), wait(15_001)).when(mark('SOL', '102'));
    scenario.thenEvents().when(book('SOL', [['99.9', '9']], [['100', '9']]));
    scenario.thenEvents({ type: 'twapTriggered', markPrice: '102' });
  });

  it('a client ends one that waits; so does the end of the position of a reduce-only one', () => {
    const scenario = given(twap({ trigger: above('101') }));
    const [twapId = 0] = scenario.account.twaps.keys();
    scenario.when({ type: 'cancelTwap', asset: SOL, twapId }).thenEvents({ type: 'twapEnded' });
    const reducing = given(place({ tif: 'ioc', size: '11' }), twap({ side: 'sell', reduceOnly: true, trigger: above('101') }));
    reducing.when(place({ side: 'sell', tif: 'ioc', size: '11', limitPrice: '90' }));
    for (const each of [scenario, reducing]) expect(changes(each)).to.deep.equal(['waitingForTrigger 0', 'terminated 0']);
    scenario.when(mark('SOL', '102')).thenEvents();
  });

  it('a snapshot while it waits and while it runs goes on where it was', () => {
    const scenario = given(twap({ trigger: above('101'), stopPrice: '105' }));
    const again = () => fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
    expect(again().twaps).to.deep.equal(scenario.account.twaps);
    scenario.account = again();
    scenario.when(mark('SOL', '101')).thenEvents({ type: 'twapTriggered' });
    scenario.account = again();
    scenario.when(mark('SOL', '105')).thenEvents({ type: 'twapEnded' });
  });
});

describe('twapOrder: a stop price (rule 2.8)', () => {
  it('EX-2.8e: a buy ends at the first mark at its stop or above, and keeps what it has got', () => {
    const scenario = given(twap({ stopPrice: '101' }))
      .when(wait(0))
      .thenFills('buy 1 @ 100 taker');
    scenario.when(mark('SOL', '100.99')).thenEvents();
    scenario
      .when(mark('SOL', '101'))
      .thenEvents({ type: 'twapEnded', end: { status: 'stopped' } })
      .thenPosition('SOL', '1');
    later(scenario, 30_000).when(wait(0)).thenEvents();
    expect(changes(scenario)).to.deep.equal(['activated 0', 'stopped 1']);
  });

  it('a sell ends at its stop or below', () => {
    const scenario = given(twap({ side: 'sell', stopPrice: '99' })).when(mark('SOL', '99.01'));
    scenario
      .thenEvents()
      .when(mark('SOL', '99'))
      .thenEvents({ type: 'twapEnded', end: { status: 'stopped' } });
  });

  it('while it waits for its trigger the stop does nothing', () => {
    const scenario = given(twap({ trigger: below('90'), stopPrice: '95' })).when(mark('SOL', '96'));
    scenario.thenEvents().when(mark('SOL', '90')).thenEvents({ type: 'twapTriggered' });
    scenario.when(mark('SOL', '95')).thenEvents({ type: 'twapEnded', end: { status: 'stopped' } });
  });

  it('a mark that leaps over trigger and stop starts and ends it', () => {
    const scenario = given(twap({ trigger: above('101'), stopPrice: '103' })).when(mark('SOL', '104'));
    scenario.thenEvents({ type: 'twapTriggered' }, { type: 'twapEnded', end: { status: 'stopped' } });
  });

  it('a mark that came while no process was there ends it before its next slice', () => {
    const scenario = given(twap({ stopPrice: '101' })).when(wait(0));
    scenario.market.setPrices('SOL', { mark: '102' });
    scenario.market.advance(30_000);
    scenario.market.setBook('SOL', { bids: [['99.9', '9']], asks: [['100', '9']] });
    scenario.market.setPrices('SOL', { mark: '102' });
    scenario
      .when(wait(0))
      .thenFills()
      .thenEvents({ type: 'twapEnded', end: { status: 'stopped' } });
  });
});
