import { expect } from 'chai';
import { type SubscriptionState, subscriptionStateOf } from '../../../../src/shared/domain/billing/subscription.ts';

describe('subscriptionState: what the clock says of an account', () => {
  const cases: { name: string; trial: number; paid: number | null; nowMs: number; want: SubscriptionState }[] = [
    { name: 'the last millisecond of a trial', trial: 100, paid: null, nowMs: 99, want: 'trial' },
    { name: 'the end of a trial, which has no grace', trial: 100, paid: null, nowMs: 100, want: 'expired' },
    { name: 'paid during the trial', trial: 100, paid: 200, nowMs: 50, want: 'active' },
    { name: 'the last millisecond paid for', trial: 100, paid: 200, nowMs: 199, want: 'active' },
    { name: 'the end of what was paid for', trial: 100, paid: 200, nowMs: 200, want: 'past_due' },
    { name: 'the last millisecond of the grace', trial: 100, paid: 200, nowMs: 209, want: 'past_due' },
    { name: 'the end of the grace', trial: 100, paid: 200, nowMs: 210, want: 'expired' },
    { name: 'a trial that outlasts what was paid for', trial: 300, paid: 200, nowMs: 250, want: 'trial' },
    { name: 'a trial that ends within the grace', trial: 205, paid: 200, nowMs: 205, want: 'past_due' },
  ];
  for (const { name, trial, paid, nowMs, want } of cases) {
    it(`${name}: ${want}`, () => {
      const until = { trialExpiresAtMs: trial, subscriptionExpiresAtMs: paid, graceMs: 10 };
      expect(subscriptionStateOf(until, nowMs)).to.equal(want);
    });
  }
});
