import { expect } from 'chai';
import { rulesBody, valuesOf } from '../../../../../src/dashboard/pages/user/account/rulesBody.ts';

const SET = {
  daily_loss: { usd: '200.0', act: 'refuse' },
  drawdown: { percent: '10', act: 'close' },
  hours: { from: '08:00', to: '20:00', act: 'warn' },
  coins: { only: ['BTC', 'ETH'], act: 'refuse' },
} as const;
const NONE = { lost_usd: null, drawdown_percent: null, broken: [] };
const form = (values: ReadonlyMap<string, string>) => ({ get: (name: string) => values.get(name) ?? null });

describe('the form of house rules', () => {
  it('comes to the rules that it was filled with', () => {
    const values = valuesOf({ ...SET, coins: { ...SET.coins, only: [...SET.coins.only] }, ...NONE });
    expect(values.get('coins.only')).to.equal('BTC, ETH');
    expect(rulesBody(form(values))).to.deep.equal(SET);
  });

  it('has no rule whose fields are empty, whatever follows when it is broken', () => {
    const values = new Map([
      ['daily_loss.usd', ' '],
      ['daily_loss.act', 'close'],
      ['hours.from', '08:00'],
      ['hours.act', 'warn'],
      ['coins.only', ' , SOL ,'],
    ]);
    expect(rulesBody(form(values))).to.deep.equal({
      hours: { from: '08:00', to: '', act: 'warn' },
      coins: { only: ['SOL'], act: '' },
    });
  });
});
