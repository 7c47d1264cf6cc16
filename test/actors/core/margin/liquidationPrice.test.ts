import { expect } from 'chai';
import fc from 'fast-check';
import { maintenanceMargin } from '../../../../src/actors/core/margin/positionMargin.ts';
import { liquidationPrice } from '../../../../src/actors/core/margin/wakePrices.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';

type Tiers = readonly (readonly [lowerBound: string, maxLeverage: number])[];

function price(fields: { signedSize: string; mark: string; equity: string; tiers: Tiers }): string | undefined {
  return priceOf(fields)?.toFixed();
}

function priceOf({ signedSize, mark, equity, tiers }: { signedSize: string; mark: string; equity: string; tiers: Tiers }) {
  return liquidationPrice({
    signedSize: new Decimal(signedSize),
    markPrice: new Decimal(mark),
    equity: new Decimal(equity),
    marginTiers: tiers.map(([lowerBound, maxLeverage]) => ({ lowerBound: new Decimal(lowerBound), maxLeverage })),
  });
}

const one = (maxLeverage: number): Tiers => [['0', maxLeverage]];
const TEN_FIVE: Tiers = [
  ['0', 10],
  ['3000000', 5],
];

describe('liquidationPrice: the published formula, solved over tiers', () => {
  it('EX-5.2: the published sample, without the cut of its maintenance that the venue made then', () => {
    const found = priceOf({ signedSize: '0.0335', mark: '2985.9', equity: '4.967826', tiers: one(50) });
    expect(found?.toFixed()).to.equal('2866.2693803709');
  });

  it('EX-5.2b: the recorded HYPE position', () => {
    expect(price({ signedSize: '2', mark: '37.826', equity: '7.525754', tiers: one(10) })).to.equal('35.8559189474');
  });

  it('EX-4.5b, EX-4.5c: after a partial close and after adding margin', () => {
    expect(price({ signedSize: '1.4', mark: '37.826', equity: '5.257815', tiers: one(10) })).to.equal('35.8635977444');
    expect(price({ signedSize: '2', mark: '37.826', equity: '12.525754', tiers: one(10) })).to.equal('33.22434');
  });

  const recorded: [
    name: string,
    side: 1 | -1,
    entry: string,
    size: string,
    collateral: string,
    maxLeverage: number,
    want: string,
  ][] = [
    ['long ETH', 1, '2458.5', '0.015', '36.864593', 50, '0.86915825'],
    ['long SOL', 1, '146.82', '0.16', '23.482979', 20, '0.05269872'],
    ['long DOGE', 1, '0.11586', '437', '25.29769', 20, '0.05945697'],
    ['short ETH', -1, '2642.8', '0.019', '25.091876', 50, '3924.18322043'],
    ['short SOL', -1, '155.89', '0.32', '24.924941', 20, '228.07847866'],
    ['short BTC', -1, '67400', '0.00031', '20.887308', 50, '133443.97317151'],
    ['long BTC', 1, '66930', '0.0015', '20.043862', 50, '54108.51043771'],
    ['long SOL 2', 1, '173.06', '0.6', '20.735658', 20, '142.05186667'],
    ['short ETH 2', -1, '2552', '0.0327', '20.833393', 50, '3157.53150453'],
    ['long XYZ-AAPL', 1, '250', '0.5', '25', 10, '210.52631579'],
    ['short XYZ-GOOGL', -1, '190', '0.5', '9.5', 10, '199.04761905'],
    ['long XYZ-TSLA', 1, '350', '1', '50', 10, '315.78947368'],
  ];
  for (const [name, side, entry, size, equity, maxLeverage, want] of recorded) {
    it(`EX-5.2c: ${name}`, () => {
      const found = priceOf({ signedSize: side > 0 ? size : `-${size}`, mark: entry, equity, tiers: one(maxLeverage) });
      expect(found?.toFixed(8)).to.equal(want);
    });
  }

  it('EX-5.2d: two cross positions share what is behind them', () => {
    // Account value 10000; each position has it less the other one's maintenance.
    expect(price({ signedSize: '1', mark: '60000', equity: '8800', tiers: one(40) })).to.equal('51848.1012658228');
    expect(price({ signedSize: '-20', mark: '3000', equity: '9250', tiers: one(25) })).to.equal('3394.6078431373');
  });

  it('EX-5.2e: the tier is that of the notional at the liquidation price', () => {
    expect(price({ signedSize: '500000', mark: '10', equity: '1000000', tiers: TEN_FIVE })).to.equal('8.5555555556');
    expect(price({ signedSize: '320000', mark: '10', equity: '640000', tiers: TEN_FIVE })).to.equal('8.4210526316');
  });

  it('EX-5.2f: a long without leverage has a tiny price, with cash left over none', () => {
    expect(price({ signedSize: '0.5', mark: '2000', equity: '999.55', tiers: one(25) })).to.equal('0.9183673469');
    expect(price({ signedSize: '0.5', mark: '2000', equity: '1000', tiers: one(25) })).to.equal(undefined);
  });

  it('a short always has one', () => {
    expect(price({ signedSize: '-0.5', mark: '2000', equity: '100000', tiers: one(25) })).to.equal('198039.2156862745');
  });

  it('invariant 20: at that price equity is the maintenance margin, within a micro-USD', () => {
    const fields = fc.record({
      isLong: fc.boolean(),
      lots: fc.integer({ min: 1, max: 10_000_000 }),
      mark: fc.integer({ min: 1, max: 1_000_000 }),
      equityShare: fc.integer({ min: 1, max: 900 }),
    });
    fc.assert(
      fc.property(fields, ({ isLong, lots, mark, equityShare }) => {
        const size = new Decimal(lots).div(100);
        const signedSize = isLong ? size : size.neg();
        const markPrice = new Decimal(mark).div(100);
        const equity = size.times(markPrice).times(equityShare).div(1000);
        const marginTiers = [
          { lowerBound: new Decimal(0), maxLeverage: 40 },
          { lowerBound: new Decimal(100_000), maxLeverage: 20 },
          { lowerBound: new Decimal(1_000_000), maxLeverage: 10 },
        ];
        const found = liquidationPrice({ signedSize, markPrice, equity, marginTiers });
        if (!found) return;
        const left = equity.plus(signedSize.times(found.minus(markPrice)));
        const needed = maintenanceMargin(marginTiers, size.times(found));
        // 10 decimals of price leave half a unit of the last one per coin; maintenance is cut twice.
        const tolerance = size.times('0.0000000001').plus('0.000002');
        expect(left.minus(needed).abs().lte(tolerance)).to.equal(true);
        const isLiquidatable = equity.lt(maintenanceMargin(marginTiers, size.times(markPrice)));
        const isBeyond = isLong ? found.gt(markPrice) : found.lt(markPrice);
        if (found.minus(markPrice).abs().times(size).gt('0.000002')) expect(isLiquidatable).to.equal(isBeyond);
      }),
    );
  });
});
