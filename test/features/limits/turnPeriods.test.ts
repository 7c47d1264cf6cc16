// The first thing that reaches an account on a new UTC day, or when its hours have turned, before the account is woken: whatever it is, it is
// judged by the new day and the hours of now.
import { expect } from 'chai';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import type { AccountLimits } from '../../../src/shared/domain/limits.ts';
import { FixtureMarket, START_MS } from '../../support/fixtureMarket.ts';
import {
  book,
  delist,
  deposit,
  given,
  type MarketMove,
  mark,
  type OrderFields,
  place,
  Scenario,
  trade,
  wait,
} from '../../support/scenario.ts';

const DAY_MS = 86_400_000;
const NEXT_DAY_MS = START_MS - (START_MS % DAY_MS) + DAY_MS;
/** More than a move of the market lets pass. */
const MOVE_MS = 10;
const BEFORE_MS = NEXT_DAY_MS - MOVE_MS;
const MINUTE = Math.floor((START_MS % DAY_MS) / 60_000);

const rules = (wanted: AccountLimits): AccountCommand => ({ type: 'setHouseRules', rules: wanted });
/** Costs 1,000.5 USD and a fee of 0.450225: at a mark of 90, 100.950225 USD are lost. */
const buy10 = place({ size: '10', limitPrice: '100.2', tif: 'ioc' });
const bids = (...levels: readonly (readonly [string, string])[]) => book('SOL', levels, [['200', '50']]);
/** The market's move at a time, before the account is woken. */
const at =
  (timeMs: number, move: MarketMove): MarketMove =>
  (market) => {
    market.advance(timeMs - market.nowMs);
    return move(market);
  };
const types = ({ events }: Scenario): string[] => events.map(({ type }) => type);

/** Its key has lost as much as it may on this day, and has sent this before. */
function lost(...orders: readonly OrderFields[]): Scenario {
  const scenario = new Scenario(new FixtureMarket(), NEWEST_FORMAT).given(deposit('10000'));
  scenario.key = { keyId: 'key_1', dailyLossUsd: '100' };
  scenario.given(buy10, place(...orders), mark('SOL', '90'));
  scenario.key = undefined;
  return scenario;
}

describe('a new UTC day: a key that had lost what it may', () => {
  const resting = { size: '2', limitPrice: '89' };
  const below: MarketMove = trade('SOL', ['sell', '88.9', '5']);

  it('a trade that reaches its resting order: ended on the day of the loss, filled from midnight on', () => {
    lost(resting).when(at(BEFORE_MS, below)).thenFills().thenEnds('canceled');
    const scenario = lost(resting).when(at(NEXT_DAY_MS, below)).thenFills('buy 2 @ 89 maker');
    expect(scenario.events[0]).to.deep.equal({ type: 'dayBegun', startMs: NEXT_DAY_MS, resultUsd: '-100.950225' });
  });

  it('a book that crosses it', () => {
    const crossed: MarketMove = (market) => {
      market.setPrices('SOL', { mark: '90' });
      return market.setBook('SOL', { bids: [['88', '5']], asks: [['88.5', '5']] });
    };
    lost(resting).when(at(BEFORE_MS, crossed)).thenFills();
    lost(resting).when(at(NEXT_DAY_MS, crossed)).thenFills('buy 2 @ 89 maker');
  });

  it('a mark at which its trigger opens', () => {
    const opens = { size: '2', limitPrice: '95', trigger: { price: '89', tpsl: 'tp' } } as const;
    const fires = at(NEXT_DAY_MS, (market) => {
      market.setBook('SOL', { bids: [['88.9', '5']], asks: [['89.1', '5']] });
      return market.setPrices('SOL', { mark: '89' });
    });
    const early = at(BEFORE_MS, (market) => {
      market.setBook('SOL', { bids: [['88.9', '5']], asks: [['89.1', '5']] });
      return market.setPrices('SOL', { mark: '89' });
    });
    lost(opens).when(early).thenFills().thenStatuses('triggered', 'rejected');
    // The day begins with the mark of 89: the loss to that mark belongs to the day before.
    const scenario = lost(opens).when(fires).thenFills('buy 2 @ 89.1 taker');
    expect(scenario.events[0]).to.deep.include({ type: 'dayBegun', resultUsd: '-110.950225' });
  });

  it('an action that has waited for its latency since the day before', () => {
    const scenario = new Scenario(new FixtureMarket(), NEWEST_FORMAT).given(deposit('10000'));
    scenario.key = { keyId: 'key_1', dailyLossUsd: '100' };
    scenario.given(buy10, mark('SOL', '90'), wait(NEXT_DAY_MS - 100 - START_MS));
    const note = { key: 'key_1', on: 'exchange' as const, number: 1, atMs: 1, draw: 1, delayMs: 50 };
    scenario.given(mark('SOL', '90'), bids(['80', '5']), {
      ...{ type: 'inLab', note, command: place({ limitPrice: '79' }) },
    } as AccountCommand);
    scenario.key = undefined;
    scenario.when(at(NEXT_DAY_MS, mark('SOL', '90')));
    expect(types(scenario)).to.deep.equal(['dayBegun', 'orderRested', 'delayedActionDecided']);
  });
});

