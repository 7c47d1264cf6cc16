import { expect } from 'chai';
import { emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { orderValueMax } from '../../../../src/actors/core/checks/checkForm.ts';
import { mayRest } from '../../../../src/actors/core/checks/checkOrder.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import { FIXTURE_COINS, FixtureMarket } from '../../../support/fixtureMarket.ts';

describe('orderLimits: how large and how many (rule 1.5)', () => {
  const [coin] = FIXTURE_COINS;
  if (!coin) throw new Error('no coin to trade');

  const values = [
    { maxLeverage: 50, market: 30_000_000 },
    { maxLeverage: 25, market: 30_000_000 },
    { maxLeverage: 24, market: 5_000_000 },
    { maxLeverage: 20, market: 5_000_000 },
    { maxLeverage: 19, market: 2_000_000 },
    { maxLeverage: 10, market: 2_000_000 },
    { maxLeverage: 9, market: 500_000 },
  ];
  for (const { maxLeverage, market } of values) {
    it(`${maxLeverage}x at most: ${market} USD at once, ten times that as a limit order`, () => {
      const asset = { ...new FixtureMarket([coin]).require(coin.coin), maxLeverage };
      expect(orderValueMax(asset, { immediate: true })).to.equal(market);
      expect(orderValueMax(asset, { immediate: false })).to.equal(market * 10);
    });
  }

  const counts = [
    { volume: '0', openOrders: 999, want: 'rests' },
    { volume: '0', openOrders: 1000, want: 'is refused' },
    { volume: '4999999', openOrders: 1000, want: 'is refused' },
    { volume: '12000000', openOrders: 1001, want: 'rests' },
    { volume: '12000000', openOrders: 1002, want: 'is refused' },
    { volume: '100000000000', openOrders: 4999, want: 'rests' },
    { volume: '100000000000', openOrders: 5000, want: 'is refused' },
    { volume: '100000000000', openOrders: 1000, isRefusedFirst: true, want: 'is refused' },
    { volume: '0', openOrders: 999, isRefusedFirst: true, want: 'rests' },
  ];
  for (const { volume, openOrders, isRefusedFirst = false, want } of counts) {
    it(`${isRefusedFirst ? 'a reduce-only order' : 'one more'} beside ${openOrders} ${want} at a volume of ${volume} USD`, () => {
      const account = emptyAccount('someone');
      const traded = { ...account, totals: { ...account.totals, volumeUsd: new Decimal(volume) } };
      expect(mayRest(traded, { openOrders, isRefusedFirst })).to.equal(want === 'rests');
    });
  }
});
