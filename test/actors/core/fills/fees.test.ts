import { expect } from 'chai';
import fc from 'fast-check';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import { FEE_RATES, feeOf, ratesOfTier, tierOfVolume, tierVolume } from '../../../../src/shared/domain/fees.ts';

describe('fees: cut after 6 decimals, by the role of the fill', () => {
  const cases: { name: string; notional: string; liquidity: 'maker' | 'taker'; want: string }[] = [
    { name: 'EX-7.1 maker, recorded', notional: '130.478', liquidity: 'maker', want: '0.019571' },
    { name: 'EX-7.1 maker, sample', notional: '66.653', liquidity: 'maker', want: '0.009997' },
    { name: 'EX-7.1 taker', notional: '75.658', liquidity: 'taker', want: '0.034046' },
    { name: 'EX-7.1 taker, TWAP slice', notional: '1334.57402', liquidity: 'taker', want: '0.600558' },
    { name: 'EX-7.1 smallest', notional: '0.00222', liquidity: 'taker', want: '0' },
    { name: 'edge 78: 0.002 USD costs nothing', notional: '0.002', liquidity: 'taker', want: '0' },
    { name: 'one micro-USD', notional: '0.002223', liquidity: 'taker', want: '0.000001' },
  ];
  for (const { name, notional, liquidity, want } of cases) {
    it(name, () => expect(feeOf(new Decimal(notional), liquidity).toFixed()).to.equal(want));
  }

  it('edge 79: taker part and resting part pay two rates', () => {
    expect(feeOf(new Decimal(1000), 'taker').toFixed()).to.equal('0.45');
    expect(feeOf(new Decimal(1000), 'maker').toFixed()).to.equal('0.15');
  });

  it('EX-7.1b a rebate, recorded: cut toward zero, so never more than the exact one', () => {
    const rates = ratesOfTier(4, 3);
    // 78751 * 0.00016 = 12.60016, times -0.00003 = -0.0003780048
    expect(feeOf(new Decimal('12.60016'), 'maker', rates).toFixed()).to.equal('-0.000378');
    expect(feeOf(new Decimal('0.03'), 'maker', rates).toFixed()).to.equal('0');
  });

  it('EX-7.1c the tiers of the venue: above the bound, not at it, and a rebate in place of the maker rate', () => {
    const shown = (tier: number, rebate?: number) => {
      const { taker, maker } = ratesOfTier(tier, rebate);
      return `${taker.times(100).toFixed()} ${maker.times(100).toFixed()}`;
    };
    expect([0, 1, 2, 3, 4, 5, 6].map((tier) => shown(tier))).to.deep.equal(
      ['0.045 0.015', '0.04 0.012', '0.035 0.008', '0.03 0.004', '0.028 0', '0.026 0', '0.024 0'], // biome-ignore format: as on the venue's page
    );
    expect([1, 2, 3].map((rebate) => shown(1, rebate))).to.deep.equal(['0.04 -0.001', '0.04 -0.002', '0.04 -0.003']);
    const tiers = ['0', '5000000', '5000000.000001', '25000001', '100000001', '500000001', '2000000001', '7000000001'];
    expect(tiers.map((usd) => tierOfVolume(new Decimal(usd)))).to.deep.equal([0, 0, 1, 2, 3, 4, 5, 6]);
  });

  it('EX-7.1d the volume of a tier is that of the 14 UTC days before', () => {
    const of = (day: string, usd: number) => ({ day, takerUsd: new Decimal(usd), makerUsd: new Decimal(1) });
    const days = [of('2026-11-06', 1000), of('2026-11-07', 100), of('2026-11-20', 10), of('2026-11-21', 5)];
    const at = (iso: string) => tierVolume(days, Date.parse(iso)).toNumber();
    expect(['2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z'].map(at)).to.deep.equal([1102, 112, 17]);
  });

  it('invariant 23: never negative, less than a micro-USD below the exact fee', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 15n }),
        fc.constantFrom('maker' as const, 'taker' as const),
        (micros, liquidity) => {
          const notional = new Decimal(micros.toString()).div(1e6);
          const exact = notional.times(FEE_RATES[liquidity]);
          const error = exact.minus(feeOf(notional, liquidity));
          expect(error.gte(0) && error.lt('0.000001')).to.equal(true);
        },
      ),
    );
  });
});
