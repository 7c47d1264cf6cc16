import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { openApi } from '../../../src/api/documents/openApi.ts';
import { EquityFigures } from '../../../src/api/domain/equityFigures.ts';
import { allEndpoints } from '../../../src/api/registry.ts';
import { type CurvePoint, gainOf, months, returnOf, underwater, upToNow } from '../../../src/dashboard/domain/figures/curve.ts';
import { dayLine } from '../../../src/dashboard/domain/figures/dayLine.ts';
import { EQUITY_FIGURES, TRADE_FIGURES } from '../../../src/dashboard/domain/figures/definitions.ts';
import { drawnPoints } from '../../../src/dashboard/domain/figures/drawnPoints.ts';

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

const SIZE = { width: 100, height: 80 };
const days = (...values: readonly (string | null)[]) => values.map((value, i) => ({ day: `2026-11-0${i + 1}`, value }));

describe('dayLine: a value for each day as a drawing', () => {
  it('keeps gaps, and has a dot where a day is alone', () => {
    const line = dayLine(days(null, '1', '-1', null, '0.5'), SIZE);
    // 1 is the top, -1 the bottom, 0 the middle and 0.5 a quarter of the way down.
    expect(line?.paths).to.deep.equal(['M25 0h0L50 80', 'M100 20h0']);
    expect(line?.zero).to.equal(40);
    expect([line?.first.day, line?.last.day]).to.deep.equal(['2026-11-02', '2026-11-05']);
    expect([line?.lowest.day, line?.highest.day]).to.deep.equal(['2026-11-03', '2026-11-02']);
  });

  it('has 0 in sight, whether all is above or below', () => {
    expect(dayLine(days('2', '4'), SIZE)).to.deep.include({ paths: ['M0 40h0L100 0'], zero: 80 });
    expect(dayLine(days('-2', '-4'), SIZE)).to.deep.include({ paths: ['M0 40h0L100 80'], zero: 0 });
    expect(dayLine(days('0', '0'), SIZE)).to.deep.include({ paths: ['M0 0h0L100 0'], zero: 0 });
  });

  it('is nothing without a value', () => {
    expect(dayLine(days(null, null), SIZE)).to.equal(undefined);
    expect(dayLine([], SIZE)).to.equal(undefined);
  });
});

/** Of the answer, but no figures. */
const FRAME = ['period', 'from', 'to', 'complete_since', 'account_terms', 'long', 'short', 'by_coin'];

describe('the dashboard’s figures', () => {
  const document = openApi(allEndpoints({ hasTestPayments: true, hasDashboard: true }), { publicUrl: 'http://127.0.0.1:3000' });
  const schemas = JSON.parse(JSON.stringify(document)).components.schemas;
  const namesOf = (schema: string): string[] => Object.keys(schemas[schema].properties);

  it('are all that the analytics answer, each once and with its meaning', () => {
    const shown = [...TRADE_FIGURES, ...EQUITY_FIGURES];
    expect(shown.map(({ name }) => name)).to.have.members(namesOf('Analytics').filter((name) => !FRAME.includes(name)));
    expect(TRADE_FIGURES.map(({ name }) => name)).to.have.members(namesOf('TradeFigures'));
    for (const { help, name } of shown) expect(help, name).to.match(/^[A-Z].{10,}\.$/);
  });

  it('are those that docs/analytics.md defines', () => {
    const page = readFileSync(new URL('../../../docs/analytics.md', import.meta.url), 'utf8');
    for (const { name } of [...TRADE_FIGURES, ...EQUITY_FIGURES]) expect(page, name).to.include(`\`${name}\``);
  });
});

const HOUR_MS = 3_600_000;
/** 2026-10-25 01:00 UTC, when clocks in Berlin were set back from 3 to 2. */
const SET_BACK_MS = Date.UTC(2026, 9, 25, 1);
const berlin = (timeMs: number): number => (timeMs < SET_BACK_MS ? 2 : 1) * HOUR_MS;

describe('points as a chart draws them', () => {
  const at = (minutes: number, value: string) => [SET_BACK_MS + minutes * 60_000, value] as const;
  /** Seconds after the moment at which clocks were set back, as UTC has it. */
  const drawn = (...points: readonly (readonly [number, string])[]) =>
    drawnPoints(points, berlin).map(([second, value]) => [second - SET_BACK_MS / 1_000, value]);

  it('are moved by what the zone is ahead', () => {
    expect(drawn(at(-120, '1'), at(120, '2.5'))).to.deep.equal([
      [0, 1],
      [10_800, 2.5],
    ]);
  });

  it('are never earlier than the one before, also in the hour that comes twice', () => {
    const points = [at(-30, '1'), at(-1, '2'), at(10, '3'), at(50, '4'), at(61, '5')];
    expect(drawn(...points)).to.deep.equal([
      [5_400, 1],
      [7_140, 4],
      [7_260, 5],
    ]);
  });

  it('of a second, the last is drawn', () => {
    const points = [[1_000, '1'] as const, [1_400, '2'] as const, [1_999, '3'] as const, [2_000, '4'] as const];
    expect(drawnPoints(points, () => 0)).to.deep.equal([
      [1, 3],
      [2, 4],
    ]);
  });
});
