import { expect } from 'chai';
import { subscriptionAfter } from '../../../../src/shared/domain/billing/payment.ts';
import { type PlanSubscription, subscriptionAt } from '../../../../src/shared/domain/billing/subscription.ts';
import { type PlanWish, termsOf } from '../../../../src/shared/domain/billing/terms.ts';

const at = (text: string): number => Date.parse(text);
const NOW = at('2026-11-01T00:00:00Z');
const basicUntil = (end: string): PlanSubscription => ({ plan: 'basic', endMs: at(end) });
const proUntil = (end: string): PlanSubscription => ({ plan: 'pro', endMs: at(end) });
const never: PlanSubscription = { plan: 'basic', endMs: null };

describe('billing: what a wish for a plan costs and what its payment does', () => {
  const cases: {
    name: string;
    has: PlanSubscription;
    wish: PlanWish;
    kind: string;
    cents: number;
    after: { plan: string; end: string; next?: string };
    losesHistory?: boolean;
  }[] = [
    {
      name: 'basic for a month, never paid',
      has: never,
      wish: { plan: 'basic', period: 'month' },
      ...{ kind: 'period', cents: 2000, after: { plan: 'basic', end: '2026-12-01' } },
    },
    {
      name: 'pro for a year, never paid: twelve months',
      has: never,
      wish: { plan: 'pro', period: 'year' },
      ...{ kind: 'period', cents: 36_000, after: { plan: 'pro', end: '2027-11-01' } },
    },
    {
      name: 'basic again before its end: added to it',
      has: basicUntil('2026-11-16'),
      wish: { plan: 'basic', period: 'month' },
      ...{ kind: 'period', cents: 2000, after: { plan: 'basic', end: '2026-12-16' } },
    },
    {
      name: 'basic after its end: from now on',
      has: basicUntil('2026-10-30'),
      wish: { plan: 'basic', period: 'month' },
      ...{ kind: 'period', cents: 2000, after: { plan: 'basic', end: '2026-12-01' } },
    },
    {
      name: 'pro with half of a month of basic left: half of the difference of 10.00',
      has: basicUntil('2026-11-16T12:00Z'),
      wish: { plan: 'pro', period: 'month' },
      ...{ kind: 'lift', cents: 500, after: { plan: 'pro', end: '2026-11-16' } },
    },
    {
      name: 'pro with 11 months of basic left: 110.00',
      has: basicUntil('2027-10-01'),
      wish: { plan: 'pro', period: 'month' },
      ...{ kind: 'lift', cents: 11_000, after: { plan: 'pro', end: '2027-10-01' } },
    },
    {
      name: 'pro for a year with half of a month of basic left: 360.00 less 10.00, from now on',
      has: basicUntil('2026-11-16T12:00Z'),
      wish: { plan: 'pro', period: 'year' },
      ...{ kind: 'anew', cents: 35_000, after: { plan: 'pro', end: '2027-11-01' } },
    },
    {
      name: 'basic under a paid pro: when that is over, and only by the user’s word',
      has: proUntil('2026-11-16'),
      wish: { plan: 'basic', period: 'month' },
      ...{ kind: 'period', cents: 2000, after: { plan: 'pro', end: '2026-12-16', next: '2026-11-16' }, losesHistory: true },
    },
    {
      name: 'basic after an ended pro: at once, and only by the user’s word',
      has: proUntil('2026-10-16'),
      wish: { plan: 'basic', period: 'month' },
      ...{ kind: 'period', cents: 2000, after: { plan: 'basic', end: '2026-12-01' }, losesHistory: true },
    },
    {
      name: 'pro again where basic would follow: the difference for the time of basic',
      has: { ...proUntil('2026-12-16'), next: { plan: 'basic', fromMs: at('2026-11-16') } },
      wish: { plan: 'pro', period: 'month' },
      ...{ kind: 'lift', cents: 1000, after: { plan: 'pro', end: '2026-12-16' } },
    },
  ];
  for (const { name, has, wish, kind, cents, after, losesHistory = false } of cases) {
    it(name, () => {
      const terms = termsOf(has, wish, NOW);
      expect(terms).to.include({ kind, priceCents: cents, losesHistory });
      const got = subscriptionAfter(has, { ...wish, ...terms }, NOW);
      expect(got?.plan).to.equal(after.plan);
      expect(new Date(got?.endMs ?? 0).toISOString().slice(0, 10)).to.equal(after.end);
      expect(got?.next?.fromMs).to.equal(after.next && at(after.next));
    });
  }

  it('an upgrade in the moment after paying costs the whole difference, to the cent', () => {
    const end = at('2026-12-01T00:00:00Z');
    expect(termsOf({ plan: 'basic', endMs: end }, { plan: 'pro', period: 'month' }, NOW + 2000).priceCents).to.equal(1000);
  });

  it('a lift buys nothing when the paid time is another by then, or over', () => {
    const has = basicUntil('2026-11-16');
    const wish = { plan: 'pro', period: 'month' } as const;
    const paidFor = { ...wish, ...termsOf(has, wish, NOW) };
    expect(subscriptionAfter(basicUntil('2026-12-16'), paidFor, NOW)).to.equal(undefined);
    expect(subscriptionAfter(proUntil('2026-11-16'), paidFor, NOW)).to.equal(undefined);
    expect(subscriptionAfter(has, paidFor, at('2026-11-16'))).to.equal(undefined);
  });

  it('a change of plan happens at its time', () => {
    const next = { plan: 'basic', fromMs: at('2026-11-16') } as const;
    const has: PlanSubscription = { ...proUntil('2026-12-16'), next };
    expect(subscriptionAt(has, at('2026-11-16') - 1)).to.deep.equal(has);
    expect(subscriptionAt(has, at('2026-11-16'))).to.deep.equal(basicUntil('2026-12-16'));
  });
});
