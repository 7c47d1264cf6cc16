// Numbers worked out by hand. Coins of the fixture market: SOL (asset 2, mark 100), ISO (asset 3, isolated only, mark 50).

import { expect } from 'chai';
import { fromSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { EMPTY_HOUSE, houseAfter } from '../../../../src/actors/core/history/houseLedger.ts';
import { rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import { mustStayInMemory } from '../../../../src/actors/core/mustStayInMemory.ts';
import { hourOf } from '../../../../src/market/domain/fundingRecords.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { HOUR_MS } from '../../../../src/shared/domain/units.ts';
import { START_MS } from '../../../support/fixtureMarket.ts';
import {
  addMargin,
  book,
  delist,
  given,
  givenUsd,
  leverage,
  type MarketMove,
  mark,
  place,
  placeGroup,
  type Scenario,
  stop,
  takeProfit,
  wait,
} from '../../../support/scenario.ts';

const HALTED = (asset: number) => `Trading is halted. asset=${asset}`;
/** Five of what is offered at 100: costs 500 and a fee of 0.225. */
const fiveLong = place({ size: '5', limitPrice: '100', tif: 'ioc' });
/** Ten ISO at 50 with 10x: costs 500 and 0.225, a bucket of 50 - 500 - 0.225. */
const tenIsolated = place({ asset: 3, size: '10', limitPrice: '50', tif: 'ioc' });
const cashOf = ({ account }: Scenario) => account.cash.toString();

describe('settleDelisted: a coin that the venue takes off its list (rule 5.6)', () => {
  it('edge 90: orders and children end delistedCanceled, the TWAP terminated, the position is settled, later orders are refused', () => {
    const scenario = given(
      fiveLong,
      place({ size: '2', limitPrice: '90' }, { asset: 1, size: '1', limitPrice: '1500' }),
      place(stop('95'), takeProfit('110')),
      placeGroup('normalTpsl', { size: '1', limitPrice: '91' }, takeProfit('120')),
      { type: 'startTwap', asset: 2, side: 'buy', size: '20', minutes: 5, reduceOnly: false, randomize: false },
    )
      .when(delist('SOL', '101.2345'))
      .thenEnds(...Array<string>(5).fill('delistedCanceled'))
      .thenPosition('SOL', '0')
      .thenOpen('buy 1 @ 1500')
      .thenWaiting()
      .when(place({ limitPrice: '100' }, { asset: 1, size: '1', limitPrice: '1400' }))
      .thenOutcomes(HALTED(2), 'resting')
      .when({ type: 'startTwap', asset: 2, side: 'buy', size: '20', minutes: 5, reduceOnly: false, randomize: false });
    expect(scenario.outcome).to.deep.equal({ type: 'twapRefused', text: HALTED(2) });
    const ends = scenario.entries.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'twapEnded' ? [event.end] : [])),
    );
    expect(ends).to.deep.equal([{ status: 'terminated' }]);
  });

  it('edge 90: the fill says Settlement, costs no fee, and is no volume', () => {
    const scenario = given(fiveLong);
    const { volumeUsd } = scenario.account.totals;
    scenario.when(delist('SOL', '101.2345'));
    // 10000 - 500 - 0.225 + 5 x 101.2345
    expect(cashOf(scenario)).to.equal('10005.9475');
    expect(scenario.account.totals.volumeUsd.toString()).to.equal(volumeUsd.toString());
    const [row] = rowsOf(scenario.entries.at(-1) as (typeof scenario.entries)[number]);
    expect(row).to.deep.include({ kind: 'fills', number: 1 });
    expect(row?.row).to.deep.include({
      direction: 'Settlement',
      side: 'sell',
      price: '101.2345',
      size: '5',
      startPosition: '5',
      closedPnl: '6.1725',
      fee: '0',
    });
  });

  it('edge 90: a short pays, and an isolated bucket goes back to cash with what it made', () => {
    const scenario = given(place({ side: 'sell', size: '5', limitPrice: '99.9', tif: 'ioc' }), tenIsolated, addMargin(3, '7'));
    scenario.when(delist('SOL', '101')).thenPosition('SOL', '0').thenPosition('ISO', '10');
    // short: 5 x 99.9 = 499.5, fee 0.224775, settled for 505; ISO: 50 + 7 moved to its bucket
    expect(cashOf(scenario)).to.equal('9937.275225');
    scenario.when(delist('ISO', '48.5')).thenPosition('ISO', '0');
    // the bucket -450 - 0.225 + 7 and 10 x 48.5
    expect(cashOf(scenario)).to.equal('9979.050225');
    expect(scenario.account.positions.size).to.equal(0);
  });

  it('edge 90: what an isolated bucket would owe is the house’s loss, cash stays', () => {
    const scenario = given(tenIsolated);
    const before = cashOf(scenario);
    // the bucket is -450.225: at 44 it is 10.225 short
    scenario.when(delist('ISO', '44')).thenEvents(
      { type: 'positionTakenOver', usd: '450.225', direction: 'Liquidated Isolated Long', price: '45.023' },
      {
        type: 'liquidated',
        marginMode: 'isolated',
        notional: '440',
        accountValue: '-10.225',
        houseLossUsd: '10.225',
        positions: [{ coin: 'ISO', signedSize: '10' }],
      },
    );
    expect(cashOf(scenario)).to.equal(before);
    const house = scenario.entries.flatMap(({ events }) => events).reduce(houseAfter, EMPTY_HOUSE);
    expect(house.cashUsd.toString()).to.equal('-450');
    expect(house.lossUsd.toString()).to.equal('10.225');
  });

  it('edge 90: cross cash that a settlement leaves below zero is paid by the house, in the same step', () => {
    const scenario = givenUsd('60', fiveLong);
    // 60 - 500.225 + 5 x 80 = -40.225
    scenario
      .when(delist('SOL', '80'))
      .thenEvents(
        { type: 'positionSettled', usd: '400' },
        { type: 'liquidated', marginMode: 'cross', paidUsd: '40.225', houseLossUsd: '40.225', positions: [] },
      );
    expect(cashOf(scenario)).to.equal('0');
  });

  it('edge 90: a settlement that leaves other positions without margin liquidates them in the same step', () => {
    const scenario = givenUsd('60', leverage(2, 20), fiveLong, place({ asset: 1, size: '0.2', limitPrice: '2000', tif: 'ioc' }));
    scenario.when(delist('SOL', '89')).thenPosition('SOL', '0').thenPosition('ETH', '0');
    expect(scenario.events.map(({ type }) => type)).to.include('liquidated');
    expect(scenario.account.cash.isNeg()).to.equal(false);
  });

  it('edge 90: funding that is known is settled first; a rate that comes later is paid at the next settlement', () => {
    const first = hourOf(START_MS) + HOUR_MS;
    const rate = (hourMs: number): MarketMove => {
      return (market) => {
        market.setFunding('SOL', hourMs, { rate: '0.0001', oracle: '100' });
        return undefined;
      };
    };
    const scenario = given(fiveLong, wait(first + 1 - START_MS), rate(first), wait(HOUR_MS));
    scenario.when(delist('SOL', '100'));
    expect(scenario.events.map(({ type }) => type)).to.deep.equal(['fundingSettled', 'positionSettled']);
    // 10000 - 500.225 - 0.05 + 500
    expect(cashOf(scenario)).to.equal('9999.725');
    expect(mustStayInMemory(scenario.account)).to.equal(true);
    scenario.when(rate(first + HOUR_MS)).when({ type: 'settleFunding', throughMs: first + 2 * HOUR_MS, hours: [] });
    expect(cashOf(scenario)).to.equal('9999.675');
    expect(mustStayInMemory(scenario.account)).to.equal(false);
  });

  it('edge 90: an hour whose rate never comes is forgotten a day later', () => {
    const first = hourOf(START_MS) + HOUR_MS;
    const scenario = given(fiveLong, wait(first + 1 - START_MS)).when(delist('SOL', '100'));
    const settle = (throughMs: number) => scenario.when({ type: 'settleFunding', throughMs, hours: [] });
    settle(first + 23 * HOUR_MS);
    expect(mustStayInMemory(scenario.account)).to.equal(true);
    settle(first + 24 * HOUR_MS);
    expect(mustStayInMemory(scenario.account)).to.equal(false);
    expect(cashOf(scenario)).to.equal('9999.775');
    expect(scenario.account.rowCounts.funding).to.equal(0);
  });

  it('edge 90: asked again, loaded anew or without anything in the coin, nothing happens', () => {
    const scenario = given(fiveLong, delist('SOL', '100'));
    scenario.when(delist('SOL', '100')).thenEvents();
    scenario.account = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
    scenario.when(delist('SOL', '99')).thenEvents();
    given(fiveLong).when(delist('ETH', '1')).thenEvents();
  });

  it('edge 90: while its price is not known the coin waits, and nobody can trade it', () => {
    const off: MarketMove = (market) => {
      market.delist('SOL');
      return 'delisted';
    };
    given(fiveLong, place({ size: '2', limitPrice: '90' }))
      .when(off)
      .thenEvents()
      .thenPosition('SOL', '5')
      .when(place({ side: 'sell', size: '5', limitPrice: '99', reduceOnly: true }))
      .thenOutcomes(HALTED(2));
  });

  it('edge 90: a scheduled cancel that was due before it ends all orders first', () => {
    const due: MarketMove = (market) => {
      market.advance(6000);
      market.delist('SOL', '100');
      return 'delisted';
    };
    given(place({ size: '2', limitPrice: '90' }, { asset: 1, size: '1', limitPrice: '1500' }), {
      type: 'scheduleCancel',
      dueMs: START_MS + 5010,
    })
      .when(due)
      .thenEnds('scheduledCancel', 'scheduledCancel')
      .thenOpen();
  });

  it('edge 90: books and marks of a settled coin move nothing any more', () => {
    given(fiveLong, delist('SOL', '100'))
      .when(book('SOL', [['1', '5']], [['2', '5']]))
      .thenEvents()
      .when(book('SOL', [['1', '5']], [['2', '5']]))
      .thenEvents()
      .when(mark('SOL', '1'))
      .thenEvents();
  });
});
