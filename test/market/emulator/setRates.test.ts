import { expect } from 'chai';
import { RATES_MAX, SetRates } from '../../../src/market/emulator/setRates.ts';

describe('emulated venue: the rates that a test sets', () => {
  it('keeps as many changes as the history has hours, the newest ones', () => {
    const rates = new SetRates();
    expect([rates.newest, rates.of(1)]).to.deep.equal([undefined, undefined]);
    for (let hour = 1; hour <= RATES_MAX + 1; hour++) rates.set(String(hour), hour);
    expect([rates.of(1), rates.of(2), rates.newest]).to.deep.equal([undefined, '2', String(RATES_MAX + 1)]);
  });
});
