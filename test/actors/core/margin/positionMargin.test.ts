import { expect } from 'chai';
import fc from 'fast-check';
import {
  defaultLeverage,
  leverageOf,
  maintenanceMargin,
  maintenanceTiers,
  tierOf,
} from '../../../../src/actors/core/margin/positionMargin.ts';
import type { MarginTier } from '../../../../src/market/domain/asset.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
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

const table = (...rows: readonly (readonly [lowerBound: number, maxLeverage: number])[]): MarginTier[] =>
  rows.map(([lowerBound, maxLeverage]) => ({ lowerBound: new Decimal(lowerBound), maxLeverage }));

const TESTNET_BTC = table([0, 40], [10_000, 25], [50_000, 10]);
const TEN_FIVE = table([0, 10], [3_000_000, 5]);
const ETH = table([0, 25], [100_000_000, 15]);

describe('marginTiers: maintenance by notional', () => {
  it('EX-4.3: deductions that make the steps meet', () => {
    expect(maintenanceTiers(TESTNET_BTC).map(({ deduction }) => deduction.toNumber())).to.deep.equal([0, 75, 1575]);
  });

  const cases: { name: string; tiers: MarginTier[]; notional: string; want: string }[] = [
    { name: 'EX-4.3 second tier', tiers: TESTNET_BTC, notional: '12073.655', want: '166.4731' },
    { name: 'EX-4.3 first tier', tiers: TESTNET_BTC, notional: '5873.49', want: '73.418625' },
    { name: 'EX-4.3b', tiers: TEN_FIVE, notional: '5000000', want: '350000' },
    { name: 'at a boundary', tiers: TEN_FIVE, notional: '3000000', want: '150000' },
    { name: 'just above a boundary', tiers: TEN_FIVE, notional: '3000000.00001', want: '150000.000001' },
    { name: 'cut after 6 decimals (EX-5.2)', tiers: table([0, 50]), notional: '100.02765', want: '1.000276' },
    { name: 'a sixth', tiers: table([0, 3]), notional: '10', want: '1.666666' },
    { name: 'a whole number between two thirds is not cut below itself', tiers: ETH, notional: '100000030', want: '2000001' },
  ];
  for (const { name, tiers, notional, want } of cases) {
    it(name, () => expect(maintenanceMargin(tiers, new Decimal(notional)).toFixed()).to.equal(want));
  }

  it('a boundary belongs to the lower tier', () => {
    expect(tierOf(TEN_FIVE, new Decimal(3_000_000)).maxLeverage).to.equal(10);
    expect(tierOf(TEN_FIVE, new Decimal('3000000.000001')).maxLeverage).to.equal(5);
  });

  it('invariant 20: increasing in the notional and without a jump', () => {
    const notional = fc.bigInt({ min: 0n, max: 10n ** 13n }).map((micros) => new Decimal(micros.toString()).div(1e6));
    fc.assert(
      fc.property(fc.constantFrom(TESTNET_BTC, TEN_FIVE), notional, notional, (tiers, a, b) => {
        const [low, high] = a.lt(b) ? [a, b] : [b, a];
        const step = maintenanceMargin(tiers, high).minus(maintenanceMargin(tiers, low));
        expect(step.gte(0)).to.equal(true);
        // No tier asks for more than a tenth of what is added.
        expect(step.lte(high.minus(low).times('0.1').plus('0.000001'))).to.equal(true);
      }),
    );
  });
});
