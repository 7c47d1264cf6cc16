import { expect } from 'chai';
import type { RoundTripRow } from '../../../src/actors/core/messages/historyRows.ts';
import { TripFigures } from '../../../src/api/domain/tradeFigures.ts';

const trip = (fields: Partial<RoundTripRow>): RoundTripRow => ({
  ...{ openedAtMs: 1_000, openedSeq: 2, fills: 2, direction: 'long', sizeMax: '1', openedSize: '1', openedUsd: '100' },
  ...{ pnlUsd: '0', feesUsd: '0', fundingUsd: '0', timeMs: 2_000, coin: 'SOL', tid: 1, endedBy: 'Close Long', sums: {} },
  ...fields,
});

function told(...trips: Partial<RoundTripRow>[]) {
  const figures = new TripFigures();
  for (const one of trips) figures.add(trip(one));
  return figures.tell();
}

describe('tripFigures: round trips net of fees and funding, worked out by hand', () => {
  it('a gain that fees and funding eat is a loss', () => {
    // 1 - 0.7 - 0.4 = -0.1; 30 - 2 + 1 = 29; -20 - 1 = -21.
    const figures = told(
      { pnlUsd: '1', feesUsd: '0.7', fundingUsd: '-0.4' },
      { pnlUsd: '30', feesUsd: '2', fundingUsd: '1', timeMs: 61_000 },
      { pnlUsd: '-20', feesUsd: '1' },
    );
    expect(figures).to.deep.include({ trades: 3, wins: 1, losses: 2, win_rate: '0.333333', profit_factor: '1.374408' });
    expect(figures).to.deep.include({ average_win: '29.0', average_loss: '-10.55', expectancy: '2.633333' });
    expect(figures).to.deep.include({ largest_win: '29.0', largest_loss: '-21.0', average_hold: '20.666667' });
  });

  it('one at exactly 0 is neither; without any, nothing is divided', () => {
    expect(told({ pnlUsd: '1', feesUsd: '1' })).to.deep.include({
      trades: 1,
      wins: 0,
      losses: 0,
      win_rate: '0.0',
      profit_factor: null,
    });
    expect(told()).to.deep.include({ trades: 0, win_rate: null, expectancy: null, average_hold: null, largest_win: '0.0' });
  });
});
