import { expect } from 'chai';
import {
  type EquityFigurePoint,
  EquityFigures,
  maxDrawdown,
  sharpeRatio,
  sortinoRatio,
} from '../../../src/api/domain/equityFigures.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-11-01T00:00:00Z');
const at = (days: number, accountValue: string, fields: Partial<EquityFigurePoint> = {}): EquityFigurePoint => ({
  ...{ timeMs: START_MS + days * DAY_MS, accountValue, netDepositsUsd: '100', openPositions: 0 },
  ...fields,
});

/** Of all points, added one by one. */
function figuresOf(points: readonly EquityFigurePoint[]) {
  const figures = new EquityFigures();
  for (const point of points) figures.add(point);
  return figures.tell();
}

describe('equityFigures: worked out by hand', () => {
  const drawdowns: [string, number[], number][] = [
    ['only up', [1, 2, 3], 0],
    ['half of the peak', [1, 2, 1, 3], 0.5],
    ['the larger of two falls', [10, 9, 20, 15], 0.25],
    ['a new peak does not hide an old fall', [10, 5, 20, 19], 0.5],
    ['nothing', [], 0],
  ];
  for (const [name, values, want] of drawdowns) {
    it(`drawdown: ${name}`, () => expect(maxDrawdown(values)).to.be.closeTo(want, 1e-12));
  }

  it('Sharpe of 1 %, 3 %: mean 2 %, deviation of a sample 1.4142 %', () => {
    expect(sharpeRatio([0.01, 0.03])).to.be.closeTo((0.02 / (0.02 / Math.SQRT2)) * Math.sqrt(365), 1e-9);
    expect(sharpeRatio([0.01])).to.equal(undefined);
    expect(sharpeRatio([0, 0])).to.equal(undefined);
  });

  it('Sortino of 4 %, -2 %: mean 1 %, downside over both days 1.4142 %', () => {
    expect(sortinoRatio([0.04, -0.02])).to.be.closeTo((0.01 / (0.02 / Math.SQRT2)) * Math.sqrt(365), 1e-9);
    expect(sortinoRatio([0.04, 0.02])).to.equal(undefined);
  });

  it('a deposit is no gain: drawdown and returns leave it out', () => {
    const figures = figuresOf([
      at(0, '100'),
      at(1, '1100', { netDepositsUsd: '1100' }),
      at(2, '550', { netDepositsUsd: '1100' }),
    ]);
    expect(figures.max_drawdown).to.equal('0.5');
  });

  it('exposure is the time with a position: a quarter of four days', () => {
    const figures = figuresOf([at(0, '100'), at(1, '100', { openPositions: 2 }), at(2, '100'), at(4, '100')]);
    expect(figures).to.deep.include({ exposure_time: 86_400, exposure_share: '0.25' });
  });

  it('days without a point return nothing, and count', () => {
    // Days: +10 %, 0, 0, -10 % of 110.
    const figures = figuresOf([at(0, '100'), at(0.5, '110'), at(3.5, '99')]);
    const [mean, returns] = [0, [0.1, 0, 0, -0.1]];
    const deviation = Math.sqrt(returns.reduce((sum, r) => sum + (r - mean) ** 2, 0) / 3);
    expect(Number(figures.sharpe_ratio)).to.be.closeTo((mean / deviation) * Math.sqrt(365), 1e-6);
    expect(figures.max_drawdown).to.equal('0.1');
  });
});
