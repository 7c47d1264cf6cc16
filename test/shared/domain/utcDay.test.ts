import { expect } from 'chai';
import { utcDay } from '../../../src/shared/domain/calendar.ts';

describe('utcDay: the day of a time without a calendar', () => {
  const days = [0, 951_782_399_999, 951_782_400_000, 951_868_800_000, 1_700_000_000_000, 1_709_164_800_000, 4_107_542_399_999];
  for (const timeMs of days) {
    it(`agrees with the calendar at ${timeMs}`, () =>
      expect(utcDay(timeMs)).to.equal(new Date(timeMs).toISOString().slice(0, 10)));
  }
});
