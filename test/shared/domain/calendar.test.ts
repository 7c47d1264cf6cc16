import { expect } from 'chai';
import { addMonths, monthsBetween, utcDay } from '../../../src/shared/domain/calendar.ts';

describe('calendar: months', () => {
  const cases: { from: string; months: number; want: string }[] = [
    { from: '2026-11-21T10:00:00.123Z', months: 1, want: '2026-12-21T10:00:00.123Z' },
    { from: '2026-12-21T23:59:59.999Z', months: 1, want: '2027-01-21T23:59:59.999Z' },
    { from: '2027-01-31T00:00:00.000Z', months: 1, want: '2027-02-28T00:00:00.000Z' },
    { from: '2028-01-31T12:00:00.000Z', months: 1, want: '2028-02-29T12:00:00.000Z' },
    { from: '2028-02-29T12:00:00.000Z', months: 12, want: '2029-02-28T12:00:00.000Z' },
    { from: '2026-03-31T12:00:00.000Z', months: -1, want: '2026-02-28T12:00:00.000Z' },
    { from: '2026-01-15T00:00:00.000Z', months: -13, want: '2024-12-15T00:00:00.000Z' },
  ];
  for (const { from, months, want } of cases) {
    it(`${from} and ${months} months is ${want}`, () => {
      expect(new Date(addMonths(Date.parse(from), months)).toISOString()).to.equal(want);
    });
  }

  it('agrees with the calendar of the machine on every day of five years', () => {
    for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2031, 0, 1); day += 86_400_000) {
      const date = new Date(day);
      const clamped = Math.min(
        date.getUTCDate(),
        new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 2, 0)).getUTCDate(),
      );
      expect(addMonths(day, 1)).to.equal(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, clamped));
    }
  });

  it('counts whole months and the part of the next', () => {
    const at = (text: string): number => Date.parse(text);
    expect(monthsBetween(at('2026-11-21'), at('2027-01-05'))).to.deep.equal({
      whole: 1,
      restMs: 14 * 86_400_000,
      monthMs: 30 * 86_400_000,
    });
    expect(monthsBetween(at('2026-11-21'), at('2026-12-21'))).to.include({ whole: 1, restMs: 0 });
    expect(monthsBetween(at('2026-11-21'), at('2026-11-20'))).to.include({ whole: 0, restMs: 0 });
  });
});

describe('utcDay: the day of a time without a calendar', () => {
  const days = [0, 951_782_399_999, 951_782_400_000, 951_868_800_000, 1_700_000_000_000, 1_709_164_800_000, 4_107_542_399_999];
  for (const timeMs of days) {
    it(`agrees with the calendar at ${timeMs}`, () =>
      expect(utcDay(timeMs)).to.equal(new Date(timeMs).toISOString().slice(0, 10)));
  }
});
