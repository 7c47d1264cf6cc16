import { expect } from 'chai';
import type { FillRow } from '../../../src/actors/core/messages/historyRows.ts';
import { toPeriodHistory } from '../../../src/api/info/portfolio.ts';
import { Decimal } from '../../../src/shared/domain/decimal.ts';

const point = (timeMs: number, accountValue: string, pnl: string) => ({
  timeMs,
  accountValue: new Decimal(accountValue),
  pnl: new Decimal(pnl),
});
const fill = (timeMs: number, price: string, size: string) => ({ timeMs, price, size }) as FillRow;

const points = [point(100, '10000', '0'), point(300, '9995', '-5'), point(700, '10005', '5'), point(1000, '10015', '15')];
const fills = [fill(300, '50', '2'), fill(700, '25', '2')];

describe('a period of the portfolio', () => {
  it('from the opening on has every point', () => {
    expect(toPeriodHistory(points, fills, 100)).to.deep.equal({
      accountValueHistory: [
        [100, '10000.0'],
        [300, '9995.0'],
        [700, '10005.0'],
        [1000, '10015.0'],
      ],
      pnlHistory: [
        [100, '0.0'],
        [300, '-5.0'],
        [700, '5.0'],
        [1000, '15.0'],
      ],
      vlm: '150.0',
    });
  });

  it('that starts later counts PnL and volume from there', () => {
    expect(toPeriodHistory(points, fills, 500)).to.deep.equal({
      accountValueHistory: [
        [500, '9995.0'],
        [700, '10005.0'],
        [1000, '10015.0'],
      ],
      pnlHistory: [
        [500, '0.0'],
        [700, '10.0'],
        [1000, '20.0'],
      ],
      vlm: '50.0',
    });
  });

  it('begins with the oldest point that is known', () => {
    expect(toPeriodHistory(points.slice(2), fills, 500).accountValueHistory[0]).to.deep.equal([700, '10005.0']);
  });

  it('has few points whatever was traded, the present always among them', () => {
    const many = Array.from({ length: 880 }, (_, i) => point(101 + i, '10000', '0'));
    const { accountValueHistory, pnlHistory } = toPeriodHistory([...many, point(1000, '10015', '15')], [], 0);
    expect(accountValueHistory.length).to.be.within(30, 60);
    expect(accountValueHistory.at(-1)).to.deep.equal([1000, '10015.0']);
    expect(pnlHistory.map(([timeMs]) => timeMs)).to.deep.equal(accountValueHistory.map(([timeMs]) => timeMs));
  });
});