describe('a new UTC day: an account whose loss was beyond its house rules', () => {
  const refuse = { dailyLoss: { usd: '100', act: 'refuse' } } as const;
  const close = { dailyLoss: { usd: '100', act: 'close' } } as const;

  it('a trade fills what the rule would have ended', () => {
    const scenario = () => given(rules(refuse), buy10, place({ size: '2', limitPrice: '89' }), mark('SOL', '90'));
    scenario()
      .when(at(BEFORE_MS, trade('SOL', ['sell', '88.9', '5'])))
      .thenEnds('canceled');
    const next = scenario().when(at(NEXT_DAY_MS, trade('SOL', ['sell', '88.9', '5'])));
    next.thenFills('buy 2 @ 89 maker');
    expect(next.account.house?.breaches).to.deep.equal([]);
  });

  for (const [name, step] of Object.entries({
    funding: { type: 'settleFunding', throughMs: NEXT_DAY_MS, hours: [] } as const,
    'a delisting of another coin': delist('BTC', '65000'),
    'a mark of another coin': mark('BTC', '65001'),
  })) {
    it(`${name} closes nothing that was left of the day before for want of a book`, () => {
      const scenario = given(rules(close)).given(place({ asset: 0, size: '0.001', limitPrice: '65100', tif: 'ioc' }));
      scenario.thenPosition('BTC', '0.001').given(buy10);
      scenario.given(book('BTC', [['1', '1']], [['65001', '1']]), bids(['50', '5']), mark('SOL', '90')).thenPosition('SOL', '10');
      expect(scenario.account.house?.breaches).to.have.length(1);
      scenario.given(bids(['89.9', '50']));
      // The levels of the later book are fresh.
      scenario.market.advance(NEXT_DAY_MS - scenario.market.nowMs);
      scenario.market.setBook('SOL', { bids: [['89.9', '50']], asks: [['200', '50']] });
      scenario.market.setPrices('SOL', { mark: '90' });
      scenario.when(step).thenPosition('SOL', '10');
      expect(types(scenario)[0]).to.equal('dayBegun');
    });
  }
});

describe('hours that have turned', () => {
  it('a mark before the account is woken closes nothing that was left open for want of a book', () => {
    // Over at 22:14, and on again at 22:16.
    const hours = { fromMinute: MINUTE + 3, toMinute: MINUTE + 1, act: 'close' } as const;
    const endMs = START_MS - (START_MS % 60_000) + 60_000;
    const scenario = given(rules({ hours }), buy10, bids(['50', '5']));
    scenario.given(at(endMs, mark('SOL', '100')), bids(['50', '5']), mark('SOL', '100')).thenPosition('SOL', '10');
    expect(scenario.account.house?.breaches.map(({ rule }) => rule)).to.deep.equal(['hours']);
    scenario.when(
      at(endMs + 120_000, (market) => {
        market.setBook('SOL', { bids: [['99.9', '50']], asks: [['200', '50']] });
        return market.setPrices('SOL', { mark: '100' });
      }),
    );
    scenario.thenEvents({ type: 'houseHoursTurned' }).thenPosition('SOL', '10');
  });

  it('a mark at the end of the hours, before the account is woken, closes what is open', () => {
    const hours = { fromMinute: MINUTE, toMinute: MINUTE + 1, act: 'close' } as const;
    const endMs = START_MS - (START_MS % 60_000) + 60_000;
    const scenario = given(rules({ hours }), buy10);
    const closes = (timeMs: number) =>
      at(timeMs, (market) => {
        market.setBook('SOL', { bids: [['99.9', '50']], asks: [['200', '50']] });
        return market.setPrices('SOL', { mark: '100' });
      });
    scenario.when(closes(endMs - MOVE_MS)).thenFills();
    scenario.when(closes(endMs)).thenFills('sell 10 @ 99.9 taker').thenPosition('SOL', '0');
  });
});
