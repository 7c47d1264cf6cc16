import { expect } from 'chai';
import fc from 'fast-check';
import { ADDRESS_ENTRY, toAddressEntry } from '../../../src/api/access/keyRecord.ts';
import { decimalOrNumber, type decimalText, ISO_TIME, ISO_TIME_OR_DAY } from '../../../src/api/contract/requestValues.ts';
import { compileReader } from '../../../src/api/http/requestReader.ts';

describe('values of requests: the schema says all of what is read', () => {
  const fits = (pattern: string, text: string): boolean => new RegExp(pattern).test(text);

  describe('times, of days that the calendar has', () => {
    const zoned = ['2027-02-28T23:59:59Z', '2028-02-29T00:00:00.5+02:00', '2000-02-29T12:00Z', '0099-12-31T12:00:00Z'];
    for (const text of zoned) it(`${text}`, () => expect(fits(ISO_TIME, text)).to.equal(true));
    const wrong = [
      ...['2027-02-29T00:00:00Z', '2027-02-30T00:00:00Z', '1900-02-29T00:00:00Z', '2027-04-31T00:00:00Z', '2027-13-01T00:00:00Z'],
      ...['2027-00-10T00:00:00Z', '2027-01-00T00:00:00Z', '2027-01-32T00:00:00Z', '2027-01-01T24:00:00Z', '2027-01-01T00:60:00Z'],
      ...['2027-01-01', '2027-01-01T00:00:00', '2027-01-01T00:00:00+24:00', ' 2027-01-01T00:00:00Z', 'NaN', ''],
    ];
    for (const text of wrong) it(`not "${text}"`, () => expect(fits(ISO_TIME, text)).to.equal(false));

    it('a day alone where it may be', () => {
      expect(fits(ISO_TIME_OR_DAY, '2028-02-29')).to.equal(true);
      expect(fits(ISO_TIME_OR_DAY, '2028-02-29T01:00:00Z')).to.equal(true);
      expect(fits(ISO_TIME_OR_DAY, '2027-02-29')).to.equal(false);
      expect(fits(ISO_TIME_OR_DAY, '2027-02-29T01:00:00Z')).to.equal(false);
    });

    it('every one of them is a time', () =>
      fc.assert(fc.property(fc.stringMatching(new RegExp(ISO_TIME_OR_DAY)), (text) => !Number.isNaN(Date.parse(text)))));
  });

  describe('decimals with their bounds', () => {
    const cases: [name: string, bounds: Parameters<typeof decimalText>[0], right: string[], wrong: string[]][] = [
      [
        'above 0 to 100, two decimals',
        { to: 2, decimals: 2 },
        ['0.01', '0.1', '0.10', '1', '99.99', '100', '100.00'],
        ['0', '0.0', '0.00', '0.001', '100.01', '101', '01', '-1', '+1', '1.', '.5', '1e1', ''],
      ],
      [
        'from 1000 to 10,000,000, six decimals',
        { from: 3, to: 7, decimals: 6 },
        ['1000', '1000.000001', '9999999.999999', '10000000', '10000000.0'],
        ['999.999999', '1000.0000001', '10000000.000001', '0', '01000'],
      ],
    ];
    for (const [name, bounds, right, wrong] of cases) {
      const read = compileReader(decimalOrNumber(bounds, 'such a number'));
      const isRead = (value: unknown): boolean => {
        try {
          return read(value) === value;
        } catch {
          return false;
        }
      };
      for (const text of right)
        it(`${name}: ${text}`, () => expect([text, Number(text)].map(isRead)).to.deep.equal([true, true]));
      for (const text of wrong) it(`${name}: not "${text}"`, () => expect(isRead(text)).to.equal(false));
    }

    it('numbers by their digits, not by a division', () => {
      const read = compileReader(decimalOrNumber({ to: 2, decimals: 2 }, 'such a number'));
      for (const value of [0.29, 0.57, 1.15, 64.1]) expect(read(value)).to.equal(value);
      for (const value of [0, -0.01, 0.001, 0.1 + 0.2, 100.01, 1e300, 5e-324])
        expect(() => read(value)).to.throw('such a number');
    });
  });

  it('every address and network of the pattern is read', () =>
    fc.assert(fc.property(fc.stringMatching(new RegExp(ADDRESS_ENTRY)), (text) => toAddressEntry(text) !== undefined)));
});
