import { expect } from 'chai';
import fc from 'fast-check';
import { wireNumber, wireSide } from '../../../src/api/domain/wireText.ts';
import { Decimal, toWire } from '../../../src/shared/domain/decimal.ts';

describe('wireNumber: always a point, never a needless zero', () => {
  const cases: [text: string, want: string][] = [
    ['0', '0.0'],
    ['-0', '0.0'],
    ['-0.000', '0.0'],
    ['100', '100.0'],
    ['100.0', '100.0'],
    ['1.50', '1.5'],
    ['0.00001234', '0.00001234'],
    ['-0.25686', '-0.25686'],
    ['10.000000', '10.0'],
    ['-7', '-7.0'],
  ];
  for (const [text, want] of cases) it(`${text} is ${want}`, () => expect(wireNumber(text)).to.equal(want));

  it('says what toWire says, for any plain decimal text', () => {
    const text = fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.stringMatching(/^\d{0,10}$/));
    fc.assert(
      fc.property(text, ([whole, decimals]) => {
        const plain = decimals === '' ? `${whole}` : `${whole}.${decimals}`;
        expect(wireNumber(plain)).to.equal(toWire(new Decimal(plain)));
      }),
    );
  });
});

describe('wireSide', () => {
  it('is B for a buy and A for a sell', () => expect([wireSide('buy'), wireSide('sell')]).to.deep.equal(['B', 'A']));
});
