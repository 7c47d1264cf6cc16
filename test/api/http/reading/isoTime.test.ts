import { expect } from 'chai';
import { readIsoTime, readIsoTimeOrDay } from '../../../../src/api/http/reading/isoTime.ts';

describe('readIsoTime: times as callers write them', () => {
  for (const text of ['2027-02-28T23:59:59Z', '2028-02-29T00:00:00.5+02:00', '2000-02-29T12:00Z', '0099-12-31T12:00:00Z']) {
    it(`reads ${text}`, () => expect(readIsoTime(text)).to.equal(Date.parse(text)));
  }

  const wrong = [
    ...['2027-02-29T00:00:00Z', '2027-02-30T00:00:00Z', '1900-02-29T00:00:00Z', '2027-04-31T00:00:00Z', '2027-13-01T00:00:00Z'],
    ...['2027-00-10T00:00:00Z', '2027-01-00T00:00:00Z', '2027-01-32T00:00:00Z', '2027-01-01T25:00:00Z', '2027-01-01T00:60:00Z'],
    ...['2027-01-01', '2027-01-01T00:00:00', '2027-01-01T00:00:00+24:00x', ' 2027-01-01T00:00:00Z', 'NaN', ''],
  ];
  for (const text of wrong) it(`refuses "${text}"`, () => expect(readIsoTime(text)).to.equal(undefined));

  it('a day alone is one where it may be, and has to be in the calendar', () => {
    expect(readIsoTimeOrDay('2028-02-29')).to.equal(Date.UTC(2028, 1, 29));
    expect(readIsoTimeOrDay('2028-02-29T01:00:00Z')).to.equal(Date.UTC(2028, 1, 29, 1));
    expect(readIsoTimeOrDay('2027-02-29')).to.equal(undefined);
    expect(readIsoTimeOrDay('2027-02-29T01:00:00Z')).to.equal(undefined);
  });
});
