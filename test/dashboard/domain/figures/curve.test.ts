import { expect } from 'chai';
import fc from 'fast-check';
import { EquityFigures } from '../../../../src/api/domain/equityFigures.ts';
import {
  type CurvePoint,
  gainOf,
  months,
  returnOf,
  underwater,
  upToNow,
} from '../../../../src/dashboard/domain/figures/curve.ts';

const DAY_MS = 86_400_000;
const at = (day: string): number => Date.parse(`${day}T12:00:00.000Z`);
const point = (timeMs: number, equity: string, netDeposits = '1000.0'): CurvePoint => ({ timeMs, equity, netDeposits });

describe('the dashboard’s equity curve', () => {
  const curve = [point(at('2026-10-30'), '1000.0'), point(at('2026-11-02'), '1100.000001'), point(at('2026-11-03'), '990.0')];

  it('gains are exact and deposits are none', () => {
    expect(gainOf(curve)).to.equal('-10');
    expect(gainOf(curve.slice(0, 2))).to.equal('100.000001');
    expect(gainOf([curve[0] as CurvePoint, point(at('2026-11-01'), '1500.1', '1500.0')])).to.equal('0.1');
    expect(gainOf([])).to.equal('0');
  });

  it('each point is as far under water as it is below the peak before it', () => {
    const falls = underwater(curve).map(([, share]) => share);
    expect(falls.slice(0, 2)).to.deep.equal([0, 0]);
    expect(falls[2]).to.be.closeTo(-0.1, 1e-8);
    expect(underwater([])).to.deep.equal([]);
  });

  it('a withdrawal is no fall and an account without money has no return', () => {
    const taken = [
      point(at('2026-11-01'), '1000.0'),
      point(at('2026-11-02'), '400.0', '400.0'),
      point(at('2026-11-03'), '0.0', '0.0'),
    ];
    expect(underwater(taken).map(([, share]) => share)).to.deep.equal([0, 0, 0]);
    expect(returnOf([...taken, point(at('2026-11-04'), '50.0', '0.0')])).to.equal(0);
  });

  it('its deepest fall is the drawdown that the server tells of the same points', () => {
    const steps = fc.array(
      fc.record({ equity: fc.integer({ min: -900, max: 9_999 }), deposit: fc.integer({ min: -50, max: 500 }) }),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(steps, (values) => {
        let deposits = 1_000;
        const points = values.map(({ equity, deposit }, i) => {
          deposits += deposit;
          return point(i * DAY_MS, `${equity}.5`, `${deposits}.0`);
        });
        const server = new EquityFigures();
        for (const { timeMs, equity, netDeposits } of points)
          server.add({ timeMs, accountValue: equity, netDepositsUsd: netDeposits, openPositions: 1 });
        const deepest = Math.min(...underwater(points).map(([, share]) => share));
        expect(-deepest).to.be.closeTo(Number(server.tell().max_drawdown), 1e-4);
      }),
    );
  });

  it('months of UTC, newest first, each from the last point before it', () => {
    const rows = months([...curve, point(at('2026-12-01'), '1980.0', '1990.0')]);
    expect(rows.map(({ month, gain, equity }) => [month, gain, equity])).to.deep.equal([
      ['2026-12', '0', '1980.0'],
      ['2026-11', '-10', '990.0'],
      ['2026-10', '0', '1000.0'],
    ]);
    expect(rows[1]?.share).to.be.closeTo(-0.01, 1e-8);
    expect(months([])).to.deep.equal([]);
  });

  it('gains of the months add up to that of the curve', () => {
    const points = Array.from({ length: 200 }, (_, i) =>
      point(at('2026-01-15') + i * 2 * DAY_MS, `${1_000 + ((i * 37) % 91)}.25`),
    );
    const sum = months(points).reduce((total, { gain }) => total + Number(gain), 0);
    expect(sum).to.equal(Number(gainOf(points)));
  });

  it('ends with what the account is worth now, unless that is older than the answer', () => {
    const now = { seq: 7, timeMs: at('2026-11-04'), accountValue: '1234.5' };
    expect(upToNow(curve, 7, now).at(-1)).to.deep.equal(point(now.timeMs, '1234.5'));
    expect(upToNow(curve, 7, now)).to.have.length(3);
    expect(upToNow(curve, 8, now)).to.equal(curve);
    expect(upToNow(curve, 7, { ...now, timeMs: at('2026-11-02') })).to.equal(curve);
    expect(upToNow(curve, 7, undefined)).to.equal(curve);
    expect(upToNow([], 7, now)).to.deep.equal([]);
  });
});
