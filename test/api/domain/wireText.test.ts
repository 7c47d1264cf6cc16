import { expect } from 'chai';
import fc from 'fast-check';
import { JsonText, toJson, wireNumber, wireSide } from '../../../src/api/domain/wireText.ts';
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

describe('JsonText: an answer that is written once', () => {
  it('is its text by itself, without reading it, and a value inside of another answer', () => {
    const text = JsonText.of({ a: '1.0' });
    const isRead = (): never => expect.fail('it was read');
    expect(toJson(Object.assign(JsonText.of({ a: '1.0' }), { toJSON: isRead }))).to.equal(text.text);
    expect(JSON.parse(toJson({ data: text }))).to.deep.equal({ data: { a: '1.0' } });
    expect(toJson(undefined)).to.equal('null');
  });

  it('takes one field more at its end', () => {
    expect(JsonText.of({ a: '1.0' }).with('time', 5).text).to.equal('{"a":"1.0","time":5}');
  });

  it('knows the length of a list', () => {
    expect([JsonText.of([1, 2]).rows, JsonText.of({}).rows]).to.deep.equal([2, 0]);
  });
});
