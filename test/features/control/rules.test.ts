import { expect } from 'chai';
import { hoursPassed, nextStop } from '../../../src/features/control/rules.ts';

const HOUR_MS = 3_600_000;
const NOON_MS = Date.UTC(2026, 10, 26, 12);

describe('advanceStops: where exchange time stops on its way ahead', () => {
  const rows: { name: string; now: number; target: number; due?: number; want: number }[] = [
    { name: 'at the target, when nothing is before it', now: 60_000, target: 120_000, want: 120_000 },
    { name: 'two seconds before the hour', now: 60_000, target: 2 * HOUR_MS, want: HOUR_MS - 2000 },
    { name: 'then after it', now: HOUR_MS - 2000, target: 2 * HOUR_MS, want: HOUR_MS + 700 },
    {
      name: 'after the hour also when real time has passed it meanwhile',
      now: HOUR_MS + 100,
      target: 2 * HOUR_MS,
      want: HOUR_MS + 700,
    },
    { name: 'before the next hour from there', now: HOUR_MS + 700, target: 3 * HOUR_MS, want: 2 * HOUR_MS - 2000 },
    { name: 'at the target between the two', now: HOUR_MS - 2000, target: HOUR_MS, want: HOUR_MS },
    { name: 'where an account has something due', now: 60_000, target: HOUR_MS, due: 90_000, want: 90_000 },
    { name: 'half a second on, when that is nearer', now: 60_000, target: HOUR_MS, due: 60_010, want: 60_500 },
    { name: 'not for what is due beyond the target', now: 60_000, target: 70_000, due: 90_000, want: 70_000 },
    { name: 'at the target when that is nearer than half a second', now: 60_000, target: 60_001, due: 60_000, want: 60_001 },
  ];
  for (const { name, now, target, due, want } of rows) {
    it(name, () => {
      const nextDueMs = due === undefined ? undefined : NOON_MS + due;
      expect(nextStop({ nowMs: NOON_MS + now, targetMs: NOON_MS + target, nextDueMs }) - NOON_MS).to.equal(want);
    });
  }

  it('an hour has passed when its rate is told', () => {
    const noon = NOON_MS / HOUR_MS;
    expect([-1, 0, 699, 700].map((ms) => hoursPassed(NOON_MS + ms) - noon)).to.deep.equal([-1, -1, -1, 0]);
  });
});
