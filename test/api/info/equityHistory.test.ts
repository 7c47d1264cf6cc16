import { expect } from 'chai';
import { type EquityNow, type EquityStep, toPeriodHistory } from '../../../src/api/info/equityHistory.ts';
import { Decimal, ZERO } from '../../../src/shared/domain/decimal.ts';

const usd = (text: string) => new Decimal(text);
const step = (timeMs: number, fields: Partial<Omit<EquityStep, 'timeMs'>>): EquityStep => ({
  timeMs,
  pnl: ZERO,
  deposit: ZERO,
  notional: ZERO,
  ...fields,
});
const now: EquityNow = { timeMs: 1000, openedAtMs: 100, accountValue: usd('10015'), unrealizedPnl: usd('10') };
const steps = [
  step(100, { deposit: usd('10000') }),
  step(300, { pnl: usd('-5'), notional: usd('100') }),
  step(700, { pnl: usd('10'), notional: usd('50') }),
];

describe('equity over a period, from the account’s rows', () => {
  it('begins with the deposit and ends with what is open', () => {
    expect(toPeriodHistory(steps, now, 0)).to.deep.equal({
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

  it('of a later start counts PnL and volume from there', () => {
    expect(toPeriodHistory(steps, now, 500)).to.deep.equal({
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

  it('keeps a deposit out of the PnL', () => {
    const topUp = [...steps, step(800, { deposit: usd('1000') })];
    const { pnlHistory } = toPeriodHistory(topUp, { ...now, accountValue: usd('11015') }, 0);
    expect(pnlHistory.at(-1)).to.deep.equal([1000, '15.0']);
  });

  it('has few points whatever was traded, the present always among them', () => {
    const many = [
      step(100, { deposit: usd('10000') }),
      ...Array.from({ length: 880 }, (_, i) => step(101 + i, { pnl: usd('0.01') })),
    ];
    const { accountValueHistory, pnlHistory } = toPeriodHistory(many, now, 0);
    expect(accountValueHistory.length).to.be.within(30, 60);
    expect(accountValueHistory.at(-1)).to.deep.equal([1000, '10015.0']);
    expect(pnlHistory.map(([timeMs]) => timeMs)).to.deep.equal(accountValueHistory.map(([timeMs]) => timeMs));
  });
});
