// The worked examples and tables of the venue's documentation that stand beside no rule of ours: the numbers here are
// worked out by hand from the page's own figures.
import { expect } from 'chai';
import { maintenanceMargin, maintenanceTiers } from '../../src/actors/core/margin/positionMargin.ts';
import type { ShardCommand } from '../../src/actors/core/messages/shardCommand.ts';
import { type MarginTier, toAssets } from '../../src/market/domain/asset.ts';
import { fractionText, fundingRate } from '../../src/market/emulator/path.ts';
import { Decimal } from '../../src/shared/domain/decimal.ts';
import { HOUR_MS } from '../../src/shared/domain/units.ts';
import { ExchangeInMemory } from '../support/exchangeInMemory.ts';
import { orderAction } from '../support/orderWire.ts';
import { readRecording } from '../support/recordings.ts';
import { book, deposit, type MarketMove, mark, place, Scenario } from '../support/scenario.ts';

const BTC = 0;

describe('trading/margin-tiers.md: the tiers of each group of coins', () => {
  /** Coins of the page, bound in USD, maximum below and above it; the deduction above it, and the margin at a notional. */
  const groups = [
    { coins: 'BTC', bound: 150e6, max: [40, 20], deduction: '1875000', at: ['200000000', '3125000'] },
    { coins: 'ETH', bound: 100e6, max: [25, 15], deduction: '1333333.333333', at: ['130000000', '3000000'] },
    { coins: 'SOL', bound: 70e6, max: [20, 10], deduction: '1750000', at: ['100000000', '3250000'] },
    { coins: 'XRP', bound: 40e6, max: [20, 10], deduction: '1000000', at: ['50000000', '1500000'] },
    {
      coins: 'AAVE ADA APT AVAX BCH CRV DOGE ENA FARTCOIN HYPE kBONK kPEPE LINK LTC NEAR PUMP SUI TRUMP UNI WLD ZEC',
      bound: 20e6,
      max: [10, 5],
      deduction: '1000000',
      at: ['30000000', '2000000'],
    },
    {
      coins: 'ARB BNB DOT JUP kSHIB MKR ONDO PAXG TON TRX XPL',
      bound: 3e6,
      max: [10, 5],
      deduction: '150000',
      at: ['5000000', '350000'],
    },
  ] as const;
  const listed = new Map(toAssets(readRecording('info.meta').response as never).map((asset) => [asset.coin, asset]));

  for (const { coins, bound, max, deduction, at } of groups) {
    it(`${coins.split(' ')[0]}: ${max[0]}x up to ${bound / 1e6}M, ${max[1]}x above`, () => {
      const tiers = tiersOf([0, max[0]], [bound, max[1]]);
      expect(maintenanceTiers(tiers)[1]?.deduction.toDecimalPlaces(6, Decimal.ROUND_DOWN).toFixed()).to.equal(deduction);
      expect(maintenanceMargin(tiers, new Decimal(at[0])).toFixed()).to.equal(at[1]);
      const below = new Decimal(bound).div(2 * max[0]);
      expect(maintenanceMargin(tiers, new Decimal(bound)).toFixed(), 'the steps meet').to.equal(below.toFixed());
    });

    for (const coin of coins.split(' ').filter((name) => listed.has(name) && listed.get(name)?.isDelisted !== true)) {
      it(`${coin} has them in the recorded meta`, () => {
        const bounds = listed.get(coin)?.marginTiers.map(({ lowerBound, maxLeverage }) => [lowerBound.toNumber(), maxLeverage]);
        expect(bounds).to.deep.equal([
          [0, max[0]],
          [bound, max[1]],
        ]);
      });
    }
  }

  it('the test network has three tiers for ETH: 20,000 at 25x, 50,000 at 10x, more at 5x', () => {
    const tiers = tiersOf([0, 25], [20_000, 10], [50_000, 5]);
    expect(maintenanceTiers(tiers).map(({ deduction }) => deduction.toNumber())).to.deep.equal([0, 600, 3100]);
    expect(maintenanceMargin(tiers, new Decimal('30000')).toFixed()).to.equal('900');
    expect(maintenanceMargin(tiers, new Decimal('60000')).toFixed()).to.equal('2900');
  });

  for (const [max, want] of [
    [40, '12500'],
    [20, '25000'],
    [3, '166666.666666'],
  ] as const) {
    it(`half of the initial margin at ${max}x: ${want} of 1,000,000`, () =>
      expect(maintenanceMargin(tiersOf([0, max]), new Decimal('1000000')).toFixed()).to.equal(want));
  }
});

