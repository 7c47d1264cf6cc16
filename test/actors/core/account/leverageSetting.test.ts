import { expect } from 'chai';
import { defaultLeverage, leverageOf } from '../../../../src/actors/core/margin/positionMargin.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';

const market = new FixtureMarket();

describe('leverageSetting: what counts without a setting (rule 4.2)', () => {
  const cases = [
    { coin: 'BTC', want: { marginMode: 'cross', leverage: 20 } },
    { coin: 'TIER', want: { marginMode: 'cross', leverage: 10 } },
    { coin: 'GONE', want: { marginMode: 'cross', leverage: 3 } },
    { coin: 'ISO', want: { marginMode: 'isolated', leverage: 10 } },
  ];
  for (const { coin, want } of cases) {
    it(`${coin}: ${want.leverage}x ${want.marginMode}`, () => expect(defaultLeverage(market.require(coin))).to.deep.equal(want));
  }

  it('a setting of the user wins', () => {
    const btc = market.require('BTC');
    const leverage = new Map([[btc.id, { marginMode: 'isolated' as const, leverage: 3 }]]);
    expect(leverageOf({ leverage }, btc)).to.deep.equal({ marginMode: 'isolated', leverage: 3 });
    expect(leverageOf({ leverage }, market.require('ETH')).leverage).to.equal(20);
  });
});
