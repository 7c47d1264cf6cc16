import { expect } from 'chai';
import fc from 'fast-check';
import {
  assumedPaidTime,
  type PaidTime,
  paidTimeOf,
  subscriptionAfter,
  subscriptionWithout,
} from '../../../../src/shared/domain/billing/payment.ts';
import {
  lastPlanOf,
  type PlanSubscription,
  type SubscriptionState,
  subscriptionAt,
  subscriptionStateOf,
} from '../../../../src/shared/domain/billing/subscription.ts';
import { type PlanWish, termsOf } from '../../../../src/shared/domain/billing/terms.ts';

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

const at = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const never: PlanSubscription = { plan: 'basic', endMs: null };

/** Buys and pays at once. */
function buy(before: PlanSubscription, wish: PlanWish, nowMs: number): { after: PlanSubscription; paid: PaidTime } {
  const terms = termsOf(before, wish, nowMs);
  const after = subscriptionAfter(before, { ...wish, ...terms }, nowMs);
  if (after === undefined) throw new Error('buys nothing');
  return { after, paid: paidTimeOf(subscriptionAt(before, nowMs), after, terms.kind, nowMs) };
}

describe('billing: a payment that is taken back', () => {
  it('of the first month ends it', () => {
    const { after, paid } = buy(never, { plan: 'pro', period: 'month' }, at('2026-11-01'));
    const { subscription } = subscriptionWithout(after, paid, { others: [], atMs: at('2026-11-10') });
    expect(subscription).to.deep.equal({ plan: 'pro', endMs: at('2026-11-10') });
  });

  it('of a month that is over takes nothing', () => {
    const first = buy(never, { plan: 'basic', period: 'month' }, at('2026-11-01'));
    const second = buy(first.after, { plan: 'basic', period: 'month' }, at('2026-11-20'));
    const { subscription } = subscriptionWithout(second.after, first.paid, { others: [second.paid], atMs: at('2026-12-05') });
    expect(subscription).to.deep.equal({ plan: 'basic', endMs: at('2027-01-01') });
  });

  it('of the running month moves the next one up, which can be taken back too', () => {
    const first = buy(never, { plan: 'basic', period: 'month' }, at('2026-11-01'));
    const second = buy(first.after, { plan: 'basic', period: 'month' }, at('2026-11-02'));
    const one = subscriptionWithout(second.after, first.paid, { others: [second.paid], atMs: at('2026-11-11') });
    expect(one.subscription.endMs).to.equal(at('2026-11-11') + 31 * 86_400_000);
    const [rest] = one.others;
    const both = subscriptionWithout(one.subscription, rest as PaidTime, { others: [], atMs: at('2026-11-12') });
    expect(both.subscription).to.deep.equal({ plan: 'basic', endMs: at('2026-11-12') });
  });

  it('of the basic month after pro keeps pro to its end', () => {
    const pro = buy(never, { plan: 'pro', period: 'month' }, at('2026-11-01'));
    const basic = buy(pro.after, { plan: 'basic', period: 'month' }, at('2026-11-05'));
    expect(basic.after.next).to.deep.equal({ plan: 'basic', fromMs: at('2026-12-01') });
    const { subscription } = subscriptionWithout(basic.after, basic.paid, { others: [pro.paid], atMs: at('2026-11-06') });
    expect(subscription).to.deep.equal({ plan: 'pro', endMs: at('2026-12-01') });
  });

  it('of the pro month before basic makes it basic at once', () => {
    const pro = buy(never, { plan: 'pro', period: 'month' }, at('2026-11-01'));
    const basic = buy(pro.after, { plan: 'basic', period: 'month' }, at('2026-11-05'));
    const { subscription } = subscriptionWithout(basic.after, pro.paid, { others: [basic.paid], atMs: at('2026-11-06') });
    expect(subscription).to.deep.equal({ plan: 'basic', endMs: at('2026-11-06') + 31 * 86_400_000 });
  });

  it('of a lift gives basic back, and a pro month bought after it stays pro', () => {
    const basic = buy(never, { plan: 'basic', period: 'month' }, at('2026-11-01'));
    const lift = buy(basic.after, { plan: 'pro', period: 'month' }, at('2026-11-10'));
    const others = [basic.paid];
    const back = subscriptionWithout(lift.after, lift.paid, { others, atMs: at('2026-11-11') });
    expect(back.subscription).to.deep.equal({ plan: 'basic', endMs: at('2026-12-01') });
    const more = buy(lift.after, { plan: 'pro', period: 'month' }, at('2026-11-12'));
    const after = subscriptionWithout(more.after, lift.paid, { others: [...others, more.paid], atMs: at('2026-11-13') });
    expect(after.subscription).to.deep.equal({
      ...{ plan: 'basic', next: { plan: 'pro', fromMs: at('2026-12-01') }, endMs: at('2027-01-01') },
    });
  });

  it('of a year that began anew gives the earlier time back while it lasts, and ends at once after it', () => {
    const basic = buy(never, { plan: 'basic', period: 'month' }, at('2026-11-01'));
    const anew = buy(basic.after, { plan: 'pro', period: 'year' }, at('2026-11-10'));
    expect(anew.paid.kind).to.equal('anew');
    const soon = subscriptionWithout(anew.after, anew.paid, { others: [basic.paid], atMs: at('2026-11-11') });
    expect(soon.subscription).to.deep.equal({ plan: 'basic', endMs: at('2026-12-01') });
    const late = subscriptionWithout(anew.after, anew.paid, { others: [basic.paid], atMs: at('2027-02-01') });
    expect(late.subscription.endMs).to.equal(at('2027-02-01'));
  });

  it('whose record is no longer kept takes the time at the end', () => {
    const subscription: PlanSubscription = { plan: 'pro', endMs: at('2026-12-20') };
    const paid = assumedPaidTime(subscription, { kind: 'period', period: 'month' });
    expect(subscriptionWithout(subscription, paid, { others: [], atMs: at('2026-11-25') }).subscription.endMs).to.equal(
      at('2026-11-25'),
    );
    const lift = assumedPaidTime(subscription, { kind: 'lift', period: 'month', paidUntilMs: at('2026-12-20') });
    expect(subscriptionWithout(subscription, lift, { others: [], atMs: at('2026-11-25') }).subscription).to.deep.equal({
      ...{ plan: 'basic', endMs: at('2026-12-20') },
    });
  });

  const wishes = fc.record({
    plan: fc.constantFrom('basic' as const, 'pro' as const),
    period: fc.constantFrom('month' as const, 'year' as const),
    daysLater: fc.integer({ min: 0, max: 50 }),
  });

  it('taken back in any order, all payments together leave no paid time, and none ever adds time', () => {
    fc.assert(
      fc.property(fc.array(wishes, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat()), (bought, draws) => {
        let nowMs = at('2026-01-31');
        let subscription = never;
        let paid: PaidTime[] = [];
        for (const { daysLater, ...wish } of bought) {
          nowMs += daysLater * 86_400_000;
          const purchase = buy(subscription, wish, nowMs);
          subscription = purchase.after;
          paid.push(purchase.paid);
        }
        while (paid.length > 0) {
          const i = (draws.next().value ?? 0) % paid.length;
          const others = paid.filter((_, place) => place !== i);
          const before = subscriptionAt(subscription, nowMs);
          const after = subscriptionWithout(subscription, paid[i] as PaidTime, { others, atMs: nowMs });
          expect(after.subscription.endMs ?? 0).to.be.at.most(before.endMs ?? 0);
          expect(after.others).to.have.length(others.length);
          const { next, endMs } = after.subscription;
          if (next !== undefined) expect(next.fromMs).to.be.within(nowMs, (endMs ?? 0) - 1);
          ({ subscription } = after);
          paid = [...after.others];
        }
        expect(subscription.endMs ?? 0).to.be.at.most(nowMs);
      }),
      { numRuns: 2000 },
    );
  });

  it('taken back at once, the last payment leaves the subscription as it was before', () => {
    fc.assert(
      fc.property(fc.array(wishes, { minLength: 1, maxLength: 5 }), (bought) => {
        let nowMs = at('2026-01-31');
        let before = never;
        let after = never;
        const paid: PaidTime[] = [];
        for (const { daysLater, ...wish } of bought) {
          nowMs += daysLater * 86_400_000;
          before = after;
          const purchase = buy(before, wish, nowMs);
          after = purchase.after;
          paid.push(purchase.paid);
        }
        const last = paid.pop() as PaidTime;
        const { subscription } = subscriptionWithout(after, last, { others: paid, atMs: nowMs });
        const wasPaid = before.endMs !== null && before.endMs > nowMs;
        if (wasPaid) expect(subscription).to.deep.equal(subscriptionAt(before, nowMs));
        else expect(subscription.endMs).to.equal(nowMs);
        expect(lastPlanOf(subscription)).to.be.oneOf(['basic', 'pro']);
      }),
      { numRuns: 2000 },
    );
  });
});
