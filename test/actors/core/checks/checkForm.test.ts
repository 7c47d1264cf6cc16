import { expect } from 'chai';
import {
  hasTooManyDecimals,
  hasTooManyFigures,
  isWholeLots,
  nearestLegalPrice,
  readNumber,
  toLegalPrice,
} from '../../../../src/actors/core/checks/checkForm.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';

describe('priceGrid: which prices and sizes exist', () => {
  const prices: { name: string; price: string; sizeDecimals: number; want: 'legal' | 'figures' | 'decimals' }[] = [
    { name: 'EX-1.1: five figures', price: '1234.5', sizeDecimals: 1, want: 'legal' },
    { name: 'EX-1.1: six figures', price: '1234.56', sizeDecimals: 1, want: 'figures' },
    { name: 'EX-1.1: six decimals of a coin without size decimals', price: '0.001234', sizeDecimals: 0, want: 'legal' },
    { name: 'EX-1.1: seven decimals', price: '0.0012345', sizeDecimals: 0, want: 'decimals' },
    { name: 'EX-1.1: five decimals with one size decimal', price: '0.01234', sizeDecimals: 1, want: 'legal' },
    { name: 'EX-1.1: six decimals with one size decimal', price: '0.012345', sizeDecimals: 1, want: 'decimals' },
    { name: 'EX-1.1: a whole number of any length', price: '123456', sizeDecimals: 5, want: 'legal' },
    { name: 'EX-1.1: six figures with a point', price: '12345.6', sizeDecimals: 0, want: 'figures' },
    { name: 'EX-1.1: 97123', price: '97123', sizeDecimals: 5, want: 'legal' },
    { name: 'EX-1.1: 97123.5, step 1 at this price', price: '97123.5', sizeDecimals: 5, want: 'figures' },
    { name: 'EX-1.1: 2458.5', price: '2458.5', sizeDecimals: 4, want: 'legal' },
    { name: 'EX-1.1: 2458.53 breaks figures', price: '2458.53', sizeDecimals: 4, want: 'figures' },
    { name: 'EX-1.1: 9.9999', price: '9.9999', sizeDecimals: 1, want: 'legal' },
    { name: 'EX-1.1: 10.0', price: '10.0', sizeDecimals: 1, want: 'legal' },
    { name: 'EX-1.1: 10.0001', price: '10.0001', sizeDecimals: 1, want: 'figures' },
    { name: 'EX-1.1: trailing zeros do not count', price: '1.5000', sizeDecimals: 5, want: 'legal' },
    { name: 'edge 2: 100001 is whole', price: '100001', sizeDecimals: 5, want: 'legal' },
    { name: 'edge 2: 100000.5 is not', price: '100000.5', sizeDecimals: 5, want: 'figures' },
    { name: 'edge 3: 0.000001', price: '0.000001', sizeDecimals: 0, want: 'legal' },
    { name: 'edge 3: 0.0000001', price: '0.0000001', sizeDecimals: 0, want: 'decimals' },
  ];
  for (const { name, price: text, sizeDecimals, want } of prices) {
    it(`${name} is ${want}`, () => {
      const price = new Decimal(text);
      const byDecimals = hasTooManyDecimals(price, sizeDecimals) ? 'decimals' : 'legal';
      expect(hasTooManyFigures(price) ? 'figures' : byDecimals).to.equal(want);
    });
  }

  it('EX-1.2: 1.001 is a whole number of lots of 0.001, 1.0001 is not', () => {
    expect(isWholeLots(new Decimal('1.001'), 3)).to.equal(true);
    expect(isWholeLots(new Decimal('1.0010'), 3)).to.equal(true);
    expect(isWholeLots(new Decimal('1.0001'), 3)).to.equal(false);
  });

  for (const text of [
    '1e3',
    '+1',
    '-1',
    ' 1',
    '1 ',
    '.5',
    '1.',
    'NaN',
    'Infinity',
    '',
    '0x1',
    '1,5',
    '0.123456789',
    '１',
    '9'.repeat(10_000),
  ]) {
    it(`edge 9: "${text.slice(0, 12)}" is unreadable`, () => expect(readNumber(text)).to.equal(undefined));
  }

  it('reads padding as the same number', () => expect(readNumber('2458.50')?.toString()).to.equal('2458.5'));

  it('the legal price next to one is half up, and whole numbers are legal', () => {
    const nearest = (price: string, sizeDecimals: number) => nearestLegalPrice(new Decimal(price), sizeDecimals).toString();
    expect(nearest('2316.0071938284', 4)).to.equal('2316');
    expect(nearest('2316.05', 4)).to.equal('2316.1');
    expect(nearest('123456.5', 0)).to.equal('123457');
    expect(nearest('0.1234565', 1)).to.equal('0.12346');
  });

  const steps = [
    { price: '70200.5', sizeDecimals: 5, buy: '70200', sell: '70201' },
    { price: '2335.6225', sizeDecimals: 4, buy: '2335.6', sell: '2335.7' },
    { price: '0.1234567', sizeDecimals: 0, buy: '0.12345', sell: '0.12346' },
    { price: '9.99999', sizeDecimals: 1, buy: '9.9999', sell: '10' },
    { price: '123456.7', sizeDecimals: 0, buy: '123456', sell: '123457' },
  ];
  for (const { price, sizeDecimals, buy, sell } of steps) {
    it(`EX-1.6: ${price} becomes ${buy} for a buy and ${sell} for a sell`, () => {
      expect(toLegalPrice(new Decimal(price), { side: 'buy', sizeDecimals }).toString()).to.equal(buy);
      expect(toLegalPrice(new Decimal(price), { side: 'sell', sizeDecimals }).toString()).to.equal(sell);
    });
  }
});
