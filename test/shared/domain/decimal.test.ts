import { expect } from 'chai';
import {
  cut6,
  cutTo,
  Decimal,
  halfUp,
  quotient,
  roundOffDust,
  roundOffResidue,
  roundUp,
  toWire,
} from '../../../src/shared/domain/decimal.ts';

const of = (text: string) => new Decimal(text);

describe('decimal: each rounding by its name (rule 0.1)', () => {
  const cases: { name: string; got: Decimal; want: string }[] = [
    { name: 'cut6 goes toward zero', got: cut6(of('0.0195717')), want: '0.019571' },
    { name: 'cut6 of a negative too', got: cut6(of('-0.0195717')), want: '-0.019571' },
    { name: 'cut6 leaves short numbers alone', got: cut6(of('1.5')), want: '1.5' },
    { name: 'cutTo a lot', got: cutTo(of('72.42899'), 2), want: '72.42' },
    { name: 'halfUp at a tie', got: halfUp(of('0.0000005'), 6), want: '0.000001' },
    { name: 'halfUp below a tie', got: halfUp(of('0.00000049'), 6), want: '0' },
    { name: 'halfUp of a negative tie goes away from zero', got: halfUp(of('-0.0000005'), 6), want: '-0.000001' },
    { name: 'roundUp to a lot', got: roundUp(of('0.20001'), 2), want: '0.21' },
    { name: 'settle recognises a whole number', got: roundOffResidue(of('2').div(3).times(3)), want: '2' },
    {
      name: 'settle keeps what has at most 40 decimals',
      got: roundOffResidue(of('1.000000000000000000000000000001')),
      want: '1.000000000000000000000000000001',
    },
    { name: 'dust below a tie goes', got: roundOffDust(of('0.0000005').minus('4e-25')), want: '0.0000005' },
    { name: 'more than dust stays', got: roundOffDust(of('0.0000005').minus('6e-25')), want: '0.000000499999999999999999' },
  ];
  for (const { name, got, want } of cases) it(name, () => expect(got.toFixed()).to.equal(want));

  it('a quotient is never above the true value, and three thirds are almost one', () => {
    const third = quotient(of('2'), 3);
    expect(third.decimalPlaces()).to.equal(40);
    expect(third.times(3).lte(2)).to.equal(true);
    expect(of('2').minus(third.times(3)).lt('1e-39')).to.equal(true);
  });

  it('a price times a size is never rounded', () => {
    expect(of('123456.78').times('98765432109876.54321').toFixed()).to.equal('12193262223593964222.2374638');
  });
});

describe('decimal: wire text', () => {
  const cases = [
    ['0', '0.0'],
    ['-0', '0.0'],
    ['65000', '65000.0'],
    ['0.00001234', '0.00001234'],
    ['-0.25686', '-0.25686'],
    ['1.500', '1.5'],
    ['100000000000000000000000', '100000000000000000000000.0'],
    ['0.00000000000001', '0.00000000000001'],
  ] as const;
  for (const [number, want] of cases) it(`${number} is ${want}`, () => expect(toWire(of(number))).to.equal(want));
});
