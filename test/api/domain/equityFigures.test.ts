import { expect } from 'chai';
import {
  type EquityFigurePoint,
  EquityFigures,
  equityMonths,
  Falls,
  rollingSharpe,
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

function deepestOf(values: readonly number[]): number {
  const falls = new Falls();
  for (const [timeMs, value] of values.entries()) falls.add(timeMs, value);
  return falls.deepest()[0]?.depth ?? 0;
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
    it(`drawdown: ${name}`, () => expect(deepestOf(values)).to.be.closeTo(want, 1e-12));
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

  it('a deposit parts months and days no more than it is a gain: +10 %, then -10 %, 1,010 USD paid in, +5 %', () => {
    const figures = new EquityFigures();
    const rich = { netDepositsUsd: '1110' };
    const points = [at(28.5, '100'), at(29.5, '110'), at(30.2, '99'), at(31.1, '1109', rich), at(32.9, '1164.45', rich)];
    for (const point of points) figures.add(point);
    const days = figures.days();
    expect(days.map(({ day }) => day)).to.deep.equal(['2026-11-29', '2026-11-30', '2026-12-01', '2026-12-02', '2026-12-03']);
    const rounded = (value: number): number => Number(value.toFixed(9));
    expect(days.map(({ share }) => rounded(share))).to.deep.equal([0, 0.1, -0.1, 0, 0.05]);
    // 1.1 x 0.9 = 0.99 and x 1.05 = 1.0395; below the peak of 1.1: a tenth, and 0.0605 / 1.1 = 5.5 %.
    expect(days.map(({ growth }) => rounded(growth))).to.deep.equal([0, 0.1, -0.01, -0.01, 0.0395]);
    expect(days.map(({ deepest }) => rounded(deepest))).to.deep.equal([0, 0, 0.1, 0.1, 0.055]);
    expect(days.map(({ gainUsd }) => gainUsd.toFixed())).to.deep.equal(['0', '10', '-11', '0', '55.45']);
    const months = equityMonths(days).map(({ share, gainUsd, ...month }) => ({
      ...month,
      share: rounded(share),
      gain: gainUsd.toFixed(),
    }));
    expect(months).to.deep.equal([
      { month: '2026-11', accountValue: '110', share: 0.1, gain: '10' },
      { month: '2026-12', accountValue: '1164.45', share: -0.055, gain: '44.45' },
    ]);
  });

  it('a day is as deep as its deepest point, and a fall ends where its peak is reached again', () => {
    const figures = new EquityFigures();
    for (const point of [at(0, '100'), at(1.1, '80'), at(1.2, '100'), at(2.5, '90'), at(4.5, '95'), at(4.6, '90')])
      figures.add(point);
    expect(figures.days().map(({ deepest }) => Number(deepest.toFixed(9)))).to.deep.equal([0, 0.2, 0.1, 0.1, 0.1]);
    const hours = (ms: number | undefined): number | undefined => ms && Math.round((ms - START_MS) / 3_600_000);
    const falls = figures.falls().map(({ peakMs, deepestMs, endMs, depth }) => ({
      ...{ peak: hours(peakMs), deepest: hours(deepestMs), end: hours(endMs), depth: Number(depth.toFixed(9)) },
    }));
    expect(falls).to.deep.equal([
      { peak: 0, deepest: 26, end: 29, depth: 0.2 },
      { peak: 29, deepest: 60, end: undefined, depth: 0.1 },
    ]);
  });

  it('who has lost all, or owes more than he had, has lost 100 %; the days after it count what is paid in then', () => {
    for (const rest of ['0', '-25']) {
      const figures = new EquityFigures();
      const paid = { netDepositsUsd: '300' };
      // 100, +10 %, all lost; 200 are paid in beside what is owed, which gain a tenth and then a half, and lose a half.
      const worth = 200 + Number(rest);
      const points = [at(0, '100'), at(0.5, '110'), at(1.2, rest), at(2.1, `${worth}`, paid), at(2.5, `${worth * 1.1}`, paid)];
      for (const point of [...points, at(3.1, `${worth * 1.65}`, paid), at(3.2, `${worth * 0.825}`, paid)]) figures.add(point);
      const rounded = (value: number): number => Number(value.toFixed(9));
      const days = figures.days();
      expect(
        days.map(({ share }) => rounded(share)),
        rest,
      ).to.deep.equal([0.1, -1, 0.1, -0.25]);
      expect(
        days.map(({ growth }) => rounded(growth)),
        rest,
      ).to.deep.equal([0.1, -1, -1, -1]);
      expect(
        days.map(({ deepest }) => rounded(deepest)),
        rest,
      ).to.deep.equal([0, 1, 1, 1]);
      expect(
        equityMonths(days).map(({ share }) => rounded(share)),
        rest,
      ).to.deep.equal([-1]);
      expect(figures.tell().max_drawdown, rest).to.equal('1');
    }
  });

  it('of many falls the five deepest are told', () => {
    const falls = new Falls();
    let timeMs = 0;
    for (const depth of [3, 8, 1, 5, 2, 7, 4, 6]) for (const index of [100, 100 - depth]) falls.add(timeMs++, index);
    expect(falls.deepest().map(({ depth }) => Math.round(depth * 100))).to.deep.equal([8, 7, 6, 5, 4]);
  });

  it('rolling Sharpe: of 30 returns, 2 % and 0 in turn: the mean is 1 %, the deviation 1 % times the root of 30 / 29', () => {
    const returns = Array.from({ length: 31 }, (_, i) => (i % 2 === 0 ? 0.02 : 0));
    const sharpes = rollingSharpe(returns);
    expect(sharpes.slice(0, 29).every((sharpe) => sharpe === undefined)).to.equal(true);
    expect(sharpes).to.have.length(31);
    for (const sharpe of sharpes.slice(29)) expect(sharpe).to.be.closeTo(Math.sqrt((365 * 29) / 30), 1e-9);
    // With 31 days it is the first that leaves: a loss on it is forgotten.
    expect(rollingSharpe([-0.5, ...returns.slice(0, 30)])[30]).to.be.closeTo(Math.sqrt((365 * 29) / 30), 1e-9);
    expect(rollingSharpe(Array.from({ length: 30 }, () => 0.01))[29]).to.equal(undefined);
  });
});
