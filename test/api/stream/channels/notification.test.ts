import { expect } from 'chai';
import { endNotice, noticeFromMs } from '../../../../src/api/stream/channels/notification.ts';

const HOUR_MS = 3_600_000;
const END_MS = Date.UTC(2026, 10, 21);

describe('endNotice: a day before the end, and at it', () => {
  const trial = { trialExpiresAtMs: END_MS, subscriptionExpiresAtMs: null, graceMs: 72 * HOUR_MS };
  const paid = { ...trial, trialExpiresAtMs: 0, subscriptionExpiresAtMs: END_MS - 72 * HOUR_MS };
  const near = 'ends at 2026-11-21T00:00:00.000Z: pay before it to go on trading';
  const cases = [
    { name: 'a trial, more than a day before', until: trial, atMs: END_MS - 24 * HOUR_MS - 1, want: undefined },
    { name: 'a trial, a day before', until: trial, atMs: END_MS - 24 * HOUR_MS, want: `The trial ${near}` },
    { name: 'a trial, just before', until: trial, atMs: END_MS - 1, want: `The trial ${near}` },
    { name: 'a trial, at its end', until: trial, atMs: END_MS, want: 'The trial has ended at 2026-11-21T00:00:00.000Z' },
    { name: 'a subscription, while much of its grace is left', until: paid, atMs: END_MS - 25 * HOUR_MS, want: undefined },
    {
      name: 'a subscription, a day before its grace ends',
      until: paid,
      atMs: END_MS - HOUR_MS,
      want: `The subscription ${near}`,
    },
  ];
  for (const { name, until, atMs, want } of cases) {
    it(name, () => {
      expect(endNotice(until, atMs)).to.equal(want);
      if (want !== undefined) expect(noticeFromMs(until)).to.be.at.most(atMs);
    });
  }

  it('until a day before the trial ends nobody needs to look', () => expect(noticeFromMs(trial)).to.equal(END_MS - 24 * HOUR_MS));
});
