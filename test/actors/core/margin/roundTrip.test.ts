import { expect } from 'chai';
import { rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';
import { book, deposit, given, mark, place, Scenario } from '../../../support/scenario.ts';

const tripsOf = ({ entries }: Scenario) =>
  entries.flatMap((entry) => rowsOf(entry).flatMap(({ kind, row }) => (kind === 'roundTrips' ? [row] : [])));

describe('round trips (rule 7.3)', () => {
  it('EX-7.3: a flip ends one and begins the next, and the fee is split', () => {
    const scenario = given(place({ side: 'buy', size: '2', limitPrice: '100', tif: 'ioc' }));
    scenario.given(
      book('SOL', [['110', '5']], [['111', '5']]),
      place({ side: 'sell', size: '3', limitPrice: '110', tif: 'ioc' }),
    );
    const [first, ...others] = tripsOf(scenario);
    expect(others).to.deep.equal([]);
    expect(first).to.include({
      direction: 'long',
      pnlUsd: '20',
      feesUsd: '0.189',
      fundingUsd: '0',
      fills: 2,
      endedBy: 'Long > Short',
    });
    expect(first).to.include({ sizeMax: '2', openedSize: '2', openedUsd: '200' });
    scenario.given(book('SOL', [['109', '5']], [['110', '5']]), place({ side: 'buy', size: '1', limitPrice: '110', tif: 'ioc' }));
    expect(tripsOf(scenario)[1]).to.include({
      direction: 'short',
      pnlUsd: '0',
      feesUsd: '0.099',
      fills: 2,
      endedBy: 'Close Short',
    });
  });

  it('EX-7.3: each row has the sums up to it, by direction', () => {
    const scenario = given(place({ side: 'buy', size: '2', limitPrice: '100', tif: 'ioc' }));
    const flip = place({ side: 'sell', size: '3', limitPrice: '110', tif: 'ioc' });
    scenario.given(book('SOL', [['110', '5']], [['111', '5']]), flip);
    scenario.given(book('SOL', [['109', '5']], [['110', '5']]), place({ side: 'buy', size: '1', limitPrice: '110', tif: 'ioc' }));
    const long = { trips: 1, wins: 1, losses: 0, wonUsd: '19.811', lostUsd: '0', feesUsd: '0.189', fundingUsd: '0', heldMs: 1 };
    const short = { trips: 1, wins: 0, losses: 1, wonUsd: '0', lostUsd: '-0.099', feesUsd: '0.099', fundingUsd: '0', heldMs: 1 };
    const sums = tripsOf(scenario).map((row) => 'sums' in row && row.sums);
    expect(sums).to.deep.equal([{ long }, { long, short }]);
    expect(scenario.account.tripSums).to.deep.equal({ long, short });
  });

  it('a liquidation through fifteen levels is one loss', () => {
    const levels = Array.from({ length: 15 }, (_, i) => [String(57_400 - i), '0.06'] as const);
    const market = new FixtureMarket([
      { coin: 'BTC', sizeDecimals: 5, maxLeverage: 40, mark: '60000', bids: [['59999', '20']], asks: [['60000', '20']] },
    ]);
    const scenario = new Scenario(market).given(
      deposit('2800'),
      place({ asset: 0, size: '0.9', limitPrice: '60000', tif: 'ioc' }),
    );
    scenario.given(book('BTC', levels, [['57401', '5']])).when(mark('BTC', '57500'));
    expect(scenario.account.positions.size).to.equal(0);
    const fills = scenario.entries.flatMap((entry) => rowsOf(entry)).filter(({ kind }) => kind === 'fills');
    expect(fills).to.have.length(16);
    const trips = tripsOf(scenario);
    // 0.9 at 60,000, sold at 57,400 down to 57,386, 0.06 each.
    expect(trips.map((trip) => 'pnlUsd' in trip && [trip.pnlUsd, trip.fills, trip.endedBy])).to.deep.equal([
      ['-2346.3', 16, 'Close Long'],
    ]);
  });
});