describe('trading/funding.md: the numerical example', () => {
  it('an impact bid of 10,100 over 10,000 is a premium of 1 %, 0.95 % for eight hours, an eighth of it each hour', () => {
    const premium = (10_100 - 10_000) / 10_000;
    expect(fractionText(fundingRate(premium) * 8)).to.equal('0.0095');
    expect(fractionText(fundingRate(premium))).to.equal('0.0011875');
  });

  for (const { premium, want } of [
    { premium: 0, want: '0.0000125' },
    { premium: 0.0006, want: '0.0000125' },
    { premium: -0.0004, want: '0.0000125' },
    { premium: -0.01, want: '-0.0011875' },
    { premium: 0.3204, want: '0.0399875' },
    { premium: 0.5, want: '0.04' },
    { premium: -0.5, want: '-0.04' },
  ]) {
    it(`a premium of ${premium * 100} %: ${want} an hour`, () => expect(fractionText(fundingRate(premium))).to.equal(want));
  }

  it('a long of 10 BTC pays 118.75 for the hour: by the oracle price 10,000, not by the mark 10,100', () => {
    const hourMs = Date.parse('2026-11-20T01:00:00Z');
    const at =
      (timeMs: number): MarketMove =>
      (market) => {
        market.nowMs = timeMs;
        market.setPrices('BTC', { mark: '10100', oracle: '10000' });
        return market.setBook('BTC', { bids: [['10099', '20']], asks: [['10100', '20']] });
      };
    const settle: ShardCommand = {
      type: 'settleFunding',
      throughMs: hourMs,
      hours: [{ hourMs, coins: { BTC: [fractionText(fundingRate(0.01)), '10000'] } }],
    };
    const buy = place({ asset: BTC, side: 'buy', limitPrice: '10100', size: '10', tif: 'ioc' });
    const scenario = new Scenario().given(at(hourMs - 1_800_000), deposit('100000'), buy, at(hourMs + HOUR_MS / 60));
    const before = scenario.account.cash;
    expect(scenario.asked(settle).account.cash.minus(before).toFixed()).to.equal('-118.75');
  });
});

describe('trading/contract-specifications.md: no limit on a position', () => {
  it('two market orders of 25M USD make one of 50M', () => {
    const levels = [['65000', '1000']] as const;
    const buy = place({ asset: BTC, side: 'buy', limitPrice: '65000', size: '384.61538', tif: 'ioc' });
    const scenario = new Scenario().given(deposit('10000000'), mark('BTC', '65000'), book('BTC', [['64999', '1000']], levels));
    scenario.when(buy).when(buy).thenPosition('BTC', '769.23076');
  });
});

describe('trading/fees.md: the formula for developers', () => {
  it('with the figures of userFees gives the fee that is charged', async () => {
    const exchange = new ExchangeInMemory();
    exchange.setMarket('BTC', { mark: '65000', bids: [['64999', '3']], asks: [['65000', '3']] });
    const fees = await exchange.info({ type: 'userFees' });
    const discount = Number(fees.activeReferralDiscount);
    const [taker, maker] = [fees.userCrossRate, fees.userAddRate].map((rate) => Number(rate) * 100 * (1 - discount));
    expect([taker, maker]).to.deep.equal([0.045, 0.015]);

    await exchange.exchange(orderAction(BTC, { px: '65000', sz: '0.01', tif: 'Ioc' }));
    const [fill] = await exchange.info({ type: 'userFills' });
    expect(fill.fee, '650 USD at 0.045 %').to.equal('0.2925');
  });
});

function tiersOf(...rows: readonly (readonly [lowerBound: number, maxLeverage: number])[]): MarginTier[] {
  return rows.map(([lowerBound, maxLeverage]) => ({ lowerBound: new Decimal(lowerBound), maxLeverage }));
}
