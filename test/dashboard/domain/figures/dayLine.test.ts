import { expect } from 'chai';
import { dayLine } from '../../../../src/dashboard/domain/figures/dayLine.ts';

const SIZE = { width: 100, height: 80 };
const days = (...values: readonly (string | null)[]) => values.map((value, i) => ({ day: `2026-11-0${i + 1}`, value }));

describe('dayLine: a value for each day as a drawing', () => {
  it('keeps gaps, and has a dot where a day is alone', () => {
    const line = dayLine(days(null, '1', '-1', null, '0.5'), SIZE);
    // 1 is the top, -1 the bottom, 0 the middle and 0.5 a quarter of the way down.
    expect(line?.paths).to.deep.equal(['M25 0h0L50 80', 'M100 20h0']);
    expect(line?.zero).to.equal(40);
    expect([line?.first.day, line?.last.day]).to.deep.equal(['2026-11-02', '2026-11-05']);
    expect([line?.lowest.day, line?.highest.day]).to.deep.equal(['2026-11-03', '2026-11-02']);
  });

  it('has 0 in sight, whether all is above or below', () => {
    expect(dayLine(days('2', '4'), SIZE)).to.deep.include({ paths: ['M0 40h0L100 0'], zero: 80 });
    expect(dayLine(days('-2', '-4'), SIZE)).to.deep.include({ paths: ['M0 40h0L100 80'], zero: 0 });
    expect(dayLine(days('0', '0'), SIZE)).to.deep.include({ paths: ['M0 0h0L100 0'], zero: 0 });
  });

  it('is nothing without a value', () => {
    expect(dayLine(days(null, null), SIZE)).to.equal(undefined);
    expect(dayLine([], SIZE)).to.equal(undefined);
  });
});
