import { expect } from 'chai';
import fc from 'fast-check';
import { feeOf, MAKER_RATE, TAKER_RATE } from '../../../../src/actors/domain/fills/fillPlan.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';

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

  it('invariant 23: never negative, less than a micro-USD below the exact fee', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 15n }),
        fc.constantFrom('maker' as const, 'taker' as const),
        (micros, liquidity) => {
          const notional = new Decimal(micros.toString()).div(1e6);
          const exact = notional.times(liquidity === 'maker' ? MAKER_RATE : TAKER_RATE);
          const error = exact.minus(feeOf(notional, liquidity));
          expect(error.gte(0) && error.lt('0.000001')).to.equal(true);
        },
      ),
    );
  });
});
