import { expect } from 'chai';
import { trialEndAt } from '../../../src/features/alerts/rules/thresholds.ts';

const DAY_MS = 86_400_000;

describe('end of a trial: told a day before it and when it is over', () => {
  const trial = { trialExpiresAtMs: 10 * DAY_MS, subscriptionExpiresAtMs: null, graceMs: 3 * DAY_MS };
  const paid = { ...trial, subscriptionExpiresAtMs: 20 * DAY_MS };
  const cases: { name: string; of: typeof trial | typeof paid; atMs: number; want: string | undefined }[] = [
    { name: 'nothing a moment before the last day', of: trial, atMs: 9 * DAY_MS - 1, want: undefined },
    { name: 'a day before', of: trial, atMs: 9 * DAY_MS, want: 'trial day_before 10' },
    { name: 'until its last moment', of: trial, atMs: 10 * DAY_MS - 1, want: 'trial day_before 10' },
    { name: 'then it is over', of: trial, atMs: 10 * DAY_MS, want: 'trial over 10' },
    { name: 'who has paid keeps the days of grace', of: paid, atMs: 22 * DAY_MS - 1, want: undefined },
    { name: 'and is told a day before they end', of: paid, atMs: 22 * DAY_MS, want: 'subscription day_before 23' },
  ];
  for (const { name, of, atMs, want } of cases)
    it(name, () => {
      const end = trialEndAt(of, atMs);
      expect(end && `${end.of} ${end.stage} ${end.endMs / DAY_MS}`).to.equal(want);
    });
});
